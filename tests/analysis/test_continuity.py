# SPDX-License-Identifier: GPL-3.0-or-later
"""Silent holes are found with their place and length; what is no hole is taken for none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.train.continuity import LOST_EDGES, Alignment, Continuity, Gap
from rig.analysis.train.planned import PlannedEdges
from rig.analysis.train.relative_rate import smallest_step_samples
from rig.analysis.train.resync import UNEXPLAINED_EDGES
from rig.stimulus.train import PATTERNS, Pattern
from tests.analysis.stimulus_line import Bench, Received, train_of
from tests.chip import CLOCK_HZ
from tests.stimulus.train_strategies import trains

SEEDS = range(20)
RATES_HZ = (24_000_000, 100_000_000)
COUNT = 1_500
SETTLED = 300
"""From this stimulus on the clocks have been compared for long enough."""


def bench(pattern: str, rate_hz: int, seed: int, count: int = COUNT) -> Bench:
    return Bench(train_of(pattern, count, seed), rate_hz, np.random.default_rng([seed, rate_hz]))


def follow(here: Bench, got: Received, sent: int | None, parts: int = 7) -> Alignment:
    continuity = Continuity(here.train, here.sample_rate_hz, CLOCK_HZ, sent)
    for stretch in np.array_split(got.edges, parts):
        continuity.feed(stretch)
    return continuity.finish(got.end_sample)


def check_numbers(alignment: Alignment, got: Received, unknown_max: int) -> None:
    """No edge is taken for another planned one, and hardly any for none."""
    number = alignment.planned_numbers(0, len(got.edges))
    real = got.planned >= 0
    known = number >= 0
    assert (number == got.planned)[real & known].all()
    assert np.count_nonzero(real & ~known) <= unknown_max


def check_gaps(gaps: tuple[Gap, ...], got: Received, lengths: list[int]) -> None:
    assert len(gaps) == len(lengths), gaps
    for gap, place, length in zip(gaps, got.places, lengths, strict=True):
        assert gap.first_sample <= place <= gap.last_sample, (gap, place)
        assert gap.missing_samples is not None
        assert abs(gap.missing_samples - length) <= gap.tolerance_samples, (gap, length)
        assert gap.tolerance_samples < 30
        assert gap.placed


def sure_length(here: Bench) -> int:
    longest_ns = int(np.diff(here.edges).max() / here.sample_rate_hz * 1e9) + 1
    return smallest_step_samples(here.sample_rate_hz, CLOCK_HZ, longest_ns)


def swallowed(got: Received, count: int) -> int:
    return count - len(got.edges)


# --- nothing is missing --------------------------------------------------------------------------


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_false_alarm(pattern, rate_hz, seed):
    here = bench(pattern, rate_hz, seed)
    here.be_late(0.02, 1_000)
    here.lose_on_the_wire(0.01)
    got = here.receive([])
    alignment = follow(here, got, COUNT)
    assert alignment.gaps == ()
    check_numbers(alignment, got, unknown_max=4)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_many_late_edges_and_a_loose_wire(pattern):
    """Up to a tenth of each, and a second without any edge."""
    here = bench(pattern, RATES_HZ[0], 99)
    here.be_late(0.1, 300)
    here.lose_on_the_wire(0.1)
    off = (here.planned > 700) & (here.planned < 1_000)
    here.edges, here.planned = here.edges[~off], here.planned[~off]
    assert follow(here, here.receive([]), COUNT).gaps == ()


@settings(max_examples=100)
@given(trains(), st.sampled_from([10**6, 24 * 10**6, 10**9]), st.integers(-9_000, 9_000), st.data())
def test_any_train_any_rate_without_a_hole(train, rate_hz, error_ppm, data):
    """A constant rate; fed in any pieces; numbers and lengths are those of the plan."""
    plan = train.edges(0, train.count)
    rate = rate_hz * (10**6 + error_ppm)
    edges = np.array([1_000 - -tick * rate // (CLOCK_HZ * 10**6) for tick in plan.tolist()])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(edges)), max_size=5)))
    continuity = Continuity(train, rate_hz, CLOCK_HZ, data.draw(st.sampled_from([None, len(plan)])))
    for low, high in pairwise([0, *cuts, len(edges)]):
        continuity.feed(edges[low:high])
    alignment = continuity.finish(int(edges[-1]) + rate_hz)
    assert alignment.gaps == ()
    assert np.array_equal(alignment.planned_numbers(0, len(edges)), np.arange(len(edges)))
    assert alignment.span_samples == edges[-1] - edges[0]
    assert alignment.span_ticks == plan[-1] - plan[0]


# --- holes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_hole_is_found(pattern, rate_hz, seed):
    """From the shortest that must be found to five intervals, anywhere between two stimuli."""
    here = bench(pattern, rate_hz, 1_000 + seed)
    interval = np.diff(here.edges)
    most = 5 * interval.mean()
    if here.train.repeats_after(5):  # whole periods cannot be told: see below
        most = 0.98 * here.train.period_ticks * rate_hz / CLOCK_HZ
    after = np.linspace(SETTLED, COUNT - 50, 8).astype(int)
    begin = here.edges[after] + here.chance.random(8) * interval[after]
    length = np.exp(here.chance.uniform(np.log(sure_length(here)), np.log(most), 8))
    got = here.receive(list(zip(begin.astype(int).tolist(), length.astype(int), strict=True)))
    alignment = follow(here, got, COUNT)
    check_gaps(alignment.gaps, got, length.astype(int).tolist())
    assert sum(gap.swallowed for gap in alignment.gaps) == swallowed(got, COUNT)
    check_numbers(alignment, got, unknown_max=8)


@pytest.mark.parametrize(("rate_hz", "samples"), [(24_000_000, 4), (100_000_000, 9)])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_shortest_hole_at_a_kilohertz(pattern, rate_hz, samples):
    """The figures that the documents state."""
    assert smallest_step_samples(rate_hz, CLOCK_HZ, 1_000_000) == samples
    for seed in SEEDS:
        here = bench(pattern, rate_hz, 2_000 + seed, 600)
        if np.diff(here.edges)[500] > 1.05e-3 * rate_hz:
            continue
        got = here.receive([(int(here.edges[500]) + 1_000, samples)])
        check_gaps(follow(here, got, 600).gaps, got, [samples])


@pytest.mark.parametrize("pattern", [Pattern.UNIFORM, Pattern.POISSON])
def test_a_hole_that_swallows_thousands(pattern):
    here = bench(pattern, RATES_HZ[0], 5, 12_000)
    first = int(here.edges[4_000]) + 50
    length = int(here.edges[11_000]) - 70 - first
    got = here.receive([(first, length)])
    (gap,) = follow(here, got, 12_000).gaps
    assert gap.first_sample < got.places[0] < gap.last_sample
    assert gap.swallowed == swallowed(got, 12_000) == 6_999
    # The rate may have drifted meanwhile: the tolerance says so.
    assert abs(gap.missing_samples - length) <= gap.tolerance_samples < 2e-4 * length


@pytest.mark.parametrize("pattern", PATTERNS)
def test_holes_one_after_another(pattern):
    """Those that share an interval, or lie in two next to each other, may be told as one."""
    here = bench(pattern, RATES_HZ[0], 6)
    first = here.edges[[400, 400, 401, 600, 603, 900]] + [500, 1_500, 500, 700, 600, 100]
    lengths = [200, 300, 400, 100, 250, 90]
    got = here.receive(list(zip(first.astype(int).tolist(), lengths, strict=True)))
    gaps = follow(here, got, COUNT).gaps
    covered = [
        sum(n for place, n in zip(got.places, lengths, strict=True) if low < place <= high)
        for low, high in ((gap.first_sample, gap.last_sample) for gap in gaps)
    ]
    assert sum(covered) == sum(lengths)
    for gap, length in zip(gaps, covered, strict=True):
        assert abs(gap.missing_samples - length) <= gap.tolerance_samples + 1
    assert len(gaps) >= 4


def test_late_edges_beside_a_hole():
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 7)
    here.edges[[398, 401, 404]] += [900, 1_700, 400]
    got = here.receive([(int(here.edges[400]) + 2_000, 333)])
    (gap,) = follow(here, got, COUNT).gaps
    assert gap.first_sample <= got.places[0] <= gap.last_sample
    assert abs(gap.missing_samples - 333) <= gap.tolerance_samples


def test_every_other_edge_late():
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 18)
    here.edges[400:420:2] += here.chance.integers(50, 3_000, 10)
    got = here.receive([])
    alignment = follow(here, got, COUNT)
    assert alignment.gaps == ()
    check_numbers(alignment, got, unknown_max=0)


def test_a_hole_of_nearly_an_interval():
    """The first edge behind it comes when the one it swallowed was due, and is taken for that."""
    here = bench(Pattern.RAMP, RATES_HZ[0], 19)
    due, first_behind = here.edges[500:502].astype(int).tolist()
    got = here.receive([(due - 500, first_behind - due)])
    alignment = follow(here, got, COUNT)
    check_gaps(alignment.gaps, got, [first_behind - due])
    assert alignment.gaps[0].swallowed == 1
    check_numbers(alignment, got, unknown_max=1)


def test_without_the_count_of_a_run_that_was_killed():
    here = bench(Pattern.POISSON, RATES_HZ[0], 8)
    got = here.receive([(int(here.edges[500]) + 9, 24_013)])
    short = Received(got.edges[:800], got.planned[:800], got.places, int(got.edges[799]) + 10**6)
    alignment = follow(here, short, None)
    check_gaps(alignment.gaps, short, [24_013])
    check_numbers(alignment, short, 1)


# --- what cannot be known ------------------------------------------------------------------------


@pytest.mark.parametrize("periods", [1, 3])
def test_whole_periods_are_missed_by_the_count_alone(periods):
    here = bench(Pattern.PERIODIC, RATES_HZ[0], 9)
    here.edges = 1_000.0 + here.train.edges(0, COUNT) * 1.5
    got = here.receive([(int(here.edges[500]) + 900, periods * 24_000)])
    alignment = follow(here, got, COUNT)
    assert alignment.gaps == (Gap(0, got.end_sample, periods * 24_000, 0, periods, placed=False),)
    assert (alignment.planned_numbers(0, len(got.edges)) == -1).all()
    assert follow(here, got, None).gaps == ()


def test_the_count_lengthens_the_only_hole_of_a_periodic_train():
    here = bench(Pattern.PERIODIC, RATES_HZ[0], 10)
    here.edges = 1_000.0 + here.train.edges(0, COUNT) * 1.5
    got = here.receive([(int(here.edges[500]) + 900, 60_000)])
    alignment = follow(here, got, COUNT)
    check_gaps(alignment.gaps, got, [60_000])
    check_numbers(alignment, got, 0)
    two = here.receive([(int(here.edges[500]) + 900, 60_000), (int(here.edges[800]) + 900, 60_000)])
    gaps = follow(here, two, COUNT).gaps
    assert [(gap.missing_samples, gap.swallowed, gap.placed) for gap in gaps] == [
        (4 * 24_000, 4, False),
        (12_000, 0, True),
        (12_000, 0, True),
    ]


def test_the_last_stimuli_are_missing():
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 11)
    first = int(here.edges[-3]) - 10
    got = here.receive([(first, int(here.edges[-1]) + 500 - first)])
    (gap,) = follow(here, got, COUNT).gaps
    assert (gap.swallowed, gap.missing_samples) == (3, None)
    assert gap.first_sample == got.edges[-1] < got.places[0] < gap.last_sample
    # A capture that ended before them has nothing to be blamed for.
    ended = Received(got.edges, got.planned, [], int(got.edges[-1]) + 100)
    assert follow(here, ended, COUNT).gaps == ()


def test_only_the_last_stimulus_is_behind_the_hole():
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 12)
    first = int(here.edges[-4]) + 3_000
    length = int(here.edges[-1]) - 2_000 - first
    got = here.receive([(first, length)])
    alignment = follow(here, got, COUNT)
    check_gaps(alignment.gaps, got, [length])
    assert alignment.gaps[0].swallowed == 2
    check_numbers(alignment, got, 0)


def test_the_first_stimuli_are_missing():
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 13)
    got = here.receive([(100, int(here.edges[2]) + 1_000)])
    alignment = follow(here, got, COUNT)
    assert alignment.gaps == (Gap(0, int(got.edges[0]), None, 0, 3),)
    check_numbers(alignment, got, 0)


def test_samples_too_many():
    """A stretch that came twice, or a stimulus that stood still: told too, as what it is."""
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 14)
    here.edges[800:] += 5_000
    (gap,) = follow(here, here.receive([]), COUNT).gaps
    assert abs(gap.missing_samples + 5_000) <= gap.tolerance_samples


@pytest.mark.parametrize("count", [50, LOST_EDGES + 500])
def test_edges_that_follow_no_plan(count):
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 15, count)
    noise = np.cumsum(np.random.default_rng(1).integers(9_000, 60_000, count))
    got = Received(noise, np.full(count, -1), [], int(noise[-1]) + 10**6)
    (gap,) = follow(here, got, count).gaps
    assert (gap.first_sample, gap.missing_samples) == (noise[0], None)
    # And from the middle on.
    good = np.ceil(here.edges[:40]).astype(np.int64)
    noise += good[-1]
    mixed = Received(np.concatenate([good, noise]), noise, [], int(noise[-1]) + 10**6)
    gaps = follow(here, mixed, None).gaps
    assert gaps[0].first_sample >= good[-1]
    assert gaps[-1].last_sample >= noise[-UNEXPLAINED_EDGES]


@settings(max_examples=200)
@given(
    trains(),
    st.lists(st.integers(0, 100_000) | st.sampled_from([0, 480, 1_920]), max_size=60),
    st.sampled_from([None, 0, 1, 20, 60, 2**40]),
    st.integers(1, 5),
    st.sampled_from([1_000, *RATES_HZ]),
)
def test_any_edges_at_all_come_to_an_end(train, intervals, sent, parts, rate_hz):
    """A foreign or damaged file: ranges stay in order and in the capture, numbers rise."""
    edges = np.cumsum(np.array(intervals, np.int64))
    end = int(edges[-1]) + 1_000 if len(edges) else 1_000
    continuity = Continuity(train, rate_hz, CLOCK_HZ, sent)
    for stretch in np.array_split(edges, parts):
        continuity.feed(stretch)
    alignment = continuity.finish(end)
    for gap in alignment.gaps:
        assert 0 <= gap.first_sample <= gap.last_sample <= end
        assert gap.swallowed >= 0
    number = alignment.planned_numbers(0, len(edges))
    assert (np.diff(number[number >= 0]) > 0).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_next_to_no_edges_say_nothing(count):
    here = bench(Pattern.UNIFORM, RATES_HZ[0], 16)
    edges = np.ceil(here.edges[:count]).astype(np.int64)
    for sent in (count, COUNT, None):
        got = Received(edges, np.arange(count), [], 10**9)
        alignment = follow(here, got, sent)
        assert alignment.gaps == ()
        expected = np.arange(count) if sent != COUNT else np.full(count, -1)
        assert alignment.planned_numbers(0, count).tolist() == expected.tolist()


# --- its parts -----------------------------------------------------------------------------------


@settings(max_examples=50)
@given(trains(), st.data())
def test_planned_edges_are_the_trains(train, data):
    plan, first = PlannedEdges(train), 0
    for _ in range(4):
        first = data.draw(st.integers(first, train.count))
        stop = data.draw(st.integers(first, train.count + 10))
        plan.forget(first)
        expected = train.edges(first, min(stop, train.count)) if stop > first else []
        assert plan.ticks(first, stop).tolist() == list(expected)


def test_memory_is_what_is_found():
    """A long train leaves nothing behind."""
    here = bench(Pattern.POISSON, RATES_HZ[0], 17, 200_000)
    continuity = Continuity(here.train, here.sample_rate_hz, CLOCK_HZ, 200_000)
    for stretch in np.array_split(here.receive([]).edges, 200):
        continuity.feed(stretch)
        assert len(continuity._pending) <= 64
        assert len(continuity._plan._ticks) <= 20_000
    assert continuity.finish(10**12).gaps == ()
