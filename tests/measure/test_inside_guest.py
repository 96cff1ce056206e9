# SPDX-License-Identifier: GPL-3.0-or-later
"""All measurements inside a real kernel: from plan to verdict, seen from outside too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from rig.bench.open import Bench, open_bench
from rig.config.check import fitted
from rig.config.fixture import Fixture, load_fixture, parse_fixture
from rig.config.plan import parse_plan
from rig.errors import RefusedError
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.report.run_report import run_report
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, store
from rig.session.run import run

pytestmark = pytest.mark.timeout(300)

PLANS = {name: name.replace("_", "-") for name in SELF_MEASUREMENTS}
COUNT = 40
RR = 'priority = 80\npolicy = "rr"'


def plan_text(measurement: str, variant: str, *lines: str) -> str:
    """The built-in plan of a measurement, with a variant, few values, and further keys."""
    kept = [
        line
        for line in find_plan(PLANS[measurement]).read_text(encoding="utf-8").splitlines()
        if not line.startswith(("variant", "count", "pin", "tasks"))
    ]
    at = kept.index("[agent]") + 1
    own = [f'variant = "{variant}"', f"count = {COUNT}", "pin = true", *lines]
    return "\n".join([*kept[:at], *own, *kept[at:]])


def opened_as(bench: Bench) -> Callable[[Fixture], AbstractContextManager[Bench]]:
    """An opener whose bench is open already."""

    @contextmanager
    def opened(_fixture: Fixture) -> Iterator[Bench]:
        yield bench

    return opened


def measured(text: str, fixture: Fixture, bench: Bench, out: Path) -> Result:
    plan = parse_plan(text, "plan.toml")
    failure = run(plan, fixture, out, lambda _live: None, threading.Event(), opened_as(bench))
    assert failure is None, failure
    return store(out)


@pytest.mark.guest
def test_every_variant_on_a_real_kernel(tmp_path: Path) -> None:
    fixture = load_fixture("qemu-debian")
    cases = [
        (name, variant, ())
        for name, each in SELF_MEASUREMENTS.items()
        if not each.spins and not each.own_form
        for variant in each.variants
        if variant not in each.fails
    ]
    passes = ('pause = "200 us"', 'wait = "20 us"', "low_priority = 70")
    cases.append(("preemption", "timer", passes))
    cases.append(("task_switch", "yield", ("tasks = 512",)))
    with open_bench(fixture) as bench:
        for number, (name, variant, lines) in enumerate(cases):
            text = plan_text(name, variant, *lines)
            result = measured(text, fixture, bench, tmp_path / f"{number}.h5")
            found = result.evaluation
            told = f"{name} {variant} {lines}: {found.reasons}"
            assert result.exit_code == 0, told
            assert found.counts.n == found.counts.answered == COUNT, told
            assert found.details.rows[0].figures.n == COUNT, told
            seen = {witness.name: witness.text for witness in found.witnesses}
            edges = 2 * COUNT if SELF_MEASUREMENTS[name].periodic else COUNT
            assert seen["answers"] == f"analyzer {edges}, target log {edges}", told
            assert f"{edges} of {edges} events inside" in seen["bracket test"], told
            assert variant in ("coarse", "task") or found.figures.average_ns > 0, told
            assert found.details.went_on == 0, told
        tick_interrupts_work(fixture, bench, tmp_path / "work.h5")
        tasks_preempt_each_other(fixture, bench, tmp_path / "tasks.h5")


def tasks_preempt_each_other(fixture: Fixture, bench: Bench, out: Path) -> None:
    """Each task's work is its own and that of those above it, as tests/virtual/test_task_set.py has
    it, and some microseconds of the kernel's."""
    text = find_plan("periodic-tasks").read_text(encoding="utf-8")
    result = measured(text.replace("count = 1000", f"count = {COUNT}"), fixture, bench, out)
    assert result.exit_code == 0, result.evaluation.reasons
    tasks = result.evaluation.details.tasks
    assert [each.start.n for each in tasks] == [COUNT, COUNT // 2, COUNT // 5]
    for each, low_us, high_us in zip(tasks, (100, 300, 1300), (100, 300, 1600), strict=True):
        assert low_us * 1e3 < each.work.min_ns < low_us * 1e3 + 95e3
        assert high_us * 1e3 < each.work.max_ns < high_us * 1e3 + 95e3


def tick_interrupts_work(fixture: Fixture, bench: Bench, out: Path) -> None:
    """Debian's kernels have 250 timer ticks a second: one in four periods of 1 ms."""
    text = plan_text("start_finish", "task").replace('"100 us"', '"900 us"')
    result = measured(text, fixture, bench, out)
    (work,) = (each for each in result.evaluation.measurands if each.name == "work")
    lengths_ns, counts = work.histogram.values * work.unit_ns, work.histogram.counts
    assert lengths_ns[0] == pytest.approx(900_000, rel=0.01)
    assert int(counts[lengths_ns > lengths_ns[0] + 1000].sum()) in range(9, 12)  # of 40
    assert result.account.work_per_ms


def with_priorities(text: str) -> str:
    """The same tasks by fixed priorities, the shorter period the higher."""
    for old, new in (
        ('policy = "deadline"', 'policy = "rr"'),
        ('runtime = "10.8 ms"', "priority = 82"),
        ('runtime = "12 ms"', "priority = 81"),
    ):
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.guest
def test_deadlines_are_kept_that_fixed_priorities_cannot_keep(tmp_path: Path) -> None:
    """As tests/virtual/test_task_set.py has it of the same tasks, ten times as fast."""
    text = find_fixture("qemu-debian-rt").read_text(encoding="utf-8")
    fixture = parse_fixture(text.replace('port = "kmod"', 'port = "ioport"'), "fixture.toml")
    tasks = find_plan("periodic-tasks-deadline").read_text(encoding="utf-8")
    tasks = tasks.replace("count = 1200", "count = 30")
    period = find_plan("period").read_text(encoding="utf-8").replace("count = 1000", "count = 100")
    deadline = period.replace("priority = 80", 'policy = "deadline"\nruntime = "100 us"')
    with open_bench(fixture) as bench:
        kept = measured(tasks, fixture, bench, tmp_path / "kept.h5")
        lost = measured(with_priorities(tasks), fixture, bench, tmp_path / "lost.h5")
        by_turns = period.replace("priority = 80", RR)
        for policy, plan in (("rr", by_turns), ("deadline", deadline)):
            result = measured(plan, fixture, bench, tmp_path / f"{policy}.h5")
            assert (result.exit_code, result.account.policy) == (0, policy)
        too_much = parse_plan(tasks.replace('"12 ms"', '"13 ms"'), "plan.toml")
        with pytest.raises(RefusedError, match=r"policy deadline.*95 %"):
            run(
                too_much,
                fixture,
                tmp_path / "no.h5",
                lambda _: None,
                threading.Event(),
                opened_as(bench),
            )
    assert (kept.exit_code, kept.account.policy) == (0, "deadline")
    assert [each.missed for each in kept.evaluation.details.tasks] == [0, 0]
    assert lost.account.policy == "rr"
    assert [each.missed for each in lost.evaluation.details.tasks] == [0, 10]
    finish = lost.evaluation.details.tasks[1].finish
    assert 31e6 < finish.min_ns < finish.max_ns < 31.6e6


@pytest.mark.guest
def test_a_task_of_higher_priority_delays_an_answer_by_its_work(tmp_path: Path) -> None:
    """With the tasks and without: the one above the answering task adds up to its 100 us, and those
    below it, of 300 and 1200 us, nothing; the kernel's switches take some 20 us."""
    text = find_plan("interrupt-to-task-with-tasks").read_text(encoding="utf-8")
    text = text.replace("count = 1000", "count = 100")
    both = text.replace("[agent]\n", '[agent]\nhandler = "hard"\n')
    alone = both[: both.index("[[agent.task]]")] + text[text.index("[capture]") :]
    alone = alone.replace('"interrupt_to_task_with_tasks"', '"interrupt_to_task"')
    alone = alone.replace("missed_periods = 0\n", "")
    fixture = fitted(load_fixture("qemu-debian-rt"), parse_plan(both, "plan.toml"))
    with open_bench(fixture) as bench:
        off = measured(alone, fixture, bench, tmp_path / "off.h5").evaluation
        on = measured(both, fixture, bench, tmp_path / "on.h5").evaluation
    assert off.figures.n == on.figures.n == 100
    assert abs(on.figures.min_ns - off.figures.min_ns) < 5e3
    assert 50e3 < on.figures.max_ns - off.figures.min_ns < 135e3
    assert off.figures.max_ns - off.figures.min_ns < 35e3
    tasks = on.details.tasks
    assert [each.missed for each in tasks] == [0, 0, 0]
    assert 100e3 < tasks[0].work.min_ns < tasks[0].work.max_ns < 140e3
    assert 300e3 < tasks[1].work.min_ns < 310e3


@pytest.mark.guest
def test_a_load_that_did_not_keep_its_periods_tells_it(tmp_path: Path) -> None:
    """While the measured task works for 10 ms, the load's task of 1 ms waits, ten times of them."""
    fixture = load_fixture("qemu-debian-rt")
    text = plan_text("start_finish", "task").replace('period = "1 ms"', 'period = "100 ms"')
    text = text.replace('work = "100 us"', 'work = "10 ms"').replace('"idle"', '"rt-tasks"')
    text = text.replace(f"count = {COUNT}", "count = 10")
    with open_bench(fixture) as bench:
        result = measured(text, fixture, bench, tmp_path / "load.h5")
    assert result.exit_code == 0, result.evaluation.reasons
    first, *_, last = result.account.load_tasks
    assert len(result.account.load_tasks) == 15
    assert (first.period_ns, first.work_ns, first.priority) == (10**6, 40_000, 15)
    assert (last.period_ns, last.work_ns, last.priority) == (15 * 10**6, 600_000, 1)
    assert 8.5e6 < first.late_max_ns < 10.5e6
    assert 85 < first.overruns < 125
    assert first.starts > 10 * last.starts
    assert first.late_ns / first.starts < last.late_ns / last.starts
    assert "Load rt-tasks: its own periodic tasks" in {
        each.title for each in run_report(result).sections
    }


@pytest.mark.guest
def test_an_inversion_lasts_as_long_as_it_was_made_to_last(tmp_path: Path) -> None:
    fixture = load_fixture("qemu-debian-rt")
    work_ns, section_ns, switches_ns = 500_000, 50_000, 150_000
    expected = {"none": work_ns + section_ns, "inheritance": section_ns, "ceiling": section_ns}
    with open_bench(fixture) as bench:
        for variant, least_ns in expected.items():
            text = plan_text("priority_inversion", variant)
            found = measured(text, fixture, bench, tmp_path / f"{variant}.h5").evaluation.figures
            assert least_ns < found.min_ns <= found.max_ns < least_ns + switches_ns, variant
