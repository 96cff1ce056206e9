# SPDX-License-Identifier: GPL-3.0-or-later
"""Which answer belongs to which stimulus.

Let stimulus edges be numbered 1, 2, ... and let answer j carry the target's handler count c_j: how
many interrupts the handler had seen when it answered. If no interrupt were ever lost, answer j
would belong to stimulus c_j. Each interrupt that the target could not see, because it was still
pending when the next one came (merged), shifts that by one for all later answers: answer j belongs
to stimulus c_j + m_j, with m_j the number of merged interrupts so far, which never falls.

Causality bounds m_j from above: the stimulus must come before its answer, c_j + m_j <= k_j, where
k_j counts the stimuli up to answer j. With d_j = k_j - c_j, the largest m that never falls and
stays within that bound is the minimum of d over all *later* answers, m_j = min(d_j, d_j+1, ...).
So a late answer is told from a merged interrupt by what follows: behind a late answer the target
catches up (d returns), behind a merged one it never does. Decision record 0004 has the limits of
this rule.

A handler count that jumps tells of interrupts that were handled and got no answer of their own:
missed. If the answer's record in the log says that it serves them too (coalesced), they are merged.

Two passes over the data keep memory flat: the first finds m (kept as runs), the second pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array, UInt8Array


class EventClass(IntEnum):
    """What became of a stimulus edge."""

    ANSWERED = 0
    LATE = 1
    """Answered, but only after the next stimulus edge."""
    MISSED = 2
    """No answer belongs to it."""
    MERGED = 3
    """Still pending when the next one came; both were served by one answer, which is its too."""


class ExtraClass(IntEnum):
    """What an answer edge is that belongs to no stimulus."""

    DUPLICATE = 0
    """A further answer to an interrupt that had one."""
    SPURIOUS = 1
    """An answer without any stimulus to belong to."""


@dataclass(frozen=True)
class Counts:
    """Every stimulus is in exactly one of the first four; n is their sum."""

    n: int
    answered: int
    late: int
    missed: int
    merged: int
    duplicate: int
    spurious: int
    glitches: int


class PinCounter:
    """Unwraps the value of the sequence pins into the handler count, stretch by stretch."""

    def __init__(self, sequence_bits: int) -> None:
        self._modulus = 1 << sequence_bits
        self._last = 0

    def feed(self, sequence: Int64Array) -> Int64Array:
        """Shapes (n,). Exact while fewer than 2**bits - 1 interrupts in a row go unanswered."""
        if len(sequence) == 0:
            return sequence
        before = np.concatenate([[self._last % self._modulus], sequence[:-1]])
        counts: Int64Array = self._last + np.cumsum((sequence - before) % self._modulus)
        self._last = int(counts[-1])
        return counts


@dataclass(frozen=True)
class _Counted:
    """Answers of a stretch, counted against the stimuli before them. All shapes (n,)."""

    before: Int64Array
    """Stimuli seen up to this answer."""
    count: Int64Array
    """Handler count less the surplus: never above `before`."""
    repeated: npt.NDArray[np.bool_]
    """The handler count did not move: the same interrupt was answered again."""
    surplus: npt.NDArray[np.bool_]
    """More interrupts handled than stimuli sent: this one had no stimulus."""


class _Counter:
    """Counts answers against stimuli; both passes run the same one over the same data.

    Without handler counts each answer counts as one interrupt ("by order").
    """

    def __init__(self) -> None:
        self._stimuli = 0
        self._answers = 0
        self._surplus = 0
        self._last = 0

    def feed(
        self, stimulus: Int64Array, response: Int64Array, count: Int64Array | None
    ) -> _Counted:
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
        return _Counted(before, count - surplus, repeated, grew)


class MergeProfile:
    """First pass: finds m_j, the number of merged interrupts before each answer.

    Feed all stretches in order, then call `finish`; `merged_before` then serves the second pass.
    """

    def __init__(self) -> None:
        self._counter = _Counter()
        self._starts: list[Int64Array] = []
        self._values: list[Int64Array] = []
        self._answers = 0
        self._last: int | None = None

    def feed(self, stimulus: Int64Array, response: Int64Array, count: Int64Array | None) -> None:
        """A stretch: shapes (n,), (m,), (m,); count None pairs by order alone."""
        counted = self._counter.feed(stimulus, response, count)
        deficit = counted.before - counted.count
        if len(deficit):
            changed = np.empty(len(deficit), bool)
            changed[0] = deficit[0] != self._last
            np.not_equal(deficit[1:], deficit[:-1], out=changed[1:])
            where = np.flatnonzero(changed)
            self._starts.append(self._answers + where)
            self._values.append(deficit[where])
            self._last = int(deficit[-1])
        self._answers += len(response)

    def finish(self) -> None:
        """All answers have been seen: turn deficits into merged counts."""
        empty = np.empty(0, np.int64)
        starts = np.concatenate([empty, *self._starts])
        values = np.concatenate([empty, *self._values])
        values = np.minimum.accumulate(values[::-1])[::-1]
        self._starts, self._values = [starts], [values]

    def merged_before(self, first: int, count: int) -> Int64Array:
        """m_j of answers first .. first + count - 1, shape (count,)."""
        starts, values = self._starts[0], self._values[0]
        if count == 0:
            return np.empty(0, np.int64)
        run = np.searchsorted(starts, np.arange(first, first + count), side="right") - 1
        merged: Int64Array = values[run]
        return merged


@dataclass(frozen=True)
class Events:
    """A stretch of stimuli with what became of them, and the answers that belong to none."""

    first: int
    """Number of the first stimulus of this stretch, from 0."""
    stimulus: Int64Array
    """Shape (n,), sample of the stimulus edge."""
    response: Int64Array
    """Shape (n,), sample of the answer edge, -1 if there is none."""
    answer: Int64Array
    """Shape (n,), number of the answer edge, from 0, -1 if there is none."""
    kind: UInt8Array
    """Shape (n,), EventClass."""
    extra_sample: Int64Array
    """Shape (e,), sample of an answer that belongs to no stimulus."""
    extra_kind: UInt8Array
    """Shape (e,), ExtraClass."""


Coalesced = Callable[[int, int], npt.NDArray[np.bool_]]
"""Number of the first answer, how many: shape (n,), whether an answer also serves the interrupts
that were handled since the answer before it."""


def none_coalesced(_first: int, count: int) -> npt.NDArray[np.bool_]:
    """Without a log that tells, no answer is known to."""
    return np.zeros(count, np.bool_)


class Pairer:
    """Second pass: pairs stretch by stretch. Memory: the stimuli not yet decided."""

    def __init__(self, profile: MergeProfile, coalesced: Coalesced = none_coalesced) -> None:
        self._profile = profile
        self._coalesced = coalesced
        self._counter = _Counter()
        self._pending = np.empty(0, np.int64)
        self._first = 0  # number of the first pending stimulus, from 0
        self._answers = 0
        self._last_merged = 0

    def feed(self, stimulus: Int64Array, response: Int64Array, count: Int64Array | None) -> Events:
        """Pair a stretch; returns the stimuli that it decides."""
        counted = self._counter.feed(stimulus, response, count)
        self._pending = np.concatenate([self._pending, stimulus])
        merged = self._profile.merged_before(self._answers, len(response))
        number = self._answers + np.arange(len(response))
        shared = self._coalesced(self._answers, len(response))
        self._answers += len(response)
        extra = counted.repeated | counted.surplus
        # By order alone an answer too many can only be a second one to an earlier stimulus.
        duplicate = counted.repeated | (counted.surplus if count is None else False)
        kind = np.where(duplicate & (counted.before > 0), ExtraClass.DUPLICATE, ExtraClass.SPURIOUS)
        own = ~extra
        owner = counted.count[own] + merged[own] - 1  # number of the stimulus, from 0
        first, decided = self._decide(owner, response[own], number[own])
        if count is not None:
            self._mark_merged(decided, owner - first, merged[own], shared[own])
        return Events(first, *decided, response[extra], kind[extra].astype(np.uint8))

    def finish(self) -> Events:
        """No more answers: all stimuli still pending were missed."""
        left, first = self._pending, self._first
        self._pending, self._first = left[:0], first + len(left)
        none = np.full(len(left), -1, np.int64)
        kind = np.full(len(left), EventClass.MISSED, np.uint8)
        return Events(first, left, none, none.copy(), kind, left[:0], kind[:0])

    def _decide(
        self, owner: Int64Array, response: Int64Array, number: Int64Array
    ) -> tuple[int, tuple[Int64Array, Int64Array, Int64Array, UInt8Array]]:
        first = self._first
        n = int(owner[-1]) + 1 - first if len(owner) else 0
        place = owner - first
        answered = np.full(n, -1, np.int64)
        answer = np.full(n, -1, np.int64)
        kind = np.full(n, EventClass.MISSED, np.uint8)
        answered[place], answer[place] = response, number
        following = np.append(self._pending, np.iinfo(np.int64).max)[1:]
        kind[place] = np.where(response >= following[place], EventClass.LATE, EventClass.ANSWERED)
        stimulus, self._pending = self._pending[:n], self._pending[n:]
        self._first = first + n
        return first, (stimulus, answered, answer, kind)

    def _mark_merged(
        self,
        decided: tuple[Int64Array, Int64Array, Int64Array, UInt8Array],
        place: Int64Array,
        merged: Int64Array,
        shared: npt.NDArray[np.bool_],
    ) -> None:
        """Stimuli just before one that shares its answer with them take that answer too."""
        _, answered, answer, kind = decided
        newly = np.diff(merged, prepend=self._last_merged)
        # A coalesced answer serves all since the answer before it, merged in the hardware or not.
        newly = np.where(shared, np.diff(place, prepend=-1) - 1, newly)
        for j in np.flatnonzero(newly > 0):
            last = int(place[j])
            span = slice(max(0, last - int(newly[j])), last)
            kind[span], answered[span], answer[span] = (
                EventClass.MERGED,
                answered[last],
                answer[last],
            )
        if len(merged):
            self._last_merged = int(merged[-1])


def latencies(events: Events) -> npt.NDArray[np.int64]:
    """Samples from stimulus edge to answer edge, of every stimulus that was served, in order.

    Merged interrupts are in it: the first of them waited for the shared answer as long as this
    says, and leaving it out would hide the worst wait of all.
    """
    served = events.response >= 0
    result: Int64Array = events.response[served] - events.stimulus[served]
    return result
