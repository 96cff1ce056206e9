# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fixture cannot do for a plan is told before any instrument is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.config.check import check
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.plan import load_plan, parse_plan
from rig.errors import InputError
from rig.resources import fixture_names, plan_names

PLAN = """\
[plan]
name = "example"
measurement = "interrupt"
[stimulus]
count = 100
seed = 7
polarity = "positive"
delay = "1 ms"
pulse_width = "10 us"
pattern = "uniform"
interval_min = "200 us"
interval_max = "1.8 ms"
[capture]
resolution = "50 ns"
glitch_filter = "200 ns"
[response]
timeout = "100 ms"
sequence_bits = 0
"""
UNIFORM = PLAN[PLAN.index("pattern") : PLAN.index("[capture]")]

FIXTURE = """\
[fixture]
name = "bench"
[analyzer]
driver = "fx2lafw"
sample_rate = "24 MHz"
channels = 8
[stimulus]
port = "/dev/ttyACM0"
chip = "atmega328p"
[target]
link = "tcp:localhost:7411"
[[wire]]
signal = "stimulus"
channel = "D0"
[[wire]]
signal = "response"
channel = "D1"
[[wire]]
signal = "sequence0"
channel = "D2"
"""


def run(plan_text: str, fixture_text: str, clock_hz: int = 16_000_000) -> None:
    fixture = parse_fixture(fixture_text, "f.toml")
    chip = replace(fixture.stimulus.chip, clock_hz=clock_hz)
    fixture = replace(fixture, stimulus=replace(fixture.stimulus, chip=chip))
    check(parse_plan(plan_text, "p.toml"), fixture)


_NOT_MODELLED = "interrupt-self"
"""A modelled target does not trigger itself."""


@pytest.mark.parametrize(
    ("plan", "fixture"),
    [
        (plan, fixture)
        for plan in plan_names()
        for fixture in fixture_names()
        if plan != _NOT_MODELLED or not fixture.startswith("virtual")
    ],
)
def test_every_built_in_plan_runs_on_every_built_in_fixture(plan: str, fixture: str) -> None:
    check(load_plan(plan), load_fixture(fixture))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"50 ns"',
            '"10 ns"',
            "p.toml:14: [capture] resolution: 10 ns asked, but fixture bench samples at 24 MHz, "
            "every 41.667 ns; valid: 41.667 ns or more, or a sample_rate of 100 MHz or more",
        ),
        (
            "sequence_bits = 0",
            "sequence_bits = 2",
            "p.toml:18: [response] sequence_bits: 2 asked, but fixture bench wires 1; "
            "valid: at most 1",
        ),
        (
            '"10 us"',
            '"9 us"',
            "p.toml:9: [stimulus] pulse_width: 9 us is out of the firmware's range; "
            "valid: 10 us to 2.0479375 ms",
        ),
        (
            '"10 us"',
            '"195 us"',
            "p.toml:9: [stimulus] pulse_width: 195 us leaves less than 10 us of rest in the "
            "shortest interval, 200 us; valid: at most 190 us",
        ),
        (
            '"200 us"',
            '"40 us"',
            "p.toml:11: [stimulus] interval_min: 40 us is out of the firmware's range; "
            "valid: 80 us to 10 s",
        ),
        (
            '"1.8 ms"',
            '"11 s"',
            "p.toml:12: [stimulus] interval_max: 11 s is out of the firmware's range; "
            "valid: 80 us to 10 s",
        ),
        (
            '"1 ms"',
            '"1 us"',
            "p.toml:8: [stimulus] delay: 1 us is out of the firmware's range; "
            "valid: 100 us to 10 s",
        ),
        (
            UNIFORM,
            'pattern = "burst"\nburst_count = 4\nburst_spacing = "50 us"\nperiod = "160 us"\n',
            "p.toml:13: [stimulus] period: 160 us is too short for 4 pulses 50 us apart; "
            "valid: at least 170 us",
        ),
        (
            UNIFORM,
            'pattern = "ramp"\ninterval_start = "1 ms"\ninterval_stop = "20 us"\n',
            "p.toml:12: [stimulus] interval_stop: 20 us is out of the firmware's range; "
            "valid: 100 us to 1 s",
        ),
        (
            '"200 ns"',
            '"41.667 ns"',
            "p.toml:15: [capture] glitch_filter: 41.667 ns is no more than one sample and removes "
            'nothing; valid: "0 ns" for none, or 41.668 ns to 5 us',
        ),
        (
            '"200 ns"',
            '"5.000001 us"',
            "p.toml:15: [capture] glitch_filter: 5.000001 us may remove stimulus edges: the "
            'shortest pulse or rest is 10 us; valid: "0 ns" for none, or 41.668 ns to 5 us',
        ),
    ],
)
def test_the_line_of_the_plan_that_asks_too_much(old: str, new: str, message: str) -> None:
    run(PLAN, FIXTURE)
    assert old in PLAN
    with pytest.raises(InputError) as error:
        run(PLAN.replace(old, new, 1), FIXTURE)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"200 ns"', '"0 ns"'),
        ('"200 ns"', '"41.668 ns"'),
        ('"200 ns"', '"5 us"'),
        ('"50 ns"', '"41.667 ns"'),
        ('"10 us"', '"190 us"'),
        ('"200 us"', '"80 us"'),
        ("sequence_bits = 0", "sequence_bits = 1"),
        (
            UNIFORM,
            'pattern = "burst"\nburst_count = 4\nburst_spacing = "50 us"\nperiod = "170 us"\n',
        ),
    ],
)
def test_what_an_error_calls_valid_is_valid(old: str, new: str) -> None:
    assert old in PLAN
    run(PLAN.replace(old, new, 1), FIXTURE)


@pytest.mark.parametrize("signal", ["stimulus", "response"])
def test_a_missing_wire_is_the_fixtures_fault(signal: str) -> None:
    start = FIXTURE.index(f'[[wire]]\nsignal = "{signal}"')
    stop = FIXTURE.index("[[wire]]", start + 1)
    with pytest.raises(InputError) as error:
        run(PLAN, FIXTURE[:start] + FIXTURE[stop:])
    assert str(error.value) == (
        f"f.toml:13: [[wire]] signal: no wire carries {signal}, which plan example needs; "
        f'valid: a [[wire]] with signal = "{signal}"'
    )


def test_a_pulse_must_outlast_two_samples() -> None:
    plan = PLAN.replace('"50 ns"', '"20 us"').replace('"200 ns"', '"0 ns"')
    run(plan, FIXTURE.replace("24 MHz", "200 kHz"))
    with pytest.raises(InputError) as error:
        run(plan, FIXTURE.replace("24 MHz", "199 kHz"))
    assert str(error.value) == (
        "p.toml:9: [stimulus] pulse_width: the shortest pulse or rest, 10 us, is under two "
        "samples; valid: 10.050252 us or more, or a higher sample_rate"
    )


def test_the_clock_asked_for_counts() -> None:
    run(PLAN, FIXTURE, 20_000_000)
    with pytest.raises(InputError, match=r"pulse_width: 10 us is out of .* valid: 20 us to 4.09"):
        run(PLAN, FIXTURE, 8_000_000)
