# SPDX-License-Identifier: GPL-3.0-or-later
"""The most and the fewest interrupts that can have been merged before each answer.

Let k_j count the stimuli up to the moment in which answer j's interrupt was taken at the latest:
its handler's entry if the log has it, else the answer itself. With handler count c_j the answer
belongs to stimulus c_j + m_j, and m_j, the number of merged interrupts so far, never falls.

- At most: c_j + m_j <= k_j, for no interrupt is taken before its stimulus. With d_j = k_j - c_j the
  largest m is M_j = min(d_j, d_j+1, ...), over all later answers.
- At least: an *anchor* is an answer of which it is known that all k_j stimuli had been served when
  it came, m_j = d_j. L_j is d of the last anchor up to j.

Where L_j < M_j both readings fit all that was seen. An answer with d_j = M_j is an anchor if

- its handler was entered so long after the last stimulus that this had been latched before the
  handler was (`ACKNOWLEDGE_NS`): whatever is latched then is one interrupt, and it is this one; or
- it and answers before it with the same deficit came promptly, again and again: the target had been
  idle for so much longer before each one's stimulus than it took to answer it that this cannot be
  chance (`SCORE`), and each time there was one more stimulus and one more interrupt. What had
  waited, would have been served in the idle time. With entries one such answer is enough.

By order alone, without counts, the last condition cannot be had and is not asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.arrays import BoolArray
from rig.instruments import Int64Array

ACKNOWLEDGE_NS = 2_000
"""Longest time from the interrupt controller's acknowledgment, with which its latch is free for
the next stimulus, to the reading at the handler's entry."""
PROMPT = (2, 4, 8)
"""A prompt answer: the target was idle that many times as long before its stimulus as after it."""
SCORE = 2 * len(PROMPT)
"""An answer scores one for each of these that it reaches: if it were for another stimulus, it would
come so soon after this one once in so many times."""

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Entered:
    """Entry times of handlers, in samples, shapes (n,): within [earliest, latest]."""

    earliest: Int64Array
    """Earliest entry, less what may lie between the acknowledgment and the entry."""
    latest: Int64Array
    surely_after: Int64Array | None = None
    """Stimuli up to then had surely come before the entry; None: those up to `latest`."""


@dataclass(frozen=True)
class ResponseCounts:
    """Answers of a stretch, counted against the stimuli before them. All shapes (n,)."""

    before: Int64Array
    """Number of stimuli seen up to this answer."""
    count: Int64Array
    """Handler count less the surplus: never above `before`."""
    repeated: BoolArray
    """Whether the handler count did not rise: the same interrupt was answered again."""
    surplus: BoolArray
    """Whether more interrupts were handled than stimuli sent: this one had no stimulus."""


class AnswerCounter:
    """A counter of answers against stimuli; both passes run the same one over the same data.

    Without handler counts each answer counts as one interrupt ("by order").
    """

    def __init__(self) -> None:
        self._stimuli = 0
        self._answers = 0
        self._surplus = 0
        self._last = 0

    def feed(
        self, stimulus: Int64Array, response: Int64Array, count: Int64Array | None
    ) -> ResponseCounts:
        before = self._stimuli + np.searchsorted(stimulus, response, side="right")
        if count is None:
            count = self._answers + 1 + np.arange(len(response))
        # Against the highest count so far: one that falls, as a damaged log's may, moves nothing.
        highest = np.maximum.accumulate(np.concatenate([[self._last], count]))
        repeated = count <= highest[:-1]
        surplus = np.maximum.accumulate(np.maximum(count - before, self._surplus))
        grew = np.diff(surplus, prepend=self._surplus) > 0
        self._stimuli += len(stimulus)
        self._answers += len(response)
        if len(response):
            self._surplus, self._last = int(surplus[-1]), int(highest[-1])
        return ResponseCounts(before, count - surplus, repeated, grew)

    def unhandled(self, handled: int) -> int:
        """Return the number of stimuli that no interrupt of so many was for."""
        return self._stimuli - (handled - self._surplus)

    @property
    def last(self) -> int:
        """The highest count so far."""
        return self._last


def prompt_points(last: Int64Array, idle: Int64Array, until: Int64Array) -> Int64Array:
    """Return how prompt answers are, shape (n,), by their last stimuli, -1 without any; since when
    the target had been idle before those; and when answers came, or handlers were entered."""
    times = np.maximum(last - idle, 0) // np.maximum(until - last, 1)
    points: Int64Array = np.sum([times >= least for least in PROMPT], axis=0, dtype=np.int64)
    return np.where(last >= 0, points, 0)


class _Stimuli:
    """The stimuli that answers still to come can have been taken after."""

    def __init__(self) -> None:
        self._kept = np.empty(0, np.int64)
        self._first = 0  # number of the first one kept, from 0

    def before(
        self, stimulus: Int64Array, until: Int64Array, sure: Int64Array | None
    ) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
        """Take a stretch; return of each answer, whose `until` never fall: how many stimuli came
        up to then, the samples of the last of them and of the one before, -1 without any, and how
        many came up to `sure`, 0 if that is not known."""
        at_hand = np.concatenate([self._kept, stimulus])
        place = np.searchsorted(at_hand, until, side="right")
        padded = np.concatenate([np.full(2, -1, np.int64), at_hand])
        least = np.zeros(len(until), np.int64)
        if sure is not None:
            least = np.searchsorted(at_hand, sure, side="right")
            least = np.where(least > 0, self._first + least, 0)
        found = self._first + place, padded[place + 1], padded[place], least
        gone = max(0, int(place[-1]) - 2) if len(place) else 0
        self._kept, self._first = at_hand[gone:], self._first + gone
        return found


class MergeProfile:
    """The first pass: M_j and L_j of all answers, kept as runs.

    Feed all stretches in order, then call `finish`; `merged_before` and `merged_at_least` then
    serve the second pass.
    """

    def __init__(self) -> None:
        self._counter, self._stimuli = AnswerCounter(), _Stimuli()
        self._starts: list[Int64Array] = []
        self._values: list[Int64Array] = []
        self._anchors: list[Int64Array] = []
        self._answers = 0
        self._last: int | None = None
        self._until = 0
        self._response = -1
        self._own = 0, 0  # stimuli before the last answer of its own, and its deficit
        self._last_own = -1
        self._points = 0
        self._least = 0
        self._least_at: list[Int64Array] = []
        self._least_merged: list[Int64Array] = []
        self._anchor_at = self._anchor_merged = np.empty(0, np.int64)
        self.undecided = False
        """Whether some answers have more than one reading."""
        self.contradictions = 0
        """Number of answers whose handler was entered before their stimulus came."""

    @property
    def merges(self) -> bool:
        """Whether some interrupts were merged."""
        return bool(self._values) and bool(len(self._values[0])) and int(self._values[0][-1]) > 0

    def feed(
        self,
        stimulus: Int64Array,
        response: Int64Array,
        count: Int64Array | None,
        entered: Entered | None = None,
    ) -> None:
        """Add a stretch: shapes (n,), (m,), (m,); count None pairs by order alone."""
        counted = self._counter.feed(stimulus, response, count)
        until = response if entered is None else np.minimum(entered.latest, response)
        if len(until):
            until = np.maximum.accumulate(np.maximum(until, self._until))
            self._until = int(until[-1])
        earliest = None if entered is None else entered.earliest
        before, last, second, least = self._stimuli.before(stimulus, until, earliest)
        deficit = before - counted.count
        own = ~(counted.repeated | counted.surplus)
        self.contradictions += int(np.count_nonzero(deficit[own] < 0))
        deficit = np.maximum(deficit, 0)
        idle = np.maximum(
            np.concatenate([[self._response], response[:-1]])[: len(response)], second
        )
        points = prompt_points(last, idle, until)[own]
        if entered is not None and entered.surely_after is not None:
            # Of a handler that may have been entered before it, a stimulus says nothing of haste.
            points[last[own] > entered.surely_after[own]] = 0
        score = self._score(points, before[own], deficit[own], by_order=count is None)
        anchor = np.zeros(len(response), bool)
        anchor[own] = score >= SCORE
        if entered is not None:
            anchor[own] |= score >= len(PROMPT)
            anchor |= own & (last >= 0) & (least == before)
            self._add_least((least - counted.count)[own], np.flatnonzero(own))
        self._add_runs(deficit, np.flatnonzero(anchor))
        if own.any():
            self._last_own = self._answers + int(np.flatnonzero(own)[-1])
        if len(response):
            self._response = int(response[-1])
        self._answers += len(response)

    def _score(
        self, points: Int64Array, before: Int64Array, deficit: Int64Array, *, by_order: bool
    ) -> Int64Array:
        """Return the points of own answers since the deficit has been what it is, shape (n,)."""
        if not len(points):
            return points
        if not by_order:
            one_more = np.diff(before, prepend=self._own[0]) == 1
            points = np.where(one_more, points, 0)
        changed = np.diff(deficit, prepend=self._own[1]) != 0
        if not by_order:
            points[changed] = 0
        total = np.cumsum(points)
        start = np.maximum.accumulate(np.where(changed, np.arange(len(points)), -1))
        began = np.where(start >= 0, (total - points)[start], -self._points)
        score: Int64Array = total - began
        self._own, self._points = (int(before[-1]), int(deficit[-1])), int(score[-1])
        return score

    def _add_least(self, merged: Int64Array, answers: Int64Array) -> None:
        """Note where the stimuli that were surely latched mean more merged ones than before."""
        highest = np.maximum.accumulate(np.concatenate([[self._least], merged]))
        more = np.flatnonzero(np.diff(highest) != 0)
        if len(more):
            self._least = int(highest[-1])
            self._least_at.append(self._answers + answers[more])
            self._least_merged.append(merged[more])

    def _add_runs(self, deficit: Int64Array, anchors: Int64Array) -> None:
        """Add runs of one deficit, each with its first anchor."""
        if not len(deficit):
            return
        changed = np.empty(len(deficit), bool)
        changed[0] = deficit[0] != self._last
        np.not_equal(deficit[1:], deficit[:-1], out=changed[1:])
        where = np.flatnonzero(changed)
        firsts = np.full(len(where), _NEVER)
        run, which = np.unique(np.searchsorted(where, anchors, side="right"), return_index=True)
        found = self._answers + anchors[which]
        if len(run) and run[0] == 0:  # of the run that goes on from the stretch before
            if self._anchors[-1][-1] == _NEVER:
                self._anchors[-1][-1] = found[0]
            run, found = run[1:], found[1:]
        firsts[run - 1] = found
        if len(where):
            self._starts.append(self._answers + where)
            self._values.append(deficit[where])
            self._anchors.append(firsts)
        self._last = int(deficit[-1])

    def finish(self, handled: int | None = None) -> None:
        """Turn deficits into merged counts, once all answers have been seen.

        `handled`: interrupts that the target counted in all, if it reports the same counts.
        """
        empty = np.empty(0, np.int64)
        starts = np.concatenate([empty, *self._starts])
        values = np.concatenate([empty, *self._values])
        anchors = np.concatenate([empty, *self._anchors])
        most = np.minimum.accumulate(values[::-1])[::-1]
        unhandled = None if handled is None else max(0, self._counter.unhandled(handled))
        if unhandled is not None:
            most = np.minimum(most, unhandled)
        self._starts, self._values = [starts], [most]
        # A run whose deficit is above M has none: its stimuli were served by later answers.
        known = (anchors != _NEVER) & (values == most)
        points = [(anchors[known], most[known]), *self._surely_latched()]
        whole = handled == self._counter.last and self.merges
        if whole and unhandled == most[-1]:
            # Nothing handled is left for a later answer: the last one has but one reading.
            points.append((np.array([self._last_own]), most[-1:]))
        at, merged = (np.concatenate(each) for each in zip(*points, strict=True))
        order = np.argsort(at, kind="stable")
        self._anchor_at, self._anchor_merged = at[order], np.maximum.accumulate(merged[order])
        self._anchors = [anchors]
        self.undecided = bool((self._at_least(starts) < most).any())

    def _surely_latched(self) -> list[tuple[Int64Array, Int64Array]]:
        """Return the places and numbers of surely merged ones that the counts do not contradict."""
        if not self._least_at:
            return []
        at, merged = np.concatenate(self._least_at), np.concatenate(self._least_merged)
        run = np.searchsorted(self._starts[0], at, side="right") - 1
        possible = merged <= self._values[0][run]
        return [(at[possible], merged[possible])]

    def merged_before(self, first: int, count: int) -> Int64Array:
        """Return M_j of answers first .. first + count - 1, shape (count,)."""
        starts, values = self._starts[0], self._values[0]
        if count == 0:
            return np.empty(0, np.int64)
        run = np.searchsorted(starts, np.arange(first, first + count), side="right") - 1
        merged: Int64Array = values[run]
        return merged

    def merged_at_least(self, first: int, count: int) -> Int64Array:
        """Return L_j of answers first .. first + count - 1, shape (count,)."""
        return self._at_least(np.arange(first, first + count))

    def _at_least(self, answers: Int64Array) -> Int64Array:
        place = np.searchsorted(self._anchor_at, answers, side="right")
        return np.concatenate([np.zeros(1, np.int64), self._anchor_merged])[place]
