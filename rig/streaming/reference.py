# SPDX-License-Identifier: GPL-3.0-or-later
"""The flow in Python: the one in C is tested against it, and it works without a compiler.

Edges go through the glitch filter and the observer of the analysis. What follows is the rule of
`rig.analysis.pairing.pairing`, whose second pass needs to know the whole run: the number of merged
interrupts before answer j is m_j = min(d_j, d_j+1, ...), over all later deficits d. While a run
goes on, m_j is known at once if d_j is what m was before; that is the rule, since deficits come
back to it as long as no interrupt is merged. Otherwise the answer stays undecided until a later
deficit is as low as m was, or until its stimulus is older than the horizon. Then m_j is taken to be
the minimum of what has been seen, and is the new m.

So much for the early reading. The late one follows it with L_j of rig.analysis' deficits in the
place of m_j, from anchors by the edges alone: what the log tells of handlers' entries is not there
yet. A stimulus is decided when the late reading gets to it, and is ambiguous if the two do not say
the same.

So the figures are provisional (decision record 0012), in what `Doubts` counts:

- A horizon ends the wait. Every merged interrupt needs this, since no deficit returns after it; a
  target that stays behind for longer than the horizon is taken for one that lost an interrupt.
- A stimulus that the late reading has not got to within the horizon is ambiguous, with the latency
  of the last answer that came.
- A stimulus unanswered for the horizon is missed. If its answer comes after all, it becomes late
  (or answered, if no other stimulus came in between) as long as it is among the `capacity` last.
- Answers that no stimulus is left for, because an earlier decision was wrong, are duplicates.
- When `capacity` stimuli or answers are undecided, the oldest is decided as if it were too old.
- Handler counts come from the sequence pins, or by order without any: the target's log, which is
  what the analysis uses if it can, is not there yet.

With a horizon longer than the capture and enough capacity nothing of that happens, and counts and
latencies are those of the analysis by the same source of counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.model.events import Counts, EventClass, ExtraClass
from rig.analysis.pairing.deficits import PROMPT, SCORE
from rig.analysis.pairing.pairing import PinCounter
from rig.analysis.signals.decoder import Observation, SignalDecoder
from rig.analysis.signals.glitch import GlitchFilter
from rig.capture.edges import LEVEL_BIT, PackedBlock
from rig.streaming.histogram import Extreme, LogHistogram, bin_of, empty_histogram
from rig.streaming.outcome import NOTABLE_MAX, Doubts, EventReason, FlowSettings, Notable

_REASONS = {
    EventClass.ANSWERED: EventReason(0),
    EventClass.LATE: EventReason.LATE,
    EventClass.MISSED: EventReason.MISSED,
    EventClass.MERGED: EventReason.MERGED,
    EventClass.AMBIGUOUS: EventReason.AMBIGUOUS,
}


class Figures:
    """The figures of decided events."""

    def __init__(self, limit_samples: int | None) -> None:
        self._limit = limit_samples
        empty = empty_histogram()
        self._bins, self._total = empty.counts, 0
        self.maximum: Extreme | None = None
        self.minimum: Extreme | None = None
        self.over_limit = 0
        self.classes = dict.fromkeys(EventClass, 0)
        self.notable: list[Notable] = []
        self.notable_lost = 0

    @property
    def histogram(self) -> LogHistogram:
        """A copy of the latencies."""
        return LogHistogram(self._bins.copy(), self._total, self.maximum, self.minimum)

    def add(self, event: int, kind: EventClass, stimulus: int, response: int) -> None:
        """Add a decided stimulus; `response` is -1 if nothing answered it."""
        self.classes[kind] += 1
        reasons = _REASONS[kind]
        if response >= 0:
            reasons |= self._add_latency(Extreme(response - stimulus, event, stimulus))
        if not reasons:
            return
        if len(self.notable) == NOTABLE_MAX:
            self.notable_lost += 1
        else:
            self.notable.append(Notable(event, stimulus, response, kind, reasons))

    def _add_latency(self, found: Extreme) -> EventReason:
        latency = found.latency_samples
        reasons = EventReason(0)
        self._bins[bin_of(np.array([latency]))] += np.uint64(1)
        self._total += latency
        if self.maximum is None or latency > self.maximum.latency_samples:
            self.maximum = found
            reasons |= EventReason.MAXIMUM
        if self.minimum is None or latency < self.minimum.latency_samples:
            self.minimum = found
        if self._limit is not None and latency > self._limit:
            self.over_limit += 1
            reasons |= EventReason.LIMIT
        return reasons


@dataclass
class _Answer:
    """An answer that has a stimulus, which is not known yet."""

    number: int
    """The number of the answer, from 0."""
    sample: int
    count: int
    """The handler's count less the surplus."""
    anchor: int
    """The m with which it is an anchor; -1: with none."""
    bound: int
    """The lower of its own deficit and that of an answer without stimulus behind it."""


class _Anchors:
    """A finder of prompt answers, one by one, as rig.analysis.pairing.deficits does it."""

    def __init__(self, by_order: bool) -> None:
        self._by_order = by_order
        self._last = self._second = self._response = -1
        self._before = self._deficit = self._score = 0

    def stimulus(self, sample: int) -> None:
        """Take a leading stimulus edge."""
        self._last, self._second = sample, self._last

    def answer(self, sample: int) -> int:
        """Take an answer's edge; return how prompt it is by the edges alone."""
        idle = self._last - max(self._response, self._second)
        self._response = sample
        times = max(idle, 0) // max(sample - self._last, 1)
        return sum(times >= least for least in PROMPT) if self._last >= 0 else 0

    def own(self, points: int, before: int, deficit: int) -> bool:
        """Return whether an answer with its own stimulus is an anchor if its m is its deficit."""
        same = deficit == self._deficit
        if not self._by_order and not (same and before == self._before + 1):
            points = 0
        self._score = points + (self._score if same else 0)
        self._before, self._deficit = before, deficit
        return self._score >= SCORE


class StreamingPairer:
    """A pairing of stimuli and answers that come one by one, in order of time."""

    def __init__(self, figures: Figures, horizon: int, capacity: int, by_order: bool) -> None:
        self._figures = figures
        self._horizon, self._capacity, self._by_order = horizon, capacity, by_order
        self._recent: dict[int, tuple[int, EventClass | None]] = {}
        """Sample and class (None: undecided) of the `capacity` last stimuli, by event number."""
        self._read: dict[int, tuple[int, EventClass]] = {}
        """Number of the answer and class by the early reading, of stimuli not decided yet."""
        self._early = 0  # first stimulus that the early reading has not decided
        self._least = self._late_marked = 0
        self._last_own = -1  # sample
        self._anchors = _Anchors(by_order)
        self._undecided: list[_Answer] = []
        self._highest = self._surplus = 0
        self._merged = 0  # m of the answers decided last
        self._marked = 0  # merged interrupts handed out so far
        self.stimuli = 0
        self.answers = 0
        self.decided = 0
        self.last_stimulus = 0
        self.extras = dict.fromkeys(ExtraClass, 0)
        self.doubts = {"expired": 0, "forced": 0, "contradicted": 0}

    def stimulus(self, sample: int) -> None:
        """Take a leading stimulus edge."""
        self.expire(sample)
        while self.stimuli - self.decided >= self._capacity:
            self.doubts["forced"] += 1
            self._decide_first()
        self._recent.pop(self.stimuli - self._capacity, None)
        self._recent[self.stimuli] = sample, None
        self.stimuli += 1
        self.last_stimulus = sample
        self._anchors.stimulus(sample)

    def answer(self, sample: int, handled: int | None) -> None:
        """Take an answer's edge with its handler count, None by order."""
        self.expire(sample)
        self.answers += 1
        before, count = self.stimuli, self.answers if handled is None else handled
        repeated, surplus = count <= self._highest, count - before > self._surplus
        self._highest = max(self._highest, count)
        self._surplus = max(self._surplus, count - before)
        count -= self._surplus
        deficit, points = before - count, self._anchors.answer(sample)
        self._learn(deficit)
        if repeated or surplus:
            duplicate = (repeated or self._by_order) and before > 0
            self.extras[ExtraClass.DUPLICATE if duplicate else ExtraClass.SPURIOUS] += 1
            return
        anchor = deficit if self._anchors.own(points, before, deficit) else -1
        answer = _Answer(self.answers - 1, sample, count, anchor, deficit)
        if deficit == self._merged:
            self._pair(answer, self._merged)
        else:
            self._undecided.append(answer)

    def expire(self, now: int) -> None:
        """Note that neither a stimulus nor an answer comes before `now`."""
        while self.decided < self.stimuli and now - self._first_sample() > self._horizon:
            self.doubts["expired"] += 1
            self._decide_first()

    def finish(self) -> None:
        """Decide what is left, as nothing comes any more."""
        while self.decided < self.stimuli or self._undecided:
            self._decide_first()

    def _first_sample(self) -> int:
        return self._recent[self.decided][0]

    def _learn(self, deficit: int) -> None:
        """Decide what an answer with this deficit decides of those before it."""
        if self._undecided:
            last = self._undecided[-1]
            last.bound = min(last.bound, deficit)
        if deficit > self._merged and len(self._undecided) == self._capacity:
            self.doubts["forced"] += 1
            self._pair_lowest()
        if deficit < self._merged:
            self.doubts["contradicted"] += 1
        if deficit <= self._merged:
            if self._undecided:
                self._pair_lowest()
            self._merged = deficit

    def _decide_first(self) -> None:
        """Decide the first event or answer, by what is known."""
        if self._undecided:
            self._pair_lowest()
        elif self._early > self.decided:
            self._decide(EventClass.AMBIGUOUS, self._last_own)
        else:
            self._early += 1
            self._decide(EventClass.MISSED, -1)

    def _pair_lowest(self) -> None:
        """Pair the undecided answers up to the last one with the lowest bound: that is their m."""
        bounds = [answer.bound for answer in self._undecided]
        self._merged = min(bounds)
        end = len(bounds) - bounds[::-1].index(self._merged)
        ready, self._undecided = self._undecided[:end], self._undecided[end:]
        for answer in ready:
            self._pair(answer, self._merged)

    def _pair(self, answer: _Answer, merged: int) -> None:
        """Pair an answer before which `merged` were merged, and all stimuli up to its own."""
        self._last_own = answer.sample
        self._least = merged if answer.anchor == merged else min(self._least, merged)
        event, newly, self._marked = answer.count + merged - 1, merged - self._marked, merged
        if event < self._early:
            self._contradict(event, answer.sample)
        else:
            for number, kind in self._kinds(self._early, event, newly, answer.sample):
                self._read[number] = answer.number, kind
            self._early = event + 1
        event, newly = answer.count + self._least - 1, self._least - self._late_marked
        self._late_marked = self._least
        for number, kind in self._kinds(self.decided, event, newly, answer.sample):
            if self._read[number] != (answer.number, kind):
                kind = EventClass.AMBIGUOUS
            self._decide(kind, -1 if kind == EventClass.MISSED else answer.sample)

    def _kinds(
        self, first: int, event: int, newly: int, response: int
    ) -> list[tuple[int, EventClass]]:
        """Return the classes of stimuli from `first` to this answer's own, by one reading."""
        if event < first:
            return []
        shared = 0 if self._by_order else min(max(0, newly), event - first)
        beside = EventClass.MERGED if shared == event - first else EventClass.AMBIGUOUS
        kinds = [EventClass.MISSED] * (event - first - shared) + [beside] * shared
        kinds.append(self._class_of(event, response))
        return list(enumerate(kinds, first))

    def _decide(self, kind: EventClass, response: int) -> None:
        """Decide the first undecided stimulus."""
        event, sample = self.decided, self._first_sample()
        self.decided += 1
        self._read.pop(event, None)
        self._recent[event] = sample, kind
        self._figures.add(event, kind, sample, response)

    def _contradict(self, event: int, response: int) -> None:
        """Take an answer whose stimulus was decided without it, at least by the early reading."""
        self.doubts["contradicted"] += 1
        if event >= self.decided:
            return
        sample, kind = self._recent.get(event, (0, None))
        if kind != EventClass.MISSED:
            self.extras[ExtraClass.DUPLICATE] += 1
            return
        kind = self._class_of(event, response)
        self._recent[event] = sample, kind
        self._figures.classes[EventClass.MISSED] -= 1
        self._figures.add(event, kind, sample, response)

    def _class_of(self, event: int, response: int) -> EventClass:
        following = self._recent.get(event + 1)
        late = following is not None and following[0] <= response
        return EventClass.LATE if late else EventClass.ANSWERED


class ReferenceFlow:
    """A flow of all stages, one after the other."""

    def __init__(self, settings: FlowSettings, sample_rate_hz: int) -> None:
        wiring = settings.wiring
        self._glitch = GlitchFilter(settings.glitch_samples)
        self._observer = SignalDecoder(wiring, sample_rate_hz)
        self._pins = PinCounter(len(wiring.sequence)) if wiring.sequence else None
        self._figures = Figures(settings.limit_samples)
        self._pairer = StreamingPairer(
            self._figures, settings.horizon_samples, settings.capacity, self._pins is None
        )
        self._end = 0

    def feed(self, block: PackedBlock) -> bool:
        """Take edges; return whether they were taken: no if not in order or not of this block."""
        if not _in_order(block):
            return False
        self._end = block.end_sample
        seen = self._observer.feed(self._glitch.feed(block.unpacked()))
        self._pair(seen)
        self._pairer.expire(seen.end_sample)
        return True

    def finish(self) -> None:
        """Decide what is left, as no more edges come."""
        self._pair(self._observer.feed(self._glitch.finish()))
        self._pair(self._observer.finish(self._end))
        self._pairer.finish()

    def _pair(self, seen: Observation) -> None:
        handled: list[int | None] = [None] * len(seen.response)
        if self._pins is not None and seen.sequence is not None:
            handled = list(self._pins.feed(seen.sequence).tolist())
        # A stimulus counts as before an answer of the same sample.
        places = np.searchsorted(seen.stimulus, seen.response, side="right").tolist()
        stimuli, at = seen.stimulus.tolist(), 0
        for place, sample, count in zip(places, seen.response.tolist(), handled, strict=True):
            for before in stimuli[at:place]:
                self._pairer.stimulus(before)
            self._pairer.answer(sample, count)
            at = place
        for behind in stimuli[at:]:
            self._pairer.stimulus(behind)

    def counts(self) -> Counts:
        """Return the counts of the events that are decided."""
        kinds, extras = self._figures.classes, self._pairer.extras
        return Counts(
            n=self._pairer.decided,
            answered=kinds[EventClass.ANSWERED],
            late=kinds[EventClass.LATE],
            missed=kinds[EventClass.MISSED],
            merged=kinds[EventClass.MERGED],
            duplicate=extras[ExtraClass.DUPLICATE],
            spurious=extras[ExtraClass.SPURIOUS],
            ambiguous=kinds[EventClass.AMBIGUOUS],
            glitches=sum(self._glitch.removed.values()),
        )

    def histogram(self) -> LogHistogram:
        """Return the histogram of the decided events' latencies."""
        return self._figures.histogram

    def maximum(self) -> Extreme | None:
        """Return the extreme latency, the first one if there are several."""
        return self._figures.maximum

    def minimum(self) -> Extreme | None:
        """Return the extreme latency, the first one if there are several."""
        return self._figures.minimum

    def glitches(self) -> dict[int, int]:
        """Pulses removed, by channel; channels without any are left out."""
        return {channel: n for channel, n in sorted(self._glitch.removed.items()) if n}

    def doubts(self) -> Doubts:
        """Return how much of the figures is provisional."""
        return Doubts(**self._pairer.doubts)

    def take_notable(self) -> list[Notable]:
        """Return the notable events not yet taken, oldest first."""
        taken, self._figures.notable = self._figures.notable, []
        return taken

    @property
    def stimuli(self) -> int:
        """The number of edges seen."""
        return self._pairer.stimuli

    @property
    def answers(self) -> int:
        """The number of edges seen."""
        return self._pairer.answers

    @property
    def last_stimulus_sample(self) -> int:
        """The sample of the newest stimulus, 0 without any."""
        return self._pairer.last_stimulus

    @property
    def over_limit(self) -> int:
        """Latencies above the limit."""
        return self._figures.over_limit

    @property
    def notable_lost(self) -> int:
        """Notable events that found no room."""
        return self._figures.notable_lost


def _in_order(block: PackedBlock) -> bool:
    """Return whether edges are in order of (offset, channel), none alike, all within the block."""
    place = block.offset.astype(np.int64) << LEVEL_BIT | block.code & np.uint8(127)
    inside = len(place) == 0 or int(block.offset[-1]) < block.end_sample - block.start_sample
    return bool(inside and (np.diff(place) > 0).all())
