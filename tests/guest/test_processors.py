# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a guest's kernel do what they say: an isolated processor, handlers in threads."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.bench.open import open_bench
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.record.reader import RunFile
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, store
from rig.session.run import run

pytestmark = [pytest.mark.timeout(300), pytest.mark.guest, pytest.mark.slow]


def measured(plan: str, agent: str, guest: str, out: Path) -> tuple[Result, dict]:
    text = find_plan(plan).read_text().replace("[capture]", f"[agent]\n{agent}\n[capture]")
    fixture = find_fixture("qemu-debian").read_text().replace('load = "idle"', guest)
    inputs = (
        parse_plan(text, "plan.toml").with_overrides(200, None),
        parse_fixture(fixture, "fixture.toml"),
    )
    failure = run(*inputs, out, lambda _live: None, threading.Event())
    assert failure is None, failure
    with RunFile(out) as file:
        target = json.loads(file.texts()["environment/target"])
    return store(out), target["environment"]


def test_an_isolated_processor_answers_as_if_the_other_had_nothing_to_do(tmp_path):
    """On the loaded one a task waits up to 0.9 ms for the system calls of others."""
    guest = (
        'processors = 2\nload = "system"\nkernel_options = "isolcpus=1 nohz_full=1 rcu_nocbs=1"\n'
    )
    found, environment = measured("interrupt-to-task", "cpu = 1", guest, tmp_path / "run.h5")
    assert (environment["cpus_isolated"], environment["cpus_nohz_full"]) == ("1", "1")
    assert found.evaluation.verdict is Verdict.PASS
    assert found.evaluation.figures.max_ns < 100_000


def test_an_interrupt_is_held_on_a_processor_and_given_back(tmp_path):
    """Its place and its thread's priority: as asked for in one run, and as before in the next."""
    agent = "cpu = 1\ninterrupt_cpu = 1\ninterrupt_priority = 90\n"
    text = find_fixture("qemu-debian-rt").read_text().replace('port = "kmod"', 'port = "ioport"')
    guest = 'processors = 2\nload = "idle"\nkernel_options = "irqaffinity=0"\n'
    fixture = parse_fixture(text.replace('load = "idle"', guest), "fixture.toml")
    plan = find_plan("interrupt-to-task").read_text()
    found = []
    with open_bench(fixture) as bench:
        for number, lines in enumerate((agent, "cpu = 1\n")):
            out = tmp_path / f"{number}.h5"
            own = parse_plan(plan.replace("[capture]", f"[agent]\n{lines}\n[capture]"), "plan.toml")
            opener = contextmanager(lambda _fixture: iter([bench]))
            failure = run(
                own.with_overrides(50, None), fixture, out, lambda _: None, Event(), opener
            )
            assert failure is None, failure
            with RunFile(out) as file:
                told = json.loads(file.texts()["environment/target"])["environment"]
            irqs = {each["irq"]: each["affinity"] for each in told["irqs"]}
            threads = {each["thread"]: each["priority"] for each in told["irq_threads"]}
            assert (irqs[7], threads["irq/7-parport0"]) == ("0", 50)
            found.append(store(out))
    assert [each.evaluation.verdict for each in found] == [Verdict.PASS, Verdict.PASS]
    assert found[0].account.interrupt == "7 on processor 1, its thread at priority 90"
    assert found[1].account.interrupt == ""


def test_preempt_full_lets_a_task_preempt_what_another_does_in_the_kernel(tmp_path):
    """Without it a task waits up to 0.9 ms for the system calls of others, on average 0.4 ms."""
    guest = 'kernel_options = "preempt=full"\nload = "system"\n'
    found, environment = measured("interrupt-to-task", "", guest, tmp_path / "run.h5")
    assert environment["preemption_mode"] == "none voluntary (full)"
    assert found.evaluation.verdict is Verdict.PASS
    assert found.evaluation.figures.max_ns < 100_000


def test_threadirqs_puts_the_handler_into_a_thread(tmp_path):
    """Then the stock kernel's handler takes as long as that of PREEMPT_RT, 13 us and not 3."""
    guest = 'kernel_options = "threadirqs mitigations=off"\n'
    found, environment = measured("interrupt", "", guest, tmp_path / "run.h5")
    threads = {each["thread"]: each["priority"] for each in environment["irq_threads"]}
    assert threads["irq/7-parport0"] == 50
    others = {each["thread"]: each["priority"] for each in environment["realtime_threads"]}
    assert others["migration"] == 99
    assert environment["mitigations"]["spectre_v2"].startswith("Vulnerable")
    assert environment["bios_vendor"] == "SeaBIOS"
    assert found.evaluation.verdict is Verdict.PASS
    assert 8_000 < found.evaluation.figures.median_ns < 30_000
