# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures for flows: edges of any kind, cut anywhere, and what the analysis says of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from rig.analysis.model.events import Counts, EventClass, ExtraClass
from rig.analysis.model.wiring import Wiring
from rig.analysis.pairing.deficits import MergeProfile
from rig.analysis.pairing.pairing import Pairer, PinCounter, latencies
from rig.analysis.signals.decoder import observe
from rig.analysis.signals.glitch import GlitchFilter
from rig.capture.edges import PackedBlock
from rig.instruments import EdgeBlock
from rig.streaming.flow import Flow

RATE_HZ = 20_000_000
"""Sequence pins settle in 4 samples."""
STIMULI = (1, 3)
"""The same signal below and above the response's channel, 2."""
PINS = (5, 0, 6)
Edge = tuple[int, int, int]


def block_of(start: int, end: int, edges: list[Edge], levels: int) -> EdgeBlock:
    """Of (index, channel, level)."""
    index, channel, level = zip(*edges, strict=True) if edges else ((), (), ())
    return EdgeBlock(
        start,
        end,
        np.array(index, np.int64),
        np.array(channel, np.uint8),
        np.array(level, np.uint8),
        levels,
    )


@dataclass(frozen=True)
class Capture:
    """All edges of a capture, in order of (index, channel)."""

    start: int
    end: int
    edges: list[Edge]
    levels: int
    """Of all channels before `start`."""

    def blocks(self, cuts: list[int]) -> list[EdgeBlock]:
        """The capture cut at the given samples."""
        borders = [self.start, *sorted(c for c in cuts if self.start <= c <= self.end), self.end]
        blocks, levels = [], self.levels
        for start, end in pairwise(borders):
            mine = [edge for edge in self.edges if start <= edge[0] < end]
            blocks.append(block_of(start, end, mine, levels))
            for _, channel, _ in mine:
                levels ^= 1 << channel
        return blocks


def capture_of(start: int, end: int, toggles: list[tuple[int, int]], levels: int) -> Capture:
    """Of (sample, channel) in any order; what is there twice, or outside, is left out."""
    edges, now = [], levels
    for at, channel in sorted({toggle for toggle in toggles if start <= toggle[0] < end}):
        now ^= 1 << channel
        edges.append((at, channel, now >> channel & 1))
    return Capture(start, end, edges, levels)


@st.composite
def noise(draw: st.DrawFn) -> Capture:
    """Seven lines that toggle at random, at one density or another."""
    generator = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    start = draw(st.sampled_from([0, 7, (1 << 40) + 3]))
    length = draw(st.integers(1, 600))
    toggles = [
        (start + int(at), channel)
        for channel in range(7)
        for at in generator.integers(0, length, draw(st.sampled_from([0, 3, 20, 100])))
    ]
    return capture_of(start, start + length, toggles, draw(st.integers(0, 127)))


@st.composite
def targets(draw: st.DrawFn) -> Capture:
    """A target that answers most stimuli, with sequence pins that tell its handler count; it is
    late, misses, merges, answers twice or without reason now and then, and lines glitch."""
    kinds = draw(st.lists(st.sampled_from("aaaaaaaalmgdsnq"), max_size=60))
    generator = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    toggles: list[tuple[int, int]] = []
    answers: list[tuple[int, int]] = []
    period, handled, at = draw(st.sampled_from([40, 60])), 0, 10
    for kind in kinds:
        at += int(generator.integers(period, 2 * period))
        toggles += [(at + i, channel) for i in (0, 25) for channel in STIMULI]
        if kind in "mg":
            handled += kind == "m"  # missed: handled, but the pin never moved
            continue
        handled += 1
        delay = int(generator.integers(1, 30)) + (3 * period if kind == "l" else 0)
        if kind == "q":
            delay = 0
        answers.append((at + delay, handled))
        if kind in "ds":
            handled += kind == "s"
            answers.append((at + delay + 9, handled))
        if kind == "n":
            glitch = at + delay + 14
            toggles += [(glitch, 2), (glitch + 2, 2)]
    toggles += [(answer, 2) for answer, _ in answers]
    shown = 0
    for answer, count in sorted(answers):
        for bit, channel in enumerate(PINS):
            if (count ^ shown) >> bit & 1:
                toggles.append((answer + int(generator.integers(0, 4)), channel))
        shown = count
    return capture_of(0, at + draw(st.integers(1, 400)), toggles, 0)


wirings = st.builds(
    Wiring,
    stimulus=st.sampled_from(STIMULI),
    response=st.just(2),
    sequence=st.sampled_from([(), PINS, PINS[:1]]),
    active_level=st.integers(0, 1),
    answer_level=st.sampled_from([None, 0, 1]),
)
captures = st.one_of(noise(), targets())
cuts = st.lists(st.integers(0, 2000), max_size=8)


def fed(flow: Flow, blocks: list[EdgeBlock]) -> Flow:
    """The same flow, after all blocks."""
    for block in blocks:
        flow.feed_block(block)
    return flow


def said(flow: Flow) -> dict[str, object]:
    """All that a flow says, in values that can be compared; takes its notable events."""
    histogram = flow.histogram()
    return {
        "samples": flow.samples,
        "seen": (flow.stimuli, flow.answers, flow.last_stimulus_sample),
        "counts": flow.counts(),
        "glitches": flow.glitches(),
        "bins": histogram.counts.tolist(),
        "total": histogram.total,
        "extremes": (histogram.maximum, histogram.minimum, flow.maximum, flow.minimum),
        "over limit": flow.over_limit,
        "doubts": flow.doubts(),
        "notable": (flow.take_notable(), flow.notable_lost),
    }


@dataclass(frozen=True)
class Analyzed:
    """What the analysis says of a capture, both passes done."""

    counts: Counts
    glitches: dict[int, int]
    delays: list[int]
    """Latencies in samples, in order of events."""
    events: list[tuple[int, int, int, EventClass]]
    """Number, stimulus sample, response sample, class."""


def analyzed(capture: Capture, wiring: Wiring, glitch_samples: int) -> Analyzed:
    """The analysis of a finished capture; handler counts from the pins, or by order."""
    glitch = GlitchFilter(glitch_samples)
    whole = capture.blocks([])
    filtered = [*map(glitch.feed, whole), glitch.finish()]
    pins = PinCounter(len(wiring.sequence))
    stretches = [
        (seen.stimulus, seen.response, None if seen.sequence is None else pins.feed(seen.sequence))
        for seen in observe(filtered, wiring, RATE_HZ)
    ]
    profile = MergeProfile()
    for stretch in stretches:
        profile.feed(*stretch)
    profile.finish()
    pairer = Pairer(profile)
    parts = [*(pairer.feed(*stretch) for stretch in stretches), pairer.finish()]
    kinds = np.bincount(np.concatenate([part.kind for part in parts]), minlength=len(EventClass))
    extras = np.bincount(
        np.concatenate([part.extra_kind for part in parts]), minlength=len(ExtraClass)
    )
    events = [
        (part.first + i, int(part.stimulus[i]), int(part.response[i]), EventClass(part.kind[i]))
        for part in parts
        for i in range(len(part.stimulus))
    ]
    removed = {channel: n for channel, n in sorted(glitch.removed.items()) if n}
    *decided, ambiguous = map(int, kinds)
    return Analyzed(
        Counts(len(events), *decided, *map(int, extras), sum(removed.values()), ambiguous),
        removed,
        np.concatenate([latencies(part) for part in parts]).tolist(),
        events,
    )


def packed(start: int, end: int, offset: list[int], code: list[int]) -> PackedBlock:
    """A packed block of whatever edges."""
    return PackedBlock(start, end, np.array(offset, np.uint32), np.array(code, np.uint8), 0)
