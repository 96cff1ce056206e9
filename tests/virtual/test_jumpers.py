# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumpers, cores and samples of the virtual bench: they do what their keys say, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.fixture import parse_fixture
from rig.config.virtual.jumpers import Jumpers
from rig.config.virtual.sampling import Sampling
from rig.errors import InputError
from rig.resources import find_fixture
from rig.virtual.clock import PS_PER_S, VirtualClock
from rig.virtual.jumpers import JumperWires
from rig.virtual.sampling import UnevenSamples

edges = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 1)), max_size=40
).map(sorted)
borders = st.lists(st.integers(0, 10_000), max_size=5).map(sorted)


def in_stretches(through, given_edges, borders, end=20_000):
    """All that comes out, handed in stretch by stretch, and checked to be in time and order."""
    arrived, before = [], 0
    for until in [*borders, end]:
        stretch = [edge for edge in given_edges if before <= edge[0] < until]
        got = through(stretch, until)
        assert all(edge[0] < until for edge in got)
        arrived += got
        before = until
    assert [edge[0] for edge in arrived] == sorted(edge[0] for edge in arrived)
    return arrived


@given(edges, borders, st.sets(st.integers(0, 3)))
def test_fan_out_shows_the_stimulus_in_place_of_what_is_there(given_edges, cuts, channels):
    wires = JumperWires(Jumpers(fan_out=tuple(channels)), stimulus=0, response=1)
    arrived = in_stretches(wires.through, given_edges, cuts)
    stimulus = [(time, level) for time, channel, level in given_edges if channel == 0]
    for channel in range(4):
        shown = [(time, level) for time, each, level in arrived if each == channel]
        driven = [(time, level) for time, each, level in given_edges if each == channel]
        assert sorted(shown) == sorted(stimulus if channel in channels else driven)


@given(edges, borders, st.integers(0, 3000))
def test_loopback_brings_the_stimulus_back_late(given_edges, cuts, delay):
    jumpers = Jumpers(loopback=True, loopback_delay_ps=delay)
    wires = JumperWires(jumpers, stimulus=0, response=1)
    arrived = in_stretches(wires.through, given_edges, cuts)
    assert wires.loopback
    back = [(time, level) for time, channel, level in arrived if channel == 1]
    sent = [(time + delay, level) for time, channel, level in given_edges if channel == 0]
    assert sorted(back) == sorted(sent)


@given(edges, borders)
def test_a_tap_shows_what_the_near_channel_does(given_edges, cuts):
    wires = JumperWires(Jumpers(tap=(1, 3)), stimulus=0, response=1)
    arrived = in_stretches(wires.through, given_edges, cuts)
    near = [(time, level) for time, channel, level in arrived if channel == 1]
    assert [(t, level) for t, channel, level in arrived if channel == 3] == near


def test_a_pulse_a_second_of_true_time():
    wires = JumperWires(Jumpers(pps=7, pps_jitter_ps=1000), stimulus=0, response=1, seed=3)
    arrived = [e for stretch in range(1, 41) for e in wires.through([], stretch * PS_PER_S // 4)]
    rising = [time for time, channel, level in arrived if channel == 7 and level == 1]
    assert len(rising) == 10
    for number, time in enumerate(rising):
        assert abs(time - PS_PER_S // 3 - number * PS_PER_S) <= 1000
    assert len({time % PS_PER_S for time in rising}) > 1


class _Samples:
    """The clock of a capture: 24 MHz, a little fast."""

    clock = VirtualClock(24_000_000, 1234)

    def sample_at(self, time_ps):
        return self.clock.ticks_at_or_after(time_ps)

    def time_of(self, sample):
        return self.clock.time_ps(sample)


@given(
    st.lists(st.integers(0, 10**7), max_size=40, unique=True).map(sorted),
    st.integers(1, 8),
    st.integers(0, 20_000),
)
def test_an_edge_shows_at_the_sample_that_is_taken_next(times, repeat, early_ps):
    samples, clock = UnevenSamples(Sampling(repeat, early_ps)), _Samples()
    given_edges = [(time, 1, number % 2) for number, time in enumerate(times)]
    got = samples.through(given_edges, 10**8, clock)
    assert [level for _, _, level in got] == [level for _, _, level in given_edges]
    for (shown, _, _), time in zip(got, times, strict=True):
        # The truth, counted out: samples one by one, at their own times.
        sample = clock.sample_at(time)
        while True:
            taken = clock.time_of(sample) - (early_ps if sample % 2 else 0)
            if sample == clock.sample_at(time) and sample % 2 and early_ps and time > taken:
                sample += 1
                continue
            if sample % repeat == 0:
                break
            sample += 1
        assert shown >= time
        assert clock.sample_at(shown) == sample


def test_without_a_capture_edges_pass():
    samples = UnevenSamples(Sampling(repeat=4))
    assert samples.through([(5, 1, 1)], 10, None) == [(5, 1, 1)]


def fixture(tables):
    return parse_fixture(find_fixture("virtual").read_text() + tables, "f")


def test_the_tables():
    found = fixture(
        '[virtual.jumpers]\nfan_out = "D0 D2"\ntap = "D1 D5"\npps = "D7"\npps_jitter = "30 ns"\n'
        '[virtual.sampling]\nrepeat = 2\n[[virtual.core]]\n[[virtual.core]]\nahead = "2 us"\n'
    ).virtual
    assert found.jumpers == Jumpers(fan_out=(0, 2), tap=(1, 5), pps=7, pps_jitter_ps=30_000)
    assert found.sampling == Sampling(repeat=2)
    assert found.cores_ahead_ps == (0, 2_000_000)
    plain = fixture("").virtual
    assert (plain.jumpers, plain.sampling, plain.cores_ahead_ps) == (Jumpers(), Sampling(), (0,))


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ('[virtual.jumpers]\nfan_out = "D0 D0"\n', "fan_out: .* valid: different channels"),
        ('[virtual.jumpers]\ntap = "D1"\n', "tap: .* valid: two different channels"),
        ('[virtual.jumpers]\npps = "D14"\n', "pps: .* valid: D0 to D13"),
        ("[virtual.jumpers]\nwire = 1\n", "wire: unknown key"),
        ("[virtual.sampling]\nrepeat = 17\n", "repeat: .* valid: "),
        ('[[virtual.core]]\nbehind = "1 us"\n', "behind: unknown key"),
        ("[[virtual.core]]\n" * 65, "65 cores"),
    ],
)
def test_what_cannot_be_is_refused(tables, words):
    with pytest.raises(InputError, match=words):
        fixture(tables)


class Capture:
    """Samples of a clock, and the stretches that are left out of them."""

    def __init__(self, rate_hz: int, error_ppb: int) -> None:
        self._clock = VirtualClock(rate_hz, error_ppb)
        self.holes: list[tuple[int, int]] = []

    def sample_at(self, time_ps: int) -> int:
        return self._clock.ticks_at_or_after(time_ps)

    def time_of(self, sample: int) -> int:
        return self._clock.time_ps(sample)

    def leave_out(self, first_ps: int, end_ps: int) -> None:
        self.holes.append((first_ps, end_ps))


@given(
    rate_hz=st.integers(10_000, 10**8),
    error_ppb=st.integers(-50_000, 50_000),
    sustained_hz=st.integers(10_000, 10**8),
    stride_us=st.integers(100, 5000),
)
def test_what_is_too_much_for_the_analyzer_is_lost_and_no_more(
    rate_hz, error_ppb, sustained_hz, stride_us
):
    samples, capture = (
        UnevenSamples(Sampling(sustained_hz=sustained_hz)),
        Capture(rate_hz, error_ppb),
    )
    stretches = PS_PER_S // 2 // (stride_us * 10**6)
    end_ps = 0
    for number in range(stretches):
        before_ps, end_ps = end_ps, (number + 1) * stride_us * 10**6
        told = len(capture.holes)
        samples.through([], end_ps, capture)
        assert all(before_ps <= first_ps < end_ps for first_ps, _ in capture.holes[told:])
    lost_ps = sum(last_ps - first_ps for first_ps, last_ps in capture.holes)
    true_hz = rate_hz * (1 + error_ppb / 1e9)
    share = max(0.0, 1 - sustained_hz / true_hz)
    assert lost_ps / end_ps == pytest.approx(share, abs=0.1)
    assert bool(capture.holes) == (share * PS_PER_S / 50 >= 1)
    firsts = [first_ps for first_ps, _ in capture.holes]
    assert all(last <= first for (_, last), first in zip(capture.holes, firsts[1:], strict=False))


def test_clips_on_the_pin_itself_leave_out_the_wires_and_no_skew():
    delay = '[[virtual.delay]]\nchannel = "D1"\nline_rising = "95 ns"\nskew_rising = "12 ns"\n'
    delay += '[[virtual.delay]]\nchannel = "D5"\nline_falling = "7 ns"\n'
    text = find_fixture("virtual").read_text() + delay
    for jumpers, late_ps in (
        ("", {(1, 1): 107_000, (5, 0): 7000}),
        ('[virtual.jumpers]\nfan_out = "D0 D1"\n', {(1, 1): 107_000, (5, 0): 7000}),
        ('[virtual.jumpers]\nfan_out = "D0 D1"\ndirect = true\n', {(1, 1): 12_000, (5, 0): 7000}),
    ):
        virtual = parse_fixture(f"{text}{jumpers}", "x").virtual
        found = {(d.channel, level): d.delay_ps(level) for d in virtual.delays for level in (0, 1)}
        assert {key: ps for key, ps in found.items() if ps} == late_ps
