# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target's processor: its counter at other rates, and who may change them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.fixture import load_fixture, parse_fixture
from rig.config.virtual.bench import ConstantModel, FaultSettings, VirtualTarget
from rig.config.virtual.processor import CpuFrequency
from rig.errors import BenchError, InputError, RefusedError
from rig.instruments import ArmOptions
from rig.target.frequency import can_adjust, locked_frequency, read_state
from rig.target.link import AgentLink
from rig.virtual.agent import AgentServer
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.clock import Counter
from rig.virtual.frequency import FrequencyControl, counter_factor
from rig.virtual.target import ModelledTarget
from rig.virtual.truth import TruthLog

S = 10**12
SETTINGS = CpuFrequency()


def target_of(error_ppb=-12_000, drift=0):
    return VirtualTarget(
        ConstantModel(5 * 10**6),
        seed=1,
        toggle_time_ps=100_000,
        clock_hz=10**9,
        clock_error_ppb=error_ppb,
        clock_drift_ppb_per_s=drift,
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 100 * S), st.fractions(Fraction(1, 10), Fraction(2))), max_size=8
    ),
    st.integers(-50_000, 50_000),
)
def test_a_counter_goes_on_where_it_was_at_the_rate_it_was_given(changes, error_ppb):
    counter = Counter(target_of(error_ppb), 10**12)
    at_ps, ideal, factor = 0, Fraction(10**12), Fraction(1)
    rate = Fraction(10**9) * (10**9 + error_ppb) / 10**9
    for pause_ps, after in changes:
        ideal += rate * factor * pause_ps / S
        at_ps += pause_ps
        before = counter.clock.ticks(at_ps)
        assert counter.go_on(at_ps, after) is counter.clock
        assert counter.clock.ticks(at_ps) == before
        factor = after
    # A tick lost at each change, and the rate to a part in 10^9 for as long as it lasted.
    allowed = len(changes) + 1 + at_ps / S
    assert abs(counter.clock.ticks(at_ps) - ideal) <= allowed


def test_what_the_counter_makes_of_a_frequency():
    assert counter_factor(SETTINGS, 800_000) == 1
    slow = CpuFrequency(counter_error_ppb=2000)
    assert counter_factor(slow, 3_600_000) == 1
    assert counter_factor(slow, 2_200_000) - 1 == Fraction(1000, 10**9)
    assert counter_factor(slow, 800_000) - 1 == Fraction(2000, 10**9)
    assert counter_factor(CpuFrequency(counter_follows=True), 800_000) == Fraction(8, 36)
    fixed = CpuFrequency(800_000, 800_000, counter_error_ppb=2000)
    assert counter_factor(fixed, 800_000) == 1


@pytest.fixture
def target():
    with ModelledTarget(
        target_of(), FaultSettings(), AnswerWires(1, ()), TruthLog(None), (0, 0)
    ) as one:
        yield one


@pytest.fixture
def server(target):
    control = FrequencyControl(SETTINGS, 2, target.set_counter_rate)
    with AgentServer(target, 10**9, {}, control) as one:
        yield one


def connect(server):
    return AgentLink.open("127.0.0.1", server.port)


def test_it_is_held_for_one_measurement(server):
    with connect(server) as link:
        assert can_adjust(link)
        assert read_state(link, 1).levels_khz == (800_000, 2_200_000, 3_600_000)
        with locked_frequency(link, 0, 2_200_000) as state:
            assert state.current_khz == 2_200_000
            assert link.frequency("STATE cpu=1")["held_khz"] == "2200000"
        assert link.frequency("STATE cpu=0")["held_khz"] == "0"
        link.frequency("HOLD cpu=0 khz=800000")
        link.arm(ArmOptions("interrupt", 10))
        with pytest.raises(BenchError, match="armed"):
            link.frequency("RELEASE")
        link.stop()
        assert link.frequency("STATE cpu=0")["held_khz"] == "0"


def test_an_error_in_between_gives_it_back(server):
    with connect(server) as link:
        with pytest.raises(KeyError), locked_frequency(link, 0, 800_000):
            raise KeyError
        assert link.frequency("STATE cpu=0")["held_khz"] == "0"


@pytest.mark.parametrize("armed", [False, True])
def test_a_host_that_is_lost_holds_nothing(server, armed):
    with connect(server) as link:
        link.frequency("HOLD cpu=0 khz=800000")
        if armed:
            link.arm(ArmOptions("interrupt", 10))
    with connect(server) as link:
        assert link.frequency("STATE cpu=0")["held_khz"] == "0"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("HOLD cpu=0 khz=799999", "khz must be from 800000 to 3600000"),
        ("HOLD cpu=2 khz=800000", "cpu 2 has no cpufreq"),
        ("HOLD cpu=0", "FREQUENCY needs STATE"),
        ("STATE cpu=0 khz=1", "FREQUENCY needs STATE"),
        ("RELEASE cpu=0", "FREQUENCY needs STATE"),
        ("STATE cpu=x", "not a number"),
    ],
)
def test_what_makes_no_sense_is_refused(server, words, why):
    with connect(server) as link, pytest.raises(RefusedError, match=why):
        link.frequency(words)


BASE = load_fixture("virtual").text


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ('control = "some"', "valid: full, refused, none"),
        ('minimum = "4 GHz"', "4000000 kHz is the least, 3600000 kHz the most"),
        ('maximum = "3"', "valid:"),
        ("counter_error_ppb = 100_000_001", "valid:"),
        ("governor = 1", "governor"),
    ],
)
def test_bad_keys_are_named(keys, why):
    with pytest.raises(InputError, match=why):
        parse_fixture(f"{BASE}\n[virtual.frequency]\n{keys}\n", "test")


def test_keys_are_read():
    text = (
        '[virtual.frequency]\nminimum = "1 GHz"\nmaximum = "1.5 GHz"\ncontrol = "none"\n'
        "counter_follows = true\ncounter_error_ppb = -7\n"
    )
    found = parse_fixture(f"{BASE}\n{text}", "test").virtual
    assert found is not None
    assert found.frequency == CpuFrequency(1_000_000, 1_500_000, "none", True, -7)
    assert parse_fixture(BASE, "test").virtual.frequency == SETTINGS
