# SPDX-License-Identifier: GPL-3.0-or-later
"""The real agent measures this machine: every variant, by the calls of the system itself.

A socket stands for the pins. Nothing is said of how long anything took: only of order and number.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.log.responses import are_answers
from rig.analysis.log.value_order import ValueOrder
from rig.analysis.log.values import failed_iterations, logged_values
from rig.errors import BenchError
from rig.instruments import ArmOptions, LogArray
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.target.link import AgentLink
from tests.target.real_agent import agent_program

COUNT = 50
SCHED_DEADLINE = 6
OPTIONS = ("--allow-unlocked", "--cpu-dma-latency", "off")
CASES = [
    (name, variant)
    for name, each in SELF_MEASUREMENTS.items()
    for variant in each.variants
    if not (each.periodic or each.spins or each.levels or variant in each.fails)
]


@dataclass
class Agent:
    link: AgentLink
    pins: socket.socket
    process: int


@pytest.fixture(scope="module")
def agent(tmp_path_factory) -> Iterator[Agent]:
    path = tmp_path_factory.mktemp("agent") / "line"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(20)
        words = [agent_program(), "--port", "posix", "--device", path, "--tcp", "0", *OPTIONS]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                port = int(process.stderr.readline().rsplit(":", 1)[1])
                pins, _ = listener.accept()
                with pins, AgentLink.open("127.0.0.1", port) as link:
                    pins.settimeout(20)
                    yield Agent(link, pins, process.pid)
            finally:
                process.terminate()
                process.communicate(timeout=20)


def words_of(measurement: str, variant: str, **more: str) -> dict[str, str]:
    # At ordinary priority it needs no permission; what is then different is counted.
    words = {"variant": variant, "count": str(COUNT), "priority": "0", **more}
    return words | ({"period_ns": "20000"} if SELF_MEASUREMENTS[measurement].needs else {})


def run(agent: Agent, measurement: str, words: dict[str, str], capacity: int) -> LogArray:
    agent.link.arm(ArmOptions(measurement, capacity, 0, words))
    while not agent.link.ended(200):
        pass
    end = agent.link.stop()
    assert (end.handled, end.dropped) == (COUNT, 0)
    return agent.link.log(0, end.records)


@pytest.mark.parametrize("tasks_as", ["threads", "processes"])
def test_each_switch_tells_the_task_that_it_ends_in(agent, tasks_as):
    words = words_of("task_switch", "yield", tasks="5", tasks_as=tasks_as)
    inside = SELF_MEASUREMENTS["task_switch"]
    task = logged_values(inside, run(agent, "task_switch", words, COUNT), words, 10**9).task
    assert set(task.tolist()) == {1, 2, 3, 4, 5}


PROCESSES = [
    (*case, "processes") for case in CASES if "tasks_as" in SELF_MEASUREMENTS[case[0]].keys
]


@pytest.mark.parametrize(
    ("measurement", "variant", "tasks_as"), [*((*case, "") for case in CASES), *PROCESSES]
)
def test_values_are_as_many_as_asked_for_and_in_order(agent, measurement, variant, tasks_as):
    more = {"tasks_as": tasks_as} if tasks_as else {}
    inside, words = SELF_MEASUREMENTS[measurement], words_of(measurement, variant, pin="1", **more)
    records = run(agent, measurement, words, COUNT * inside.records(words))
    assert len(records) == COUNT * inside.records(words)
    times = logged_values(inside, records, words, 10**9)
    shown = variant not in inside.by_answers
    sequential = measurement != "task_switch" and variant != "realtime"
    order = ValueOrder(len(inside.parts), shown=shown, sequential=sequential)
    order.feed(times, records)
    witness = order.witness(COUNT, 0, 0)
    assert witness.agrees, witness.text
    assert np.all(times.clocked == (variant in inside.clocked))
    assert variant == "coarse" or times.values.sum() > 0
    answers = records[are_answers(records)]
    assert answers["handled"].tolist() == list(range(1, COUNT + 1))
    assert np.all(answers["after_ticks"] >= answers["before_ticks"])
    levels = [byte & 1 for byte in _received(agent, COUNT)]
    assert all(now != before for before, now in pairwise(levels))


def _received(agent: Agent, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += agent.pins.recv(count - len(data))
    agent.pins.setblocking(False)
    with pytest.raises(BlockingIOError):
        agent.pins.recv(1)
    agent.pins.settimeout(20)
    return data


def test_each_start_has_its_finish_and_work_between(agent):
    words = {"count": "20", "priority": "0", "period_ns": "2000000", "work_ns": "100000"}
    agent.link.arm(ArmOptions("start_finish", 100, 0, words))
    while not agent.link.ended(200):
        pass
    end = agent.link.stop()
    records = agent.link.log(0, end.records)
    missed = end.unanswered
    assert end.records == 2 * (end.handled - missed) > 0
    starts, finishes = records[::2], records[1::2]
    assert np.array_equal(starts["handled"], finishes["handled"])
    assert not starts["flags"].any()
    assert np.all(finishes["flags"] == 1 << 16)
    assert end.work_per_ms > 0
    least = int(agent.link.identity.tick_hz * 80e-6)  # a processor may be faster later on
    assert np.all(finishes["before_ticks"] - starts["after_ticks"] >= least)
    assert len(_received(agent, end.records)) == end.records


def test_passes_of_a_timer_are_in_order_or_have_failed(agent):
    # A machine that is busy with other things may keep the spinning task from a pass.
    more = {"pause_ns": "200000", "wait_ns": "30000"}
    words = words_of("preemption", "timer", **more)
    agent.link.arm(ArmOptions("preemption", 3 * COUNT, 0, words))
    while not agent.link.ended(200):
        pass
    end = agent.link.stop()
    records = agent.link.log(0, end.records)
    failed = failed_iterations(records)
    assert (end.handled, end.unanswered) == (COUNT, len(failed))
    hz = agent.link.identity.tick_hz
    times = logged_values(SELF_MEASUREMENTS["preemption"], records, words, hz)
    assert len(times.before) == 3 * (COUNT - len(failed)) > 0
    assert np.all(times.after > times.before)
    assert np.all(times.values >= 0)
    assert np.all(times.asked == np.where(times.part == 1, 30_000 * hz // 10**9, 0))
    assert np.all(np.diff(times.before) > 0)


def children_of(process: int) -> set[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return {int(word) for word in listed.split()}


ENDLESS = {
    "tasks_as": "processes", "tasks": "5", "priority": "0", "count": "4000000000",
}  # fmt: skip


def test_tasks_as_processes_end_with_the_measurement(agent):
    before = children_of(agent.process)
    agent.link.arm(ArmOptions("task_switch", 10, 0, ENDLESS))
    assert len(children_of(agent.process) - before) == 5
    assert not agent.link.ended(1)
    agent.link.stop()
    assert children_of(agent.process) == before


def test_a_process_that_is_killed_ends_the_measurement_and_no_more(agent):
    before = children_of(agent.process)
    agent.link.arm(ArmOptions("task_switch", 10, 0, ENDLESS))
    os.kill(min(children_of(agent.process) - before), signal.SIGKILL)
    while not agent.link.ended(200):
        pass
    assert agent.link.stop().handled < 4_000_000_000
    assert children_of(agent.process) == before
    words = words_of("task_switch", "yield", tasks_as="processes")
    assert len(run(agent, "task_switch", words, COUNT)) == COUNT


@pytest.mark.parametrize("tasks", [2, 16, 128, 512])
def test_so_many_tasks_take_turns(agent, tasks):
    words = words_of("task_switch", "yield", tasks=str(tasks))
    records = run(agent, "task_switch", words, COUNT)
    assert len(records) == COUNT
    assert np.all(records["after_ticks"] > records["before_ticks"])


@pytest.mark.parametrize(
    ("measurement", "variant"),
    # Those by answers write the socket as fast as they can, which nobody reads here.
    [case for case in CASES if case[1] not in SELF_MEASUREMENTS[case[0]].by_answers],
)
def test_stop_ends_it_at_any_time(agent, measurement, variant):
    words = words_of(measurement, variant) | {"count": "4000000000", "pin": "0"}
    agent.link.arm(ArmOptions(measurement, 10, 0, words))
    assert not agent.link.ended(1)
    end = agent.link.stop()
    assert end.records + end.dropped == end.handled * SELF_MEASUREMENTS[measurement].records(words)
    assert agent.link.stop().handled == end.handled


@pytest.mark.parametrize(
    ("measurement", "words", "part"),
    [
        ("task_switch", {}, "needs count"),
        ("timer", {"count": "3"}, "needs period_ns"),
        ("task_switch", {"count": "3", "variant": "pipe"}, "no variant pipe; valid: yield mutex"),
        ("services", {"count": "3", "tasks": "4"}, "tasks is not for services"),
        ("task_switch", {"count": "3", "cpu": "4095"}, "no tasks on that cpu"),
    ],
)
def test_what_cannot_be_is_refused_in_words(agent, measurement, words, part):
    with pytest.raises(BenchError, match=part):
        agent.link.arm(ArmOptions(measurement, 10, 0, words))


def test_the_greeting_tells_all_that_this_host_knows(agent):
    told = agent.link.greeting["measurements"].split(",")
    assert set(SELF_MEASUREMENTS) <= set(told)


def test_nothing_armed_is_refused(agent):
    agent.link.stop()
    with pytest.raises(BenchError, match="not armed"):
        agent.link.ended(1)


def test_the_plans_are_those_of_the_measurements():
    folder = Path(__file__).parents[2] / "rig" / "plans"
    assert {name.replace("_", "-") for name in SELF_MEASUREMENTS} <= {
        path.stem for path in folder.iterdir()
    }


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("rr", os.SCHED_RR), ("fifo", os.SCHED_FIFO), ("other", os.SCHED_OTHER)],
)
def test_tasks_are_scheduled_by_the_policy_that_was_asked_for(agent, policy, expected):
    priority = "0" if policy == "other" else "3"
    words = words_of("timer", "absolute") | {"count": "4000000000", "policy": policy}
    try:
        agent.link.arm(ArmOptions("timer", 10, 0, {**words, "priority": priority}))
    except BenchError as error:
        if "not permitted" not in str(error):
            raise
        pytest.skip("no real-time priority is permitted here")
    tasks = (int(task.name) for task in Path(f"/proc/{agent.process}/task").iterdir())
    found = {
        (os.sched_getscheduler(task), os.sched_getparam(task).sched_priority) for task in tasks
    }
    summary = agent.link.stop()
    assert (expected, int(priority)) in found
    assert summary.policy == policy


def test_a_periodic_task_runs_by_deadlines(agent):
    """Where this machine lets it; the agent says in words why not."""
    words = {"policy": "deadline", "runtime_ns": "100000", "period_ns": "1000000"}
    refused = ""
    try:
        agent.link.arm(ArmOptions("period", 10, 0, words))
    except BenchError as error:
        refused = str(error)
    if refused:
        assert re.search("policy deadline: .*; (run as root|with several|the run times)", refused)
        pytest.skip(refused)
    tasks = [int(task.name) for task in Path(f"/proc/{agent.process}/task").iterdir()]
    found = [os.sched_getscheduler(task) for task in tasks]
    summary = agent.link.stop()
    assert SCHED_DEADLINE in found
    assert summary.policy == "deadline"
