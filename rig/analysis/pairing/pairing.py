# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing of answers with stimuli.

Let stimulus edges be numbered 1, 2, ... and let answer j have the target's handler count c_j: how
many interrupts the handler had seen when it answered. If no interrupt were ever lost, answer j
would belong to stimulus c_j. Each interrupt that the target could not see, because it was still
pending when the next one came (merged), shifts that by one for all later answers: answer j belongs
to stimulus c_j + m_j, with m_j the number of merged interrupts so far, which never falls.

Between which two numbers m_j lies, deficits.py finds from causality, from all later
answers and from the times at which handlers were entered, where the log has them. Where it leaves
more than one, both ends are paired: the *early* reading, in which interrupts merged as soon as they
can have and answers are as prompt as can be, and the *late* reading. Stimuli for which the two are
the same are decided; the others are ambiguous, and their latency lies between those of the two.
Decision records 0004 and 0027 have the reasons.

A handler count that jumps means interrupts that were handled and got no answer of their own:
missed. If the flags of its log record have it serve them too (coalesced), they are merged.
If others were merged beside missed ones, it is unknown with which: these are ambiguous too.

Two passes over the data keep memory flat: the first finds m (kept as runs), the second pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.model.events import EventClass, ExtraClass
from rig.analysis.pairing.deficits import AnswerCounter, MergeProfile
from rig.instruments import Int64Array, UInt8Array


class PinCounter:
    """A counter that unwraps the sequence pins' value into the handler count, in stretches."""

    def __init__(self, sequence_bits: int) -> None:
        self._modulus = 1 << sequence_bits
        self._last = 0

    def feed(self, sequence: Int64Array) -> Int64Array:
        """Return counts, shape (n,), exact if fewer than 2**bits - 1 in a row go unanswered."""
        if len(sequence) == 0:
            return sequence
        before = np.concatenate([[self._last % self._modulus], sequence[:-1]])
        counts: Int64Array = self._last + np.cumsum((sequence - before) % self._modulus)
        self._last = int(counts[-1])
        return counts


@dataclass(frozen=True)
class Reading:
    """The classes and answers of stimuli if one reading is the true one. All shapes (n,)."""

    response: Int64Array
    """Sample of the first answer edge that is not for an earlier stimulus, -1 if none came. It
    served this one, unless `kind` is MISSED."""
    answer: Int64Array
    """Number of that edge, from 0."""
    kind: UInt8Array
    """EventClass; AMBIGUOUS where it is either missed or merged, whatever the reading."""

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def joined(cls, first: Reading, second: Reading) -> Reading:
        """Return two readings as one, one after the other."""
        pairs = ((getattr(r, name) for r in (first, second)) for name in _READING)
        return cls(*(np.concatenate(list(pair)) for pair in pairs))

    def split(self, count: int) -> tuple[Reading, Reading]:
        """Return the reading of the first so many stimuli, and that of the others."""
        columns = [getattr(self, name) for name in _READING]
        return Reading(*(c[:count] for c in columns)), Reading(*(c[count:] for c in columns))

    @classmethod
    def unanswered(cls, count: int) -> Reading:
        """Return a reading of so many stimuli without an answer to any."""
        none = np.full(count, -1, np.int64)
        return cls(none, none.copy(), np.full(count, EventClass.MISSED, np.uint8))


_READING = ("response", "answer", "kind")


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
    readings: tuple[Reading, Reading] | None = None
    """Early and late reading of all these stimuli; None: they are equal. Of an ambiguous stimulus
    `response` and `answer` above are those of the late one, so that no wait is hidden."""


Coalesced = Callable[[int, int], npt.NDArray[np.bool_]]
"""Function of the first answer's number and a count n: shape (n,), whether an answer also serves
the interrupts that were handled since the answer before it."""


def none_coalesced(_first: int, count: int) -> npt.NDArray[np.bool_]:
    """Return False for each answer: without a log none is known to serve several interrupts."""
    return np.zeros(count, np.bool_)


class _Reader:
    """The pairing by one reading, stretch by stretch."""

    def __init__(self) -> None:
        self.first = 0
        """Number of the first stimulus that is not decided, from 0."""
        self._last_merged = 0

    def follow(self, other: _Reader) -> None:
        """Take over the state of another reading that has decided the same."""
        self.first, self._last_merged = other.first, other._last_merged

    def feed(self, pending: Int64Array, answers: _Answers, merged: Int64Array) -> Reading:
        """Return the reading of pending stimuli, from number `first` on, that answers decide."""
        place = answers.count + merged - 1 - self.first
        n = int(place[-1]) + 1 if len(place) else 0
        which = np.searchsorted(place, np.arange(n)) if n > len(place) else slice(None)
        kind = np.full(n, EventClass.MISSED, np.uint8)
        following = np.append(pending[1 : n + 1], np.full(max(0, n + 1 - len(pending)), _NEVER))
        late = answers.sample >= following[place]
        kind[place] = np.where(late, EventClass.LATE, EventClass.ANSWERED)
        if answers.counted:
            self._mark_merged(kind, place, merged, answers.shared)
        self.first += n
        if len(merged):
            self._last_merged = int(merged[-1])
        return Reading(answers.sample[which], answers.number[which], kind)

    def _mark_merged(
        self, kind: UInt8Array, place: Int64Array, merged: Int64Array, shared: npt.NDArray[np.bool_]
    ) -> None:
        """Mark stimuli just before one that shares its answer with them: they take it too."""
        newly = np.diff(merged, prepend=self._last_merged)
        between = np.diff(place, prepend=-1) - 1
        # A coalesced answer serves all since the answer before it, merged in the hardware or not.
        newly = np.where(shared, between, newly)
        for j in np.flatnonzero(newly > 0):
            last = int(place[j])
            # Beside missed ones nothing tells whether they were merged with those or with this.
            alone = int(newly[j]) == int(between[j])
            found = EventClass.MERGED if alone else EventClass.AMBIGUOUS
            kind[max(0, last - int(newly[j])) : last] = found


_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class _Answers:
    """Answers that belong to a stimulus each. Shapes (n,)."""

    count: Int64Array
    """Handler count less the surplus."""
    sample: Int64Array
    number: Int64Array
    shared: npt.NDArray[np.bool_]
    counted: bool
    """False: by order alone, which does not show merged interrupts."""


class Pairer:
    """The second pass: pairing by both readings. Memory: the stimuli not yet decided."""

    def __init__(self, profile: MergeProfile, coalesced: Coalesced = none_coalesced) -> None:
        self._profile = profile
        self._coalesced = coalesced
        self._counter = AnswerCounter()
        self._pending = np.empty(0, np.int64)
        """Stimuli that the late reading has not decided."""
        self._answers = 0
        self._early, self._late = _Reader(), _Reader()
        self._last_own = -1, -1
        self._first = 0  # number of the first stimulus not handed out, from 0
        self._ahead = Reading.unanswered(0)
        """Stimuli that the early reading has decided beyond the late one."""

    def feed(self, stimulus: Int64Array, response: Int64Array, count: Int64Array | None) -> Events:
        """Pair a stretch, and return the stimuli that it decides."""
        counted = self._counter.feed(stimulus, response, count)
        self._pending = np.concatenate([self._pending, stimulus])
        extra = counted.repeated | counted.surplus
        # By order alone an answer too many can only be a second one to an earlier stimulus.
        duplicate = counted.repeated | (counted.surplus if count is None else False)
        kind = np.where(duplicate & (counted.before > 0), ExtraClass.DUPLICATE, ExtraClass.SPURIOUS)
        own = ~extra
        answers = _Answers(
            counted.count[own],
            response[own],
            (self._answers + np.arange(len(response)))[own],
            self._coalesced(self._answers, len(response))[own],
            count is not None,
        )
        most = self._profile.merged_before(self._answers, len(response))[own]
        least = most
        if self._profile.undecided:
            least = self._profile.merged_at_least(self._answers, len(response))[own]
        self._answers += len(response)
        if own.any():
            self._last_own = int(answers.sample[-1]), int(answers.number[-1])
        early, late = self._read(answers, most, least)
        return self._events(early, late, response[extra], kind[extra].astype(np.uint8))

    def finish(self) -> Events:
        """Return all stimuli still pending, as missed."""
        none = np.empty(0, np.int64)
        left = len(self._pending)
        early = Reading.joined(self._ahead, Reading.unanswered(left - len(self._ahead)))
        late = Reading.unanswered(left)
        # By the late reading these were not answered; if they were, then by the last one at most.
        ahead = slice(len(self._ahead))
        late.response[ahead], late.answer[ahead] = self._last_own
        late.kind[ahead] = EventClass.AMBIGUOUS
        self._ahead = Reading.unanswered(0)
        return self._events(early, late, none, none.astype(np.uint8))

    def _read(
        self, answers: _Answers, most: Int64Array, least: Int64Array
    ) -> tuple[Reading, Reading]:
        """Return both readings of as many stimuli as both decide."""
        ahead = len(self._ahead)
        found = self._early.feed(self._pending[ahead:], answers, most)
        if not ahead and (least is most or np.array_equal(least, most)):
            self._late.follow(self._early)
            return found, found
        late = self._late.feed(self._pending, answers, least)
        early, self._ahead = Reading.joined(self._ahead, found).split(len(late))
        return early, late

    def _events(
        self, early: Reading, late: Reading, extra_sample: Int64Array, extra_kind: UInt8Array
    ) -> Events:
        n, first = len(late), self._first
        self._first += n
        stimulus, self._pending = self._pending[:n], self._pending[n:]
        response, answer, kind, readings = late.response, late.answer, late.kind, None
        if early is not late or (kind == EventClass.AMBIGUOUS).any():
            unlike = (early.answer != answer) | (early.kind != kind)
            kind = np.where(unlike, np.uint8(EventClass.AMBIGUOUS), kind)
            readings = (early, late) if (kind == EventClass.AMBIGUOUS).any() else None
        missed = kind == EventClass.MISSED
        if missed.any():
            response, answer = np.where(missed, -1, response), np.where(missed, -1, answer)
        return Events(first, stimulus, response, answer, kind, extra_sample, extra_kind, readings)


def latencies(events: Events) -> npt.NDArray[np.int64]:
    """Return the samples from stimulus to answer edge of every stimulus that was served, in order.

    Merged interrupts are included: the first of them waited for the shared answer for so long,
    and leaving it out would hide the worst wait of all.
    """
    served = events.response >= 0
    result: Int64Array = events.response[served] - events.stimulus[served]
    return result
