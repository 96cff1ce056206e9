# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: what a good one says, and the one line that every bad one gets."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.settings import Limits
from rig.config.plan import load_plan, parse_plan
from rig.config.plan_stimulus import pattern_keys
from rig.errors import InputError
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.resources import plan_names
from rig.stimulus.train import PATTERNS, Pattern, Polarity
from tests.chip import CHIP

PLAN = """\
[plan]
name = "example"
measurement = "interrupt"

[stimulus]
pattern = "uniform"
count = 100
seed = 7
pulse_width = "10 us"
polarity = "positive"
delay = "1 ms"
interval_min = "0.2 ms"
interval_max = "1.8 ms"

[capture]
resolution = "50 ns"
glitch_filter = "200 ns"

[response]
timeout = "100 ms"

[limits]
max_latency = "50 us"
"""
NONE = dict.fromkeys(("missed", "late", "merged", "duplicate", "spurious"), 0)


def message_of(text: str) -> str:
    with pytest.raises(InputError) as error:
        parse_plan(text, "p.toml")
    return str(error.value)


def test_a_plan_holds_picoseconds_and_its_own_text() -> None:
    plan = parse_plan(PLAN, "p.toml")
    assert (plan.name, plan.title, plan.scenario) == ("example", "", "idle")
    assert (plan.text, plan.source) == (PLAN, "p.toml")
    stimulus = plan.stimulus
    assert (stimulus.pattern, stimulus.polarity) == (Pattern.UNIFORM, Polarity.POSITIVE)
    assert (stimulus.count, stimulus.seed) == (100, 7)
    assert stimulus.times_ps == {
        "interval_min_ticks": 200_000_000,
        "interval_max_ticks": 1_800_000_000,
    }
    assert (stimulus.width_ps, stimulus.delay_ps) == (10_000_000, 1_000_000_000)
    assert (plan.capture.resolution_ps, plan.capture.glitch_filter_ps) == (50_000, 200_000)
    assert (plan.response.timeout_ps, plan.response.sequence_bits) == (100_000_000_000, 0)
    assert plan.limits == Limits(max_ns=50_000, **NONE)


def test_no_fault_is_allowed_unless_the_plan_says_so() -> None:
    lenient = PLAN + 'missed = 3\nlate = "any"\np99_latency = "20 us"\naverage_latency = "5 us"\n'
    assert parse_plan(lenient, "p.toml").limits == Limits(
        max_ns=50_000,
        p99_ns=20_000,
        average_ns=5_000,
        missed=3,
        late=None,
        merged=0,
        duplicate=0,
        spurious=0,
    )
    strict = PLAN[: PLAN.index("[limits]")]
    assert parse_plan(strict, "p.toml").limits == Limits(**NONE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'delay = "1 ms"',
            'dealy = "1 ms"',
            "p.toml:11: [stimulus] dealy: unknown key (did you mean delay?); valid: pattern, "
            "count, seed, pulse_width, polarity, delay, period, interval_min, interval_max, "
            "interval_mean, burst_count, burst_spacing, interval_start, interval_stop",
        ),
        (
            "[capture]",
            "[captrue]",
            "p.toml:15: captrue: unknown table (did you mean capture?); "
            "valid: plan, stimulus, search, agent, tools, capture, response, limits",
        ),
        (
            '[response]\ntimeout = "100 ms"\n',
            "",
            "p.toml: response: table missing; valid: a line [response]",
        ),
        (
            "[plan]\n",
            "count = 1\n[plan]\n",
            "p.toml:1: count: unknown key; "
            "valid: plan, stimulus, search, agent, tools, capture, response, limits",
        ),
        (
            "count = 100\n",
            "",
            "p.toml:5: [stimulus] count: missing; valid: an integer from 1 to 4294967295",
        ),
        (
            "count = 100",
            'count = "100"',
            'p.toml:7: [stimulus] count: "100" is a string; valid: an integer from 1 to 4294967295',
        ),
        (
            "count = 100",
            "count = 0",
            "p.toml:7: [stimulus] count: 0 is out of range; valid: an integer from 1 to 4294967295",
        ),
        (
            "seed = 7",
            "seed = 4294967296",
            "p.toml:8: [stimulus] seed: 4294967296 is out of range; "
            "valid: an integer from 0 to 4294967295",
        ),
        (
            '"10 us"',
            '"10 MHz"',
            'p.toml:9: [stimulus] pulse_width: "MHz" is not a unit of time; '
            'valid: a number and ps, ns, us, ms or s, such as "100 us"',
        ),
        (
            '"10 us"',
            "10",
            "p.toml:9: [stimulus] pulse_width: 10 is an integer; "
            'valid: a time from 1 ps to 60 s, such as "100 us"',
        ),
        (
            '"10 us"',
            '"61 s"',
            'p.toml:9: [stimulus] pulse_width: "61 s" is out of range; '
            'valid: a time from 1 ps to 60 s, such as "100 us"',
        ),
        (
            '"positive"',
            '"postive"',
            'p.toml:10: [stimulus] polarity: unknown polarity "postive" (did you mean positive?); '
            "valid: positive, negative",
        ),
        (
            '"uniform"',
            '"gauss"',
            'p.toml:6: [stimulus] pattern: unknown pattern "gauss"; '
            "valid: periodic, uniform, poisson, burst, ramp",
        ),
        (
            'interval_max = "1.8 ms"\n',
            "",
            "p.toml:5: [stimulus] interval_max: missing; "
            'valid: a time from 1 ps to 60 s, such as "100 us"',
        ),
        (
            'interval_max = "1.8 ms"\n',
            'interval_max = "1.8 ms"\nperiod = "1 ms"\n',
            "p.toml:14: [stimulus] period: belongs to pattern periodic, burst, not to uniform; "
            "valid: interval_min, interval_max",
        ),
        (
            'interval_max = "1.8 ms"',
            'interval_max = "0.1 ms"',
            "p.toml:13: [stimulus] interval_max: shorter than interval_min; "
            "valid: interval_min or longer",
        ),
        (
            '"interrupt"',
            '"interupt"',
            'p.toml:3: [plan] measurement: unknown measurement "interupt" '
            "(did you mean interrupt?); valid: interrupt, interrupt_to_task, "
            "interrupt_dispatch, period, task_switch, task_preemption, preemption, timer, "
            "clock_resolution, task_creation, services, priority_inversion, "
            "semaphore_shuffle, start_finish, periodic_tasks, interrupt_with_tasks, "
            "interrupt_to_task_with_tasks, period_search, smi, saturation",
        ),
        (
            '"example"',
            '"My Plan"',
            'p.toml:2: [plan] name: "My Plan" is not allowed; '
            'valid: lower-case letters, digits and hyphens, such as "interrupt-burst"',
        ),
        (
            'max_latency = "50 us"',
            'missed = "none"',
            'p.toml:23: [limits] missed: "none" is a string; '
            'valid: an integer from 0 to 4294967295, or "any"',
        ),
        (
            "seed = 7",
            "seed = ",
            "p.toml:8: not TOML: Invalid value at column 8; "
            'valid: [table], key = "text", key = 123, key = true, # comment',
        ),
    ],
)
def test_one_line_says_where_what_and_what_is_valid(old: str, new: str, message: str) -> None:
    assert old in PLAN
    assert message_of(PLAN.replace(old, new, 1)) == message


@pytest.mark.parametrize("pattern", pattern_keys())
def test_each_pattern_needs_its_own_keys_and_takes_no_others(pattern: str) -> None:
    start, stop = PLAN.index("pattern ="), PLAN.index("count =")
    text = f'{PLAN[:start]}pattern = "{pattern}"\n{PLAN[stop:]}'
    for key in pattern_keys()["uniform"]:
        text = re.sub(rf"{key} = .*\n", "", text)
    every = {key for keys in pattern_keys().values() for key in keys}
    lines = {key: f"{key} = 4\n" if key == "burst_count" else f'{key} = "1 ms"\n' for key in every}
    own = pattern_keys()[pattern]

    def with_keys(keys: set[str]) -> str:
        return text.replace("[capture]", "".join(lines[key] for key in keys) + "[capture]")

    assert PATTERNS[parse_plan(with_keys(set(own)), "p.toml").stimulus.pattern].name == pattern
    for key in own:
        assert f"[stimulus] {key}: missing" in message_of(with_keys(set(own) - {key}))
    for key in every - set(own):
        assert f"[stimulus] {key}: belongs to" in message_of(with_keys({*own, key}))


# --- built-in plans --------------------------------------------------------------------------


@pytest.mark.parametrize("name", plan_names())
def test_built_in_plans_are_named_as_their_files_and_make_a_train(name: str) -> None:
    plan = load_plan(name)
    assert (plan.name, plan.source) == (name, name)
    assert plan.title
    train = plan.train(CHIP)
    by_itself = plan.measurement in ("period", "saturation", *SELF_MEASUREMENTS)
    assert (train is None) == (by_itself or plan.agent.self_trigger)
    assert train is None or train.count == plan.stimulus.count
    assert plan.count >= 1000


def test_a_plan_is_found_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PLAN)
    assert load_plan(str(path)) == parse_plan(PLAN, str(path))


def test_soak_is_a_million_at_1_khz() -> None:
    train = load_plan("interrupt-soak").train(CHIP)
    assert train.count == 1_000_000
    assert train.mean_interval_ticks == 16_000


# --- conversions ---------------------------------------------------------------------------------


def test_train_is_the_plan_in_ticks() -> None:
    train = parse_plan(PLAN, "p.toml").train(CHIP)
    assert (train.pattern, train.count, train.seed) == (Pattern.UNIFORM, 100, 7)
    assert (train.interval_min_ticks, train.interval_max_ticks) == (3_200, 28_800)
    assert (train.width_ticks, train.delay_ticks) == (160, 16_000)
    assert (train.period_ticks, train.burst_count, train.ramp_start_ticks) == (0, 0, 0)


@pytest.mark.parametrize("name", [name for name in plan_names() if load_plan(name).stimulus])
def test_every_time_of_a_train_comes_from_the_key_of_its_name(name: str) -> None:
    plan = load_plan(name)
    train = plan.train(CHIP)
    stimulus = plan.stimulus
    own = {"delay_ticks": stimulus.delay_ps, "width_ticks": stimulus.width_ps}
    times_ps = own | dict(stimulus.times_ps)
    for field, value in vars(train).items():
        if field.endswith("_ticks"):
            assert value * 62_500 == times_ps.get(field, 0), field


@given(st.integers(0, 10**7), st.integers(10**3, 10**9), st.integers(1, 1000))
def test_glitch_filter_sets_aside_what_is_shorter_and_nothing_else(
    filter_ps: int, rate_hz: int, samples: int
) -> None:
    plan = parse_plan(PLAN, "p.toml")
    plan = replace(plan, capture=replace(plan.capture, glitch_filter_ps=filter_ps))
    is_shorter = samples * 10**12 < filter_ps * rate_hz
    assert (samples < plan.glitch_filter_samples(rate_hz)) == is_shorter


def test_overrides() -> None:
    plan = parse_plan(PLAN, "p.toml")
    other = plan.with_overrides(count=5, seed=0)
    assert (other.stimulus.count, other.stimulus.seed) == (5, 0)
    assert replace(other, stimulus=plan.stimulus, overrides={}) == plan
    assert plan.with_overrides() == plan
    with pytest.raises(InputError, match=r"^--count: 0 is out of range; valid: an integer from 1"):
        plan.with_overrides(count=0)
    with pytest.raises(InputError, match=r"^--seed: -1 is out of range; valid: an integer from 0"):
        plan.with_overrides(seed=-1)


# --- hostile text --------------------------------------------------------------------------------


def parse_or_one_line(text: str) -> None:
    """Any error but one printable line gets out and fails the test."""
    message = "p.toml: "
    try:
        parse_plan(text, "p.toml")
    except InputError as error:
        message = str(error)
    assert re.match(r"p\.toml(:[0-9]+)?: ", message)
    assert message.isprintable()


@given(st.integers(0, len(PLAN)), st.integers(0, 20), st.text(max_size=8))
def test_a_cut_or_a_paste_anywhere_is_taken_or_told(at: int, cut: int, paste: str) -> None:
    parse_or_one_line(PLAN[:at] + paste + PLAN[at + cut :])


_TOML_VALUES = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats().map(lambda value: str(value).replace("e+", "e")),
    st.sampled_from(
        ["true", "[]", "{}", "[[1]]", "1979-05-27", "'x'", '""', '"1 ms"', '"any"', "nan"]
    ),
    st.sampled_from(["{ a = { b = 1 } }", '[{ a = 1 }, "b"]', "0x1" + "0" * 900]),
)


@given(st.data(), _TOML_VALUES)
def test_any_value_for_any_key_is_taken_or_told(data: st.DataObject, value: str) -> None:
    lines = PLAN.splitlines()
    keys = [number for number, line in enumerate(lines) if "=" in line]
    number = data.draw(st.sampled_from(keys))
    lines[number] = f"{lines[number].partition('=')[0]}= {value}"
    parse_or_one_line("\n".join(lines))


@given(st.data())
def test_lines_in_any_order_are_taken_or_told(data: st.DataObject) -> None:
    parse_or_one_line("\n".join(data.draw(st.permutations(PLAN.splitlines()))))
