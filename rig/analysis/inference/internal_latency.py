# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency inside the target beside the external one, event by event, over a whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.clocks.latency import InternalLatencyBounds, stimulus_to_handler
from rig.analysis.crosscheck.constants import response_path
from rig.analysis.crosscheck.run_brackets import FittedClock
from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.uncertainty.effects import SystematicEffects, of_latency
from rig.analysis.uncertainty.error_model import PIN_WRITE, PPM, BenchErrorModel
from rig.arrays import FloatArray
from rig.instruments import LOG_ENTRY, LOG_LEAD, UNKNOWN_PS, Int64Array

_LIMIT = 3.0
"""Number of standard uncertainties that count as the limit of a quantity without limits."""
_RATE_PPM = 1000.0
"""Largest error of the counter's declared rate; a larger one is found by another witness."""
PAIRS_MAX = 1 << 14
"""Most pairs kept for a plot, the first ones."""


@dataclass(frozen=True)
class StageTimes:
    """The times of one part of a latency."""

    average_ns: float
    min_ns: float
    max_ns: float


@dataclass(frozen=True)
class LatencyStages:
    """The parts of the internal latency, of events whose record tells the handler's entry.

    Of lines of a GPIO chip the entry is the time stamp that the kernel gave the event.
    """

    n: int
    to_entry: StageTimes
    """From the stimulus edge to the handler's entry."""
    from_entry: StageTimes
    """From there to the reading before the pin write."""


class _StageTally:
    """A tally of the times of one part."""

    def __init__(self) -> None:
        self.n, self._sum, self._min, self._max = 0, 0.0, np.inf, -np.inf

    def add(self, times_ns: FloatArray) -> None:
        self.n += len(times_ns)
        self._sum += float(times_ns.sum())
        self._min = min(self._min, float(times_ns.min(initial=np.inf)))
        self._max = max(self._max, float(times_ns.max(initial=-np.inf)))

    def result(self) -> StageTimes:
        return StageTimes(self._sum / self.n, self._min, self._max)


@dataclass(frozen=True)
class InternalLatencySummary:
    """Latency from the stimulus edge to the reading before the pin write, of answered events."""

    n: int
    average_ns: float
    min_ns: float
    max_ns: float
    within_ns: float
    """Largest error of each value, if the bench is as it is stated."""
    rest_average_ns: float
    """External latency less the internal one: the way from that reading to the pin's edge."""
    pairs_ns: tuple[FloatArray, FloatArray] = field(
        compare=False, default_factory=lambda: (np.empty(0), np.empty(0))
    )
    """External and internal latencies, at most PAIRS_MAX."""
    stages: LatencyStages | None = None
    """Its two parts; None if no record tells when the handler was entered."""


class InternalLatencyTally:
    """A tally of internal latencies event by event, in constant memory."""

    def __init__(
        self, fitted: FittedClock | None, log: ResponseLog, bench: BenchErrorModel
    ) -> None:
        self._fitted, self._log, self._sample_ns = fitted, log, bench.sample_ns
        effects = of_latency(bench)
        self._delays_ns, self._time_base = _delays_ns(effects), _time_base(effects)
        path = response_path(bench)
        self._entry_allowance_ns = path.reach_ns - path.estimate_ns
        self._early_entries, self._earliest_ns, self._first_early = 0, 0.0, -1
        self._n, self._kept = 0, 0
        self._sum = self._rest = self._within = 0.0
        self._min, self._max = np.inf, -np.inf
        self._pairs: list[tuple[FloatArray, FloatArray]] = []
        self._to_entry, self._from_entry = _StageTally(), _StageTally()

    def add(self, events: Events) -> Int64Array:
        """Add the next events; those without an answer of their own have no record.

        Returns the latency of each in ps, shape (n,), or UNKNOWN_PS.
        """
        values = np.full(len(events.answer), UNKNOWN_PS, np.int64)
        known = np.flatnonzero(events.answer >= 0)
        if self._fitted is None or not len(known):
            return values
        answer = events.answer[known]
        first = int(answer[0])
        ticks = self._log.column("before_ticks", first, int(answer[-1]) + 1 - first)
        logged = answer - first < len(ticks)
        answer = answer[logged]
        if not len(answer):
            return values
        before = self._fitted.ticks_since(ticks[answer - first])
        stimulus = events.stimulus[known][logged]
        response = events.response[known][logged]
        try:
            found = stimulus_to_handler(self._fitted.clock, stimulus, before)
        except ValueError:  # the bounds do not reach these events
            self._fitted = None
            return values
        external = (response - stimulus).astype(np.float64) * self._sample_ns
        self._count(external, found.middle_ns, (found.highest_ns - found.lowest_ns) / 2)
        self._look_at_entries(found, answer, events.first + known[logged])
        values[known[logged]] = np.rint(found.middle_ns * 1e3).astype(np.int64)
        return values

    def _count(self, external: FloatArray, inside: FloatArray, within: FloatArray) -> None:
        self._n += len(inside)
        self._sum += float(inside.sum())
        self._rest += float((external - inside).sum())
        self._min, self._max = min(self._min, inside.min()), max(self._max, inside.max())
        bounds = within + self._delays_ns + self._time_base * np.abs(inside)
        self._within = max(self._within, float(bounds.max()))
        room = PAIRS_MAX - self._kept
        if room > 0:
            self._pairs.append((external[:room], inside[:room]))
            self._kept += len(external[:room])

    def _look_at_entries(
        self, found: InternalLatencyBounds, answer: Int64Array, number: Int64Array
    ) -> None:
        """Add the stages of latencies, and count handlers entered too early.

        `found`: the times from stimuli to readings. `answer` and `number`: of these answers and
        stimuli.
        """
        first = int(answer[0])
        place, count = answer - first, int(answer[-1]) + 1 - first
        told = (self._log.column("flags", first, count)[place] & np.uint32(LOG_ENTRY)) != 0
        if self._fitted is None or not told.any():
            return
        lead_ticks = self._log.column(LOG_LEAD, first, count)[place]
        lead_ns = lead_ticks * self._fitted.clock.rates.tick_ns
        self._from_entry.add(lead_ns[told])
        self._to_entry.add((found.middle_ns - lead_ns)[told])
        lead_ns = lead_ticks * self._tick_ns(self._fitted)
        # An entry may seem that much before its stimulus by the delays of wires and inputs.
        after_ns = np.where(told, found.highest_ns - lead_ns + self._entry_allowance_ns, 0.0)
        early = np.flatnonzero(after_ns < 0)
        if not len(early):
            return
        if not self._early_entries:
            self._first_early = int(number[early[0]])
        self._early_entries += len(early)
        self._earliest_ns = max(self._earliest_ns, float(-after_ns[early].min()))

    @staticmethod
    def _tick_ns(fitted: FittedClock) -> float:
        """Return the shortest time that a tick can be."""
        return fitted.clock.rates.tick_ns * (1 - _RATE_PPM * PPM)

    def entry_witness(self) -> tuple[Witness, ...]:
        """Return a witness that disagrees if handlers were entered before stimuli; else none."""
        if not self._early_entries:
            return ()
        text = (
            f"{self._early_entries:,} of {self._n:,} handlers entered before the stimulus that "
            f"they answer, by up to {self._earliest_ns:,.0f} ns more than wires explain, the first "
            f"at stimulus {self._first_early:,}"
        )
        return (Witness("handler's entry", False, text),)

    def result(self) -> InternalLatencySummary | None:
        """Return the summary; None if no event could be mapped."""
        if self._fitted is None or not self._n:
            return None
        external, inside = (np.concatenate(part) for part in zip(*self._pairs, strict=True))
        return InternalLatencySummary(
            self._n, self._sum / self._n, float(self._min), float(self._max), self._within,
            self._rest / self._n, (external, inside), self._stages(),
        )  # fmt: skip

    def _stages(self) -> LatencyStages | None:
        n = self._to_entry.n
        if not n:
            return None
        return LatencyStages(n, self._to_entry.result(), self._from_entry.result())


def _delays_ns(effects: SystematicEffects) -> float:
    """Return how far the stated delays of channels and wires may put an event off."""
    parts = [part for part in effects.offsets if part.name != PIN_WRITE]
    return math.fsum(abs(p.correction) + p.quantity.half_width(_LIMIT) for p in parts)


def _time_base(effects: SystematicEffects) -> float:
    """Return how far the analyzer's clock may be off, as a part of the time measured."""
    rates = [each.quantity for each in effects.scales]
    return PPM * math.fsum(abs(rate.estimate) + rate.half_width(_LIMIT) for rate in rates)
