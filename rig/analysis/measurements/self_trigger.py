# SPDX-License-Identifier: GPL-3.0-or-later
"""A target that makes its own interrupts: their latency from outside and from inside.

From outside it lies between two edges. From inside it lies between two records of the target's
log, by its cycle counter: the trigger's pin write and the answer's. Two witnesses that share no
clock show the same events. The records are paired like the edges, but by themselves: what the
analyzer did not see has a latency inside all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import DelayRange, PathDelay
from rig.analysis.crosscheck.edge_intervals import PinPairs
from rig.analysis.log.responses import CHUNK, ResponseLog, are_answers, are_triggers
from rig.analysis.model.details import Details
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.deficits import MergeProfile
from rig.analysis.pairing.handler_count import handled_of
from rig.analysis.pairing.pairing import Events, Pairer
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import LOG_COALESCED, Int64Array, LogArray

_TICKS_MAX = 2**62
"""Largest time since the first record; the difference of two fits 64 bits."""


@dataclass(frozen=True)
class BracketComparison:
    """A comparison of latencies by pins with what the records of the same events allow."""

    compared: int
    outside: int
    """Number that are too long or too short by more than a sample and a tick."""
    first_outside: int | None
    """Number of the first stimulus of these, from 0."""
    least_ns: float | None
    """Smallest and largest of outside less inside latency; None if none was compared."""
    most_ns: float | None


@dataclass(frozen=True)
class SelfTriggerFigures(Details):
    """The figures of the same latencies by two witnesses."""

    kind = "self_trigger"

    external: DescriptiveStatistics
    """Latency from the trigger's edge to the answer's, by the analyzer."""
    internal: DescriptiveStatistics
    """Latency from just before the trigger's pin write to just before the answer's, on the cycle
    counter at its nominal rate."""
    triggers: int
    """Number of triggers in the log."""
    brackets: BracketComparison


class BracketTally:
    """The comparison of both witnesses, event by event."""

    def __init__(
        self,
        raw: RawRun,
        answers: ResponseLog,
        settings: Settings,
        path: PathDelay,
        agreement: ClockAgreement | None = None,
    ) -> None:
        """Begin without events; `path`: delay of the answers' channel less the triggers'."""
        self.triggers = ResponseLog(raw, are_triggers)
        self._answers = answers
        self._pairs = PinPairs.of(settings, agreement)
        self.delays = DelayRange.about(path)
        self._compared = self._outside = 0
        self._first_outside: int | None = None
        self._least_ns, self._most_ns = np.inf, -np.inf

    def add(self, events: Events) -> None:
        """Add the next events; there must be one record for each edge of either pin."""
        place = np.flatnonzero(events.answer >= 0)
        if not len(place):
            return
        trigger = _rows(self.triggers, events.first + place)
        answer = _rows(self._answers, events.answer[place])
        samples = (events.response - events.stimulus)[place]
        outside_ns = samples * self._pairs.sample_ns
        inside_ns = self._pairs.ticks_ns(answer["before_ticks"], trigger["before_ticks"])
        self.delays, unfit = self._pairs.narrow(self.delays, samples, trigger, answer)
        wrong = np.flatnonzero(unfit)
        if len(wrong) and self._first_outside is None:
            self._first_outside = events.first + int(place[wrong[0]])
        self._compared += len(place)
        self._outside += len(wrong)
        self._least_ns = min(self._least_ns, float((outside_ns - inside_ns).min()))
        self._most_ns = max(self._most_ns, float((outside_ns - inside_ns).max()))

    def brackets(self) -> BracketComparison:
        """Return the comparison of all that was added."""
        n = self._compared
        spread = (self._least_ns, self._most_ns) if n else (None, None)
        return BracketComparison(n, self._outside, self._first_outside, *spread)


def _rows(log: ResponseLog, numbers: Int64Array) -> LogArray:
    """Return records by their numbers, which never fall."""
    first = int(numbers[0])
    rows: LogArray = log.read(first, int(numbers[-1]) + 1 - first)[numbers - first]
    return rows


def inside_latencies(raw: RawRun) -> MeasurandSeries:
    """Return latencies between the records of triggers and answers, in ticks, by the log alone."""
    answers = ResponseLog(raw)

    def coalesced(first: int, count: int) -> npt.NDArray[np.bool_]:
        flags = answers.column("flags", first, count)
        shared: npt.NDArray[np.bool_] = (flags & np.uint32(LOG_COALESCED)) != 0
        return shared

    profile, found = MergeProfile(), MeasurandSeries()
    for stretch in _stretches(raw):
        profile.feed(*stretch)
    profile.finish()
    pairer = Pairer(profile, coalesced)
    for stretch in _stretches(raw):
        _add(found, pairer.feed(*stretch))
    _add(found, pairer.finish())
    return found


def _add(found: MeasurandSeries, events: Events) -> None:
    served = events.response >= 0
    stimulus = events.stimulus[served]
    found.add(events.response[served] - stimulus, stimulus)


def _stretches(raw: RawRun) -> Iterator[tuple[Int64Array, Int64Array, Int64Array]]:
    """Yield ticks of triggers and of answers, and handler counts; a damaged log's never fall."""
    origin, highest = None, 0
    for first in range(0, raw.log_count, CHUNK):
        rows = raw.log(first, CHUNK)
        origin = rows["before_ticks"][0] if origin is None else origin
        since = np.minimum(rows["before_ticks"] - origin, np.uint64(_TICKS_MAX)).astype(np.int64)
        ticks = np.maximum.accumulate(np.maximum(since, highest))
        highest = int(ticks[-1])
        own = are_answers(rows)
        yield ticks[are_triggers(rows)], ticks[own], handled_of(rows[own])


def self_trigger_witnesses(
    figures: SelfTriggerFigures, account: InstrumentCounts, stimuli: int
) -> tuple[Witness, ...]:
    """Compare the trigger pin's edges with the target's log, and each latency with its records."""
    if account.handled is None:
        return ()
    found = [_edges(figures.triggers, account, stimuli)]
    brackets = figures.brackets
    if brackets.compared:
        text = f"{brackets.compared} compared, "
        text += (
            f"{brackets.outside} outside of their records' ticks, the first that of stimulus "
            f"{brackets.first_outside}"
            if brackets.outside
            else "each within its records' ticks, to a sample and a tick"
        )
        found.append(Witness("latency by target log", not brackets.outside, text))
    return tuple(found)


def _edges(logged: int, account: InstrumentCounts, stimuli: int) -> Witness:
    """Compare trigger edges with the log; records that it had no room for may be of triggers."""
    dropped, told = account.log_dropped, account.triggers
    agrees = logged <= stimuli <= logged + dropped and told in (None, stimuli)
    text = f"analyzer {stimuli}, target log {logged} triggers"
    text += f", {dropped} records found it full" if dropped else ""
    text += "" if told in (None, logged) else f", {told} by the agent's count"
    return Witness("stimulus edges", agrees, text)
