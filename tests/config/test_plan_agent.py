# SPDX-License-Identifier: GPL-3.0-or-later
"""The [agent] table: what each measurement may ask of the agent, and plans of periods."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.check import check
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.plan import load_plan, parse_plan
from rig.config.plan_agent import AGENT_KEYS
from rig.errors import InputError
from rig.resources import find_fixture, find_plan
from tests.chip import CHIP

PERIOD = """\
[plan]
name = "example"
measurement = "period"

[agent]
period = "500 us"
count = 20
timer = "itimer"
priority = 0
cpu = 1

[capture]
resolution = "50 ns"
glitch_filter = "200 ns"

[response]
timeout = "100 ms"

[limits]
max_interval_error = "50 us"
"""


def message_of(text: str) -> str:
    with pytest.raises(InputError) as error:
        parse_plan(text, "p.toml")
    return str(error.value)


def test_words_for_the_agent() -> None:
    plan = parse_plan(PERIOD, "p.toml")
    assert (plan.stimulus, plan.train(CHIP), plan.count) == (None, None, 20)
    assert plan.agent.wire_arguments() == {
        "timer": "itimer",
        "priority": "0",
        "cpu": "1",
        "period_ns": "500000",
        "count": "20",
    }
    assert plan.limits.interval_error_ns == 50_000
    assert load_plan("interrupt").agent.wire_arguments() == {}
    assert load_plan("interrupt-dispatch").agent.wire_arguments() == {"cpu": "0"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[agent]", "[agemt]", "p.toml:5: agemt: unknown table (did you mean agent?); valid: plan"),
        (
            'period = "500 us"\n',
            "",
            "p.toml:5: [agent] period: missing; valid: a time from 10 us to 100 s",
        ),
        ("count = 20\n", "", "p.toml:5: [agent] count: missing; valid: an integer from 1 to 4294"),
        ("count = 20", "count = 0", "p.toml:7: [agent] count: 0 is out of range; valid: an integ"),
        ("500 us", "9.9 us", 'p.toml:6: [agent] period: "9.9 us" is out of range; valid: a time'),
        (
            "500 us",
            "500.0001 us",
            "p.toml:6: [agent] period: not a whole number of nanoseconds; valid: whole nanoseconds",
        ),
        ("itimer", "itime", 'p.toml:8: [agent] timer: unknown timer "itime" (did you mean itim'),
        ("= 0", "= 100", "p.toml:9: [agent] priority: 100 is out of range; valid: an integer from"),
        (
            "cpu = 1",
            'handler = "hard"',
            "p.toml:10: [agent] handler: belongs to measurement interrupt, interrupt_to_task, "
            "interrupt_dispatch, interrupt_with_tasks, interrupt_to_task_with_tasks, saturation, "
            "not to period; valid: period, count, "
            "intervals, timer, priority, policy, runtime, cpu",
        ),
        (
            "[capture]",
            "[stimulus]\n[capture]",
            "p.toml:12: stimulus: the target is measured at periods of its own, and no pulses are "
            "sent; valid: no [stimulus] table",
        ),
        (
            "cpu = 1",
            "self_trigger = true",
            "p.toml:10: [agent] self_trigger: belongs to measurement interrupt, interrupt_to_task, "
            "not to period; valid: period, count, intervals, timer, priority, policy, "
            "runtime, cpu",
        ),
    ],
)
def test_one_line_says_where_what_and_what_is_valid(old: str, new: str, message: str) -> None:
    assert message_of(PERIOD.replace(old, new, 1)).startswith(message)


def test_a_train_takes_no_period() -> None:
    text = find_plan("interrupt").read_text() + 'max_interval_error = "1 us"\n'
    assert "[limits] max_interval_error: unknown key" in message_of(text)
    for line in ('period = "1 ms"', "count = 3"):
        text = f"{find_plan('interrupt').read_text()}\n[agent]\n{line}\n"
        assert "measurement interrupt has its pulses from [stimulus]; valid: with self_" in (
            message_of(text)
        )


def test_a_target_that_triggers_itself() -> None:
    plan = load_plan("interrupt-self")
    assert (plan.stimulus, plan.train(CHIP), plan.count) == (None, None, 1000)
    words = {"period_ns": "1001000", "count": "1000", "self_trigger": "1"}
    assert plan.agent.wire_arguments() == words
    changed = plan.with_overrides(count=7, period="2 ms")
    assert changed.agent.wire_arguments() == {**words, "period_ns": "2000000", "count": "7"}
    text = find_plan("interrupt-self").read_text()
    for old, new, message in (
        ("self_trigger = true", "self_trigger = 1", "self_trigger: not a truth value; valid: true"),
        (
            "self_trigger = true",
            "self_trigger = false",
            "period: measurement interrupt has its pul",
        ),
        ("count = 1000 ", "# ", "[agent] count: missing; valid: an integer from 1 to"),
        ("[agent]", "[stimulus]\n[agent]", "stimulus: the target triggers itself, and no pulses a"),
        (
            '"interrupt" ',
            '"interrupt_dispatch" ',
            "self_trigger: belongs to measurement interrupt, ",
        ),
    ):
        assert message in message_of(text.replace(old, new, 1))


def test_only_a_bench_whose_trigger_pin_is_wired_can_do_it() -> None:
    plan = load_plan("interrupt-self")
    for name in ("qemu-debian", "qemu-debian-rt", "parallel-port-fx2"):
        check(plan, load_fixture(name))
    unwired = find_fixture("qemu-debian").read_text().replace("self_trigger = true", "")
    for fixture in (load_fixture("virtual"), parse_fixture(unwired, "f.toml")):
        with pytest.raises(InputError) as error:
            check(plan, fixture)
        assert str(error.value) == (
            f"interrupt-self:13: [agent] self_trigger: fixture {fixture.name} wires no trigger pin "
            "to the interrupt line; valid: a fixture with self_trigger = true in [virtual.guest], "
            "such as qemu-debian"
        )


@given(st.sampled_from(sorted({*sum(AGENT_KEYS.values(), ())})), st.text(max_size=6))
def test_any_value_is_taken_or_told(key: str, value: str) -> None:
    text = PERIOD.replace("cpu = 1", f"{key} = {value}")
    try:
        parse_plan(text, "p.toml")
    except InputError as error:
        assert str(error).isprintable()  # noqa: PT017 - most texts are refused, not all


def test_overrides() -> None:
    plan = parse_plan(PERIOD, "p.toml").with_overrides(count=5, period="1 s", timer="timerfd")
    assert plan.agent.wire_arguments()["period_ns"] == "1000000000"
    assert (plan.count, plan.agent.timer) == (5, "timerfd")


def test_intervals_have_one_period_more() -> None:
    plan = parse_plan(PERIOD.replace("cpu = 1", "intervals = true"), "p.toml")
    assert (plan.count, plan.agent.wire_arguments()["count"]) == (21, "21")
    assert plan.with_overrides(count=250).count == 251


PASSES = find_plan("preemption-timer").read_text(encoding="utf-8")


def test_words_of_a_preemption_by_a_timer() -> None:
    assert parse_plan(PASSES, "p.toml").agent.wire_arguments() == {
        "variant": "timer", "pause_ns": "200000", "wait_ns": "50000", "timeout_ns": "1000000000",
        "priority": "80", "low_priority": "70", "count": "1000", "pin": "1",
    }  # fmt: skip
    assert parse_plan(PASSES.replace("failed = 0", ""), "p.toml").limits.others == {"failed": 0}
    assert parse_plan(PASSES.replace("failed = 0", 'failed = "any"'), "p.toml").limits.others == {}
    assert "failed" not in load_plan("preemption").limits.others


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("low_priority = 70", "low_priority = 80", "low_priority: not below the priority of 80"),
        ('pause = "200 us"', "", "pause: missing; valid: a time from 1 ns to 1 s"),
        ('wait = "50 us"', 'wait = "2 s"', 'wait: "2 s" is out of range'),
        ('wait = "50 us"', "batch = 10", "batch: belongs to measurement task_switch, not to preem"),
        ('wait = "50 us"', "warm_up = -1", "warm_up: -1 is out of range; valid: an integer from"),
    ],
)
def test_a_preemption_that_makes_no_sense_is_refused(old: str, new: str, message: str) -> None:
    assert message in message_of(PASSES.replace(old, new, 1))


def test_a_batch_has_no_busy_time() -> None:
    text = find_plan("task-switch").read_text().replace("[capture]", "batch = 9\n[capture]")
    assert parse_plan(text, "p.toml").agent.wire_arguments()["batch"] == "9"
    text = text.replace("batch = 9", 'batch = 9\nbusy = "1 us"')
    assert "busy: would be part of the mean of a batch; valid: either" in message_of(text)


def test_a_sleep_may_be_shorter_than_a_period() -> None:
    plan = load_plan("timer").with_overrides(period="5 us")
    assert plan.agent.wire_arguments()["period_ns"] == "5000"
    with pytest.raises(InputError, match="a time from 10 us"):
        load_plan("start-finish").with_overrides(period="5 us")


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("period", {"seed": 1}, "--seed: plan period has nothing that it could replace; valid: wi"),
        ("interrupt", {"period": "1 ms"}, "--period: plan interrupt has nothing that it could rep"),
        ("interrupt", {"timer": "itimer"}, "--timer: plan interrupt has nothing that it could rep"),
        ("interrupt-self", {"seed": 1}, "--seed: plan interrupt-self has nothing that it could "),
        ("interrupt-self", {"timer": "itimer"}, "--timer: plan interrupt-self has nothing that it"),
        ("period", {"count": 0}, "--count: 0 is out of range; valid: an integer from 1 to"),
        ("period", {"period": "1 h"}, '--period: "h" is not a unit of time; valid: a time from'),
        ("period", {"period": "1 us"}, "--period: '1 us' is not possible; valid: a time from 10'"),
    ],
)
def test_an_override_that_is_wrong_or_means_nothing(
    name: str, overrides: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError) as error:
        load_plan(name).with_overrides(**overrides)
    assert str(error.value).startswith(message.rstrip("'"))


def test_a_glitch_filter_must_not_swallow_periods() -> None:
    plan = parse_plan(PERIOD.replace("200 ns", "251 us"), "p.toml")
    with pytest.raises(InputError, match=r"p.toml:14: \[capture\] glitch_filter: 251 us may rem"):
        check(plan, load_fixture("virtual"))
    check(load_plan("period"), load_fixture("virtual"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('policy = "rr"\npriority = 0', 'rr does not go with priority 0; valid: "other"'),
        ('policy = "other"\npriority = 9', 'other does not go with priority 9; valid: "fifo" or'),
        ('policy = "edf"', 'unknown policy "edf"; valid: fifo, rr, other'),
    ],
)
def test_a_policy_has_to_go_with_the_priority(lines, message):
    text = find_plan("timer").read_text(encoding="utf-8").replace("priority = 80", lines)
    with pytest.raises(InputError, match=re.escape(message)):
        parse_plan(text, "plan.toml")


@pytest.mark.parametrize(
    ("plan", "old", "new", "message"),
    [
        ("period", "priority = 80", 'policy = "deadline"', "[agent] runtime: missing"),
        (
            "period",
            "priority = 80",
            'policy = "deadline"\nruntime = "1 s"',
            "is out of range; valid: a time from 1.024 us",
        ),
        (
            "period",
            "priority = 80",
            'priority = 80\nruntime = "1 ms"',
            'with policy = "deadline" only',
        ),
        (
            "period",
            "priority = 80",
            'priority = 80\npolicy = "deadline"',
            "does not go with priority",
        ),
        (
            "timer",
            "priority = 80",
            'policy = "deadline"',
            'unknown policy "deadline"; valid: fifo,',
        ),
        ("periodic-tasks-deadline", 'runtime = "12 ms"', "", "runtime: missing"),
        (
            "periodic-tasks-deadline",
            'runtime = "12 ms"',
            "priority = 4",
            "no task has one by policy",
        ),
        ("periodic-tasks-deadline", 'policy = "deadline"', "", 'with policy = "deadline" only'),
    ],
)
def test_a_policy_by_deadlines_has_a_run_time_and_no_priority(plan, old, new, message):
    text = find_plan(plan).read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(InputError, match=re.escape(message)):
        parse_plan(text.replace(old, new), "plan.toml")


def test_run_times_are_words_for_the_agent():
    text = find_plan("period").read_text(encoding="utf-8")
    text = text.replace("priority = 80", 'policy = "deadline"\nruntime = "100 us"')
    words = parse_plan(text, "plan.toml").agent.wire_arguments()
    assert (words["policy"], words["runtime_ns"]) == ("deadline", "100000")
    tasks = load_plan("periodic-tasks-deadline").agent.wire_arguments()
    assert tasks["periodic"] == "20000000:10000000:0:10800000,30000000:11000000:0:12000000"


def test_the_interrupts_place_is_of_measurements_that_have_one():
    text = find_plan("interrupt").read_text(encoding="utf-8")
    keys = "[agent]\ninterrupt_cpu = 1\ninterrupt_priority = 90\n[capture]"
    words = parse_plan(text.replace("[capture]", keys), "p").agent.wire_arguments()
    assert (words["interrupt_cpu"], words["interrupt_priority"]) == ("1", "90")
    text = find_plan("period").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="interrupt_cpu: belongs to measurement interrupt, "):
        parse_plan(text.replace("priority = 80", "interrupt_cpu = 1"), "p")


def test_a_load_has_processors_if_there_is_one():
    text = find_plan("interrupt").read_text(encoding="utf-8")
    placed = text.replace('scenario = "idle"', 'scenario = "cpu"\nload_cpus = "0,2-3"')
    assert parse_plan(placed, "p").load_cpus == "0,2-3"
    with pytest.raises(InputError, match='load_cpus: "0-" is not allowed; valid: processors such'):
        parse_plan(placed.replace("0,2-3", "0-"), "p")
    with pytest.raises(InputError, match="load_cpus: there is no load to place"):
        parse_plan(placed.replace('"cpu"', '"idle"'), "p")
