# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows in C and in Python against each other and against the analysis of the finished capture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from rig.analysis.model.events import EventClass
from rig.analysis.model.wiring import Wiring
from rig.capture import native
from rig.capture.edges import PackedBlock
from rig.instruments import EdgeBlock
from rig.streaming.flow import Flow, implementations
from rig.streaming.histogram import Extreme, bin_of
from rig.streaming.outcome import NOTABLE_MAX, Doubts, EventReason, Notable
from tests.streaming.captures import (
    PINS,
    RATE_HZ,
    Capture,
    analyzed,
    block_of,
    capture_of,
    captures,
    cuts,
    fed,
    packed,
    said,
    targets,
    wirings,
)

FOREVER = 1 << 50
WIRING = Wiring(stimulus=1, response=2)
glitches = st.sampled_from([0, 0, 1, 3, 6, 12, 60])

both = pytest.mark.parametrize("implementation", ["native", "python"])


@both
@settings(max_examples=300)
@given(capture=captures, wiring=wirings, glitch=glitches, cuts=cuts)
def test_with_the_whole_run_in_view_it_is_the_analysis(
    implementation: str, capture: Capture, wiring: Wiring, glitch: int, cuts: list[int]
) -> None:
    flow = Flow(wiring, RATE_HZ, glitch, FOREVER, 25, implementation)
    fed(flow, capture.blocks(cuts)).finish()
    truth = analyzed(capture, wiring, glitch)
    assert flow.counts() == truth.counts
    assert flow.glitches() == truth.glitches
    histogram = flow.histogram()
    expected = np.bincount(bin_of(np.array(truth.delays, np.int64)), minlength=7296)
    assert histogram.counts.tolist() == expected.tolist()
    assert histogram.total == sum(truth.delays)
    assert histogram.n == len(truth.delays)
    served = [Extreme(r - s, number, s) for number, s, r, _ in truth.events if r >= 0]
    assert flow.maximum == max(served, key=lambda e: e.latency_samples, default=None)
    assert flow.minimum == min(served, key=lambda e: e.latency_samples, default=None)
    assert flow.over_limit == sum(delay > 25 for delay in truth.delays)
    doubts = flow.doubts()
    assert doubts == Doubts()
    assert (flow.samples, flow.stimuli) == (capture.end, truth.counts.n)


@settings(max_examples=400)
@given(
    capture=captures,
    wiring=wirings,
    glitch=glitches,
    horizon=st.sampled_from([0, 1, 30, 100, 300, FOREVER]),
    limit=st.sampled_from([None, 0, 20]),
    capacity=st.sampled_from([1, 2, 4, 16, 1 << 16]),
    splits=st.tuples(cuts, cuts),
)
def test_neither_implementation_nor_split_matters(
    capture: Capture,
    wiring: Wiring,
    glitch: int,
    horizon: int,
    limit: int | None,
    capacity: int,
    splits: tuple[list[int], list[int]],
) -> None:
    """Also where a flow must decide too early; and so far, not only in the end."""
    flows = [
        Flow(wiring, RATE_HZ, glitch, horizon, limit, name, capacity)
        for name in ("native", "native", "python")
    ]
    for flow, split in zip(flows, (*splits, splits[1]), strict=True):
        fed(flow, capture.blocks(split))
    so_far = [said(flow) for flow in flows]
    assert so_far[0] == so_far[2]
    assert so_far[1] == so_far[2]
    for flow in flows:
        flow.finish()
    in_the_end = [said(flow) for flow in flows]
    assert in_the_end[0] == in_the_end[2]
    assert in_the_end[1] == in_the_end[2]
    doubts = flows[0].doubts()
    event(f"doubts: {[bool(n) for n in (doubts.expired, doubts.forced, doubts.contradicted)]}")


@settings(max_examples=200)
@given(
    capture=captures,
    wiring=wirings,
    glitch=glitches,
    horizon=st.sampled_from([0, 30, 100]),
    capacity=st.sampled_from([1, 2, 8, 1 << 16]),
)
def test_whatever_is_decided_nothing_is_lost(
    capture: Capture, wiring: Wiring, glitch: int, horizon: int, capacity: int
) -> None:
    """Every stimulus has one class and every answer one use; latencies are never negative."""
    flow = Flow(wiring, RATE_HZ, glitch, horizon, None, None, capacity)
    fed(flow, capture.blocks([])).finish()
    counts, truth = flow.counts(), analyzed(capture, wiring, glitch)
    kinds = (counts.answered, counts.late, counts.missed, counts.merged, counts.ambiguous)
    assert counts.n == sum(kinds) == truth.counts.n
    assert min(kinds) >= 0
    used = counts.answered + counts.late + counts.duplicate + counts.spurious
    assert used <= flow.answers
    assert used == flow.answers or counts.ambiguous
    assert flow.histogram().n == counts.n - counts.missed
    assert flow.glitches() == truth.glitches


@settings(max_examples=200)
@given(capture=targets(), horizon=st.integers(0, 500), cut=st.integers(1, 3000))
def test_a_stimulus_is_decided_within_the_horizon(capture: Capture, horizon: int, cut: int) -> None:
    """Counted from what the analyzer has shown, less what the pins take to settle."""
    flow = Flow(Wiring(1, 2, PINS), RATE_HZ, 0, horizon)
    first = capture.blocks([cut])[0]
    fed(flow, [first])
    rising = first.index[(first.channel == 1) & (first.level == 1)]
    assert flow.counts().n >= np.count_nonzero(rising < first.end_sample - 4 - horizon)


def pulses(stimuli: list[int], answers: list[int], end: int) -> EdgeBlock:
    """Stimuli on channel 1, one sample long; every edge of channel 2 is an answer."""
    toggles = [(s + i, 1) for s in stimuli for i in (0, 1)] + [(a, 2) for a in answers]
    capture = capture_of(0, end, toggles, 0)
    return block_of(0, end, capture.edges, 0)


@both
def test_notable_events_tell_what_happened(implementation: str) -> None:
    """By order: the fourth is never answered, which the horizon decides."""
    flow = Flow(WIRING, RATE_HZ, 0, 500, 70, implementation)
    stimuli, answers = [100, 200, 300, 900], [150, 300, 340]
    flow.feed_block(pulses(stimuli, answers, 1401))
    assert flow.take_notable() == [
        Notable(0, 100, 150, EventClass.ANSWERED, EventReason.MAXIMUM),
        Notable(
            1, 200, 300, EventClass.LATE, EventReason.MAXIMUM | EventReason.LIMIT | EventReason.LATE
        ),
        Notable(3, 900, -1, EventClass.MISSED, EventReason.MISSED),
    ]
    assert flow.take_notable() == []
    assert flow.maximum == Extreme(100, 1, 200)
    assert flow.minimum == Extreme(40, 2, 300)
    assert flow.over_limit == 1
    assert flow.doubts() == Doubts(expired=1)
    assert flow.last_stimulus_sample == 900


@both
def test_an_answer_after_the_horizon_is_counted_after_all(implementation: str) -> None:
    """A target that sleeps for longer than the timeout must not escape the maximum."""
    flow = Flow(WIRING, RATE_HZ, 0, 500, None, implementation)
    flow.feed_block(pulses([100, 800], [750, 850], 2000))
    counts = flow.counts()
    assert (counts.answered, counts.missed, counts.duplicate) == (2, 0, 0)
    assert flow.maximum == Extreme(650, 0, 100)
    assert flow.doubts() == Doubts(expired=1, contradicted=1)
    kinds = [notable.kind for notable in flow.take_notable()]
    assert kinds == [EventClass.MISSED, EventClass.ANSWERED]


@both
def test_a_merged_interrupt_shows_after_the_horizon(implementation: str) -> None:
    """One pin: its level is the handler count's last bit. The third stimulus is never handled."""
    stimuli = [k * 100 for k in range(1, 21)]
    handled = [s for s in stimuli if s != 300]
    toggles = [(s + i, 1) for s in stimuli for i in (0, 1)]
    toggles += [(s + 30, channel) for s in handled for channel in (2, 5)]
    block = block_of(0, 2100, capture_of(0, 2100, toggles, 0).edges, 0)
    flow = Flow(Wiring(1, 2, (5,)), RATE_HZ, 0, 1000, None, implementation)
    flow.feed_block(block)
    counts = flow.counts()
    # An answer takes 30 of 100 samples: six of them show that it is not the one before, late.
    assert (counts.n, counts.answered, counts.ambiguous) == (20, 13, 7)
    assert flow.maximum == Extreme(130, 2, 300)
    # Decided once, by the first stimulus too old; from then on the deficit is what is expected.
    assert flow.doubts() == Doubts(expired=1)


@both
def test_notable_events_that_find_no_room_are_counted(implementation: str) -> None:
    flow = Flow(WIRING, RATE_HZ, 0, 10, None, implementation)
    flow.feed_block(pulses(list(range(100, 100 + 300 * 50, 50)), [], 100_000))
    notable = flow.take_notable()
    assert [entry.event for entry in notable] == list(range(NOTABLE_MAX))
    assert flow.notable_lost == 300 - NOTABLE_MAX
    assert flow.counts().missed == 300
    flow.feed_block(EdgeBlock(100_000, 100_001, *_edges([(100_000, 1, 1)]), 0))
    flow.finish()
    assert [entry.event for entry in flow.take_notable()] == [300]


def _edges(edges: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    block = block_of(0, 0, edges, 0)
    return block.index, block.channel, block.level


@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 32), width=st.sampled_from([700, 2000, 5000]), cuts=cuts)
def test_what_one_channel_keeps_waiting_needs_no_room(
    seed: int, width: int, cuts: list[int]
) -> None:
    """One edge is undecided for a long time, while other lines toggle at almost every sample."""
    generator = np.random.default_rng(seed)
    toggles = [(10, 1), (7000, 1)]
    for channel, edges in ((2, 3000), (3, 3001), (4, 5000), (6, 1)):
        toggles += [(int(at), channel) for at in generator.integers(11, 2000, edges)]
    capture = capture_of(0, 8000, toggles, 0)
    flow = Flow(WIRING, RATE_HZ, width, FOREVER)
    fed(flow, capture.blocks(cuts)).finish()
    truth = analyzed(capture, WIRING, width)
    assert flow.counts() == truth.counts
    assert flow.glitches() == truth.glitches
    assert flow.histogram().total == sum(truth.delays)
    assert flow.stimuli == 1


def test_more_than_a_settling_time_can_hold_is_read_early() -> None:
    """At 1 THz pins settle for 200,000 samples; the line has an edge in each of them."""
    answers = 150_000
    flow = Flow(Wiring(1, 2, (3,)), 10**12, 0, FOREVER, None, "native")
    code = [0x81, *(2 | (i % 2) << 7 for i in range(answers))]
    flow.feed(packed(0, answers + 2, [0, *range(1, answers + 1)], code))
    assert 0 < flow.doubts().forced < answers
    flow.finish()
    assert (flow.stimuli, flow.answers) == (1, answers)


@both
def test_samples_beyond_32_bits(implementation: str) -> None:
    """A block of days: latencies, horizon and pulse widths above 2**32, and one of 2 samples."""
    day = 24_000_000 * 86_400
    edges = [(10, 1, 1), (12, 1, 0), (12, 2, 1)]
    edges += [(day, 1, 1), (2 * day, 1, 0), (2 * day + 5, 2, 0)]
    flow = Flow(WIRING, 24_000_000, 2, 3 * day, day, implementation)
    flow.feed_block(EdgeBlock(0, 7 * day, *_edges(edges), 0))
    assert flow.counts().answered == 2
    assert flow.maximum == Extreme(day + 5, 1, day)
    assert flow.histogram().total == day + 7
    assert flow.over_limit == 1
    assert flow.samples == 7 * day


@both
def test_a_stretch_without_edges_is_one_block(implementation: str) -> None:
    """A damaged file may say that a capture went on for centuries."""

    class CountingFlow(Flow):
        blocks = 0

        def feed(self, block: PackedBlock) -> None:
            self.blocks += 1
            super().feed(block)

    century = 24_000_000 * 86_400 * 36_525
    edges = [(10, 1, 1), (12, 1, 0), (12, 2, 1), (century, 1, 1), (century + 5, 2, 0)]
    flow = CountingFlow(WIRING, 24_000_000, 2, 1000, None, implementation)
    flow.feed_block(EdgeBlock(0, 2 * century, *_edges(edges), 0))
    flow.feed_block(EdgeBlock(2 * century, 3 * century, *_edges([]), 0))
    assert flow.counts().answered == 2
    assert flow.samples == 3 * century
    assert flow.blocks <= 6


@both
def test_sums_beyond_64_bits(implementation: str) -> None:
    far = (1 << 61) - 10
    stimuli = list(range(1, 65))
    edges = sorted(
        [(2 * s, 1, 1) for s in stimuli]
        + [(2 * s + 1, 1, 0) for s in stimuli]
        + [(far - 2 * s, 2, s % 2) for s in stimuli]
    )
    flow = Flow(WIRING, RATE_HZ, 0, far, None, implementation)
    middle = [edge for edge in edges if edge[1] == 1]
    code = [channel | level << 7 for _, channel, level in middle]
    flow.feed(packed(0, 200, [at for at, _, _ in middle], code))
    start = far - 200
    late = [edge for edge in edges if edge[1] == 2]
    flow.feed(packed(200, start, [], []))
    flow.feed(
        packed(start, far, [at - start for at, _, _ in late], [2 | lv << 7 for *_, lv in late])
    )
    flow.finish()
    assert flow.histogram().total == sum(edge[0] for edge in late) - sum(2 * s for s in stimuli)
    assert flow.histogram().total > 1 << 64


@both
@pytest.mark.parametrize(
    ("offset", "code"),
    [
        ([5, 4], [1, 1]),
        ([5, 5], [2, 1]),
        ([5, 5], [1, 0x81]),
        ([100], [1]),
        ([0, 4_294_967_295], [1, 1]),
    ],
)
def test_edges_out_of_order_are_refused(
    implementation: str, offset: list[int], code: list[int]
) -> None:
    flow = Flow(WIRING, RATE_HZ, 0, 100, None, implementation)
    flow.feed(packed(0, 50, [3], [0x81]))
    with pytest.raises(ValueError, match="samples 50 to 150 are not in order"):
        flow.feed(packed(50, 150, offset, code))
    flow.feed(packed(50, 150, [3], [0x82]))
    assert flow.counts().answered == 1


@both
def test_blocks_that_do_not_follow_are_refused(implementation: str) -> None:
    flow = Flow(WIRING, RATE_HZ, 0, 100, None, implementation)
    flow.feed(packed(10, 50, [], []))
    for start, end in ((49, 60), (51, 60), (50, 49), (50, 1 << 61)):
        with pytest.raises(ValueError, match="cannot follow sample 50"):
            flow.feed(packed(start, end, [], []))
    with pytest.raises(ValueError, match="cannot have edges at 60 to 60"):
        flow.feed_block(block_of(50, 60, [(60, 1, 1)], 0))
    flow.finish()
    flow.finish()
    with pytest.raises(ValueError, match="of a finished flow"):
        flow.feed(packed(50, 60, [], []))


@pytest.mark.parametrize(
    ("wiring", "glitch", "horizon", "capacity", "message"),
    [
        (Wiring(1, 1), 0, 1, 2, "channel of its own"),
        (Wiring(1, 64), 0, 1, 2, "channel of its own"),
        (Wiring(1, 2, (2,)), 0, 1, 2, "channel of its own"),
        (Wiring(1, 2, tuple(range(3, 20))), 0, 1, 2, "17 sequence pins"),
        (WIRING, -1, 1, 2, "glitch_samples is -1"),
        (WIRING, 0, 1 << 61, 2, "horizon_samples is"),
        (WIRING, 0, 1, 3, "capacity of 3"),
        (WIRING, 0, 1, 0, "capacity of 0"),
        (WIRING, 0, 1, 1 << 25, "capacity of"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    wiring: Wiring, glitch: int, horizon: int, capacity: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Flow(wiring, RATE_HZ, glitch, horizon, capacity=capacity)


def test_without_a_library_python_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert implementations() == ("native", "python")
    monkeypatch.setattr(native, "LIBRARY", native.LIBRARY.with_name("missing.so"))
    assert implementations() == ("python",)
    flow = Flow(WIRING, RATE_HZ, 0, 100)
    flow.feed_block(pulses([10], [20], 50))
    assert flow.counts().answered == 1
    with pytest.raises(ValueError, match="no flow 'fortran', only python"):
        Flow(WIRING, RATE_HZ, 0, 100, implementation="fortran")
