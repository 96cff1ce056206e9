# SPDX-License-Identifier: GPL-3.0-or-later
"""The wander of each pair of a run's clocks: Allan deviations, of runs long enough for them.

Target and stimulus are each followed by the analyzer's clock; against each other they are known by
the difference of these two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.clocks.allan import clock_phase, overlapping_adev
from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Rates, stamp_brackets
from rig.analysis.clocks.clock import Clock
from rig.analysis.crosscheck.run_brackets import FittedClock
from rig.analysis.model.settings import Settings
from rig.analysis.signals.response_times import AnswerTimes
from rig.arrays import FloatArray
from rig.instruments import Int64Array

SHORTEST_S = 10.0
"""Shortest run: in a shorter one all deviations would be those of the resolution."""
POINTS_MAX, POINTS_MIN = 2048, 32
_EVENTS_A_POINT = 20
_KEPT_MAX = 1 << 20
_TERMS_MIN = 4
"""Fewest second differences that a deviation needs."""


@dataclass(frozen=True)
class ClockStability:
    """The wander of one pair of clocks; tuples of the same length, by averaging time."""

    pair: str
    """Names of the clocks, such as "target against analyzer"."""
    tau_s: tuple[float, ...]
    deviation: tuple[float, ...]
    """Overlapping Allan deviation, a relative frequency."""
    floor: tuple[float, ...]
    """Largest deviation that the resolution alone could give two perfect clocks."""


@dataclass(frozen=True)
class FollowedClock:
    """A clock by the analyzer's, and the samples between which it was followed."""

    clock: Clock
    first_sample: int
    last_sample: int
    events: int


def followed(
    fitted: FittedClock | None, times: AnswerTimes, agreement: ClockAgreement | None
) -> FollowedClock | None:
    """Return the target's clock, from the answers that it was fitted to; None without one."""
    if fitted is None or agreement is None or agreement.n < 1:
        return None
    first, last = (int(times.read(number, 1)[0]) for number in (0, agreement.n - 1))
    return FollowedClock(fitted.clock, first, last, agreement.n)


class PlannedTimes:
    """Stimulus edges whose planned ticks are known, the first _KEPT_MAX of them."""

    def __init__(self, end_sample: int | None = None) -> None:
        """Collect edges before `end_sample`, such as the first hole in the samples."""
        self._end = end_sample
        self._kept = 0
        self._parts: list[tuple[Int64Array, Int64Array]] = []

    def add(self, sample: Int64Array, planned_ticks: Int64Array) -> None:
        """Add the next edges, shapes (n,); -1: not known when it was planned."""
        if self._kept >= _KEPT_MAX:
            return
        known = planned_ticks >= 0
        if self._end is not None:
            known &= sample < self._end
        self._parts.append((sample[known], planned_ticks[known]))
        self._kept += int(np.count_nonzero(known))

    def followed(self, settings: Settings) -> FollowedClock | None:
        """Return the stimulus's clock; None if the run is too short, or no clock fits."""
        if not self._kept:
            return None
        sample, ticks = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        if (int(sample[-1]) - int(sample[0])) / settings.sample_rate_hz < SHORTEST_S:
            return None
        clocks = settings.sample_rate_hz, settings.stimulus_clock_hz
        rates = Rates(*clocks, settings.clocks.stimulus_ppm_per_s)
        try:
            source = stamp_brackets(sample, ticks - ticks[0])
            clock = Clock(source, bracket_test(source, rates))
        except ValueError:  # edges that share a sample, or a clock that jumps: told elsewhere
            return None
        return FollowedClock(clock, int(sample[0]), int(sample[-1]), len(sample))


def clock_stabilities(
    target: FollowedClock | None, stimulus: FollowedClock | None, sample_rate_hz: int
) -> tuple[ClockStability, ...]:
    """Return the wander of each pair of clocks that could be followed for long enough."""
    named = {"target": target, "stimulus": stimulus}
    known = {name: clock for name, clock in named.items() if clock is not None}
    found = []
    for name, clock in known.items():
        phases = _phases([clock], sample_rate_hz)
        if phases is not None:
            found.append(_wander(f"{name} against analyzer", phases))
    if len(known) > 1:
        phases = _phases(list(known.values()), sample_rate_hz)
        if phases is not None:
            found.append(_wander("target against stimulus", phases))
    return tuple(found)


@dataclass(frozen=True)
class _Phases:
    """Phases on a regular grid, and by how much each may be off."""

    phase_s: FloatArray
    interval_s: float
    error_s: float


def _phases(clocks: list[FollowedClock], sample_rate_hz: int) -> _Phases | None:
    """Return the phases of the first clock, less those of the second if there is one."""
    first = max(clock.first_sample for clock in clocks)
    last = min(clock.last_sample for clock in clocks)
    span_s = (last - first) / sample_rate_hz
    if span_s < SHORTEST_S:
        return None
    spacing_s = max(
        (c.last_sample - c.first_sample) / sample_rate_hz / max(1, c.events - 1) for c in clocks
    )
    interval_s = _round_up(max(span_s / POINTS_MAX, _EVENTS_A_POINT * spacing_s))
    if span_s / interval_s < POINTS_MIN:
        return None
    try:
        found = [clock_phase(each.clock, first, last, interval_s) for each in clocks]
    except ValueError:  # the events around some point contradict the drift bound
        return None
    phase_s, error_s = found[0]
    for other, other_error_s in found[1:]:
        phase_s, error_s = phase_s - other, error_s + other_error_s
    return _Phases(phase_s, interval_s, error_s)


def _wander(pair: str, phases: _Phases) -> ClockStability:
    found = overlapping_adev(phases.phase_s, phases.interval_s, phase_error_s=phases.error_s)
    good = np.isfinite(found.deviation) & (found.terms >= _TERMS_MIN)
    columns = (found.tau_s[good], found.deviation[good], found.floor[good])
    return ClockStability(pair, *(tuple(column.tolist()) for column in columns))


def _round_up(time_s: float) -> float:
    """Return the time rounded up to 1, 2 or 5 times a power of ten."""
    decade: float = 10.0 ** math.floor(math.log10(time_s))
    return next(step * decade for step in (1, 2, 5, 10) if step * decade >= time_s * (1 - 1e-9))
