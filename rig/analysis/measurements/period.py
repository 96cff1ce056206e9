# SPDX-License-Identifier: GPL-3.0-or-later
"""Period accuracy by one clock: intervals, and latencies against the ideal grid.

Answer number k of a period T is due at a + k * T. The target's own clock makes T, the clock that
judges has another rate, and a is unknown: grid and rate are fitted as the line below all answers
(rig.analysis.clocks.lower_envelope), since no wake-up is early. So the shortest latency is 0 by
definition, and what all wake-ups have in common does not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rig.analysis.clocks.lower_envelope import EarliestLine, EnvelopeLine
from rig.analysis.model.details import Details
from rig.analysis.statistics.descriptive import DescriptiveStatistics, ExactHistogram, statistics
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.arrays import FloatArray, Int64Array

PARTS_MAX = 1000
"""Finest fraction of a time unit to which a nominal period is rounded."""
_FAR = 2.0**61


@dataclass(frozen=True)
class PeriodSide:
    """The figures of the periods by one clock."""

    interval_error: DescriptiveStatistics
    """Time from one answer to the next, less the nominal period."""
    latency: DescriptiveStatistics
    """Latency past the fitted grid, rounded to whole units of the clock."""
    rate_ppm: float | None
    """How much longer the fitted period is than the nominal one; None with fewer than 2 answers."""
    rate_uncertainty_ppm: float | None
    """Standard uncertainty of that rate from the answers' own scatter; None with too few."""
    average_interval_ns: float | None
    """Time from the first answer to the last, divided by the number of intervals."""


@dataclass(frozen=True)
class PeriodFigures(Details):
    """The figures of the same answers by both witnesses."""

    kind = "period"

    nominal_ns: int
    pins: PeriodSide
    """Figures by edges, on the analyzer's clock."""
    ticks: PeriodSide | None
    """Figures by the log, on the target's counter at its nominal rate; None without a log."""
    reported_overruns: int | None
    """Overruns that the agent counted: answers that ended when the next period was due."""


class Grid:
    """Due times of periods by number, in units of one clock."""

    def __init__(self, nominal: NominalPeriod, line: EnvelopeLine, origin: int) -> None:
        self._nominal, self._line, self._origin = nominal, line, origin

    @property
    def rate_ppm(self) -> float:
        """How much longer than nominal a period is by this clock."""
        return self._line.slope / self._nominal.units * 1e6

    @property
    def rate_uncertainty_ppm(self) -> float | None:
        """Standard uncertainty of the rate; None with too few answers."""
        slope = self._line.slope_uncertainty
        return None if slope is None else slope / self._nominal.units * 1e6

    @property
    def period(self) -> float:
        """One fitted period, in time units."""
        return (self._nominal.units + self._line.slope) / self._nominal.parts

    def latencies(self, number: Int64Array, time: Int64Array) -> Int64Array:
        """Return the times past due, shape (n,), in whole units, to the nearest."""
        rest = self._nominal.residuals(number, time, self._origin) - self._line.y
        above = rest - (number - self._line.x) * self._line.slope
        return _whole(above / self._nominal.parts)

    def due(self, number: Int64Array) -> Int64Array:
        """Return when these periods were due, shape (n,), in whole units, to the nearest."""
        line = self._line
        past = line.y + (number - line.x) * line.slope
        whole = self._origin + number * self._nominal.units // self._nominal.parts
        part = number * self._nominal.units % self._nominal.parts
        return whole + _whole((past + part) / self._nominal.parts)


def _whole(values: FloatArray) -> Int64Array:
    """Return the values to the nearest integer, shape (n,).

    Stamps of a damaged log make values beyond 64 bits, or none: those become the nearest that
    leaves room for sums, and 0.
    """
    finite = np.nan_to_num(values, nan=0.0, posinf=_FAR, neginf=-_FAR)
    rounded: Int64Array = np.rint(np.clip(finite, -_FAR, _FAR)).astype(np.int64)
    return rounded


class NominalPeriod:
    """A period in units of a clock: `units` / `parts`, both integers."""

    def __init__(self, period_ns: int, rate_hz: int) -> None:
        exact = Fraction(period_ns * rate_hz, 10**9)
        self.parts = min(exact.denominator, PARTS_MAX)
        self.units = max(1, round(exact * self.parts))

    def residuals(self, number: Int64Array, time: Int64Array, origin: int) -> Int64Array:
        """Return departures from the nominal grid that begins at `origin`, in parts of a unit."""
        return (time - origin) * self.parts - number * self.units

    def numbers(self, time: Int64Array, last: tuple[int, int] | None) -> Int64Array:
        """Return numbers by time alone: each answer takes the nearest period after that before it.

        `last` is number and time of the answer before these, None for the first of all.
        """
        before = time[:1] if last is None else np.array([last[1]], np.int64)
        interval = np.diff(time, prepend=before) * self.parts
        steps = np.maximum(1, (2 * interval + self.units) // (2 * self.units))
        numbers: Int64Array = (0 if last is None else last[0]) + np.cumsum(steps)
        return numbers


class PeriodFit:
    """The first pass over the answers: intervals, and the grid."""

    def __init__(self, period_ns: int, rate_hz: int) -> None:
        self.nominal = NominalPeriod(period_ns, rate_hz)
        self.rate_hz = rate_hz
        self.errors = MeasurandSeries()
        """Interval less the nominal period, in parts of a unit, at the later answer's time."""
        self._envelope = EarliestLine()
        self._first: tuple[int, int] | None = None
        self._last: tuple[int, int] | None = None
        self._n = 0

    def feed(self, number: Int64Array, time: Int64Array) -> None:
        """Add answers, shapes (n,): numbers that increase, times in units of the clock."""
        if not len(number):
            return
        if self._first is None:
            self._first = int(number[0]), int(time[0])
        before = time[:1] if self._last is None else np.array([self._last[1]], np.int64)
        own = slice(1 if self._last is None else 0, None)
        interval = np.diff(time, prepend=before)[own]
        self.errors.add(interval * self.nominal.parts - self.nominal.units, time[own])
        self._envelope.add(number, self.nominal.residuals(number, time, self._first[1]))
        self._last = int(number[-1]), int(time[-1])
        self._n += len(number)

    def grid(self) -> Grid | None:
        """Return the grid, the line below all answers; None without any."""
        line = self._envelope.line()
        if line is None or self._first is None:
            return None
        return Grid(self.nominal, line, self._first[1])

    def departures(self, number: Int64Array, time: Int64Array) -> Int64Array:
        """Return departures from a grid of the steady period, shape (n,), in whole units.

        That period is the mean of all intervals but those that jump by half a period or more: a
        jump stays one and does not tilt the grid, as it does that of `grid`.
        """
        origin = 0 if self._first is None else self._first[1]
        rest = self.nominal.residuals(number, time, origin) - number * self._steady()
        whole: Int64Array = np.rint(rest / self.nominal.parts).astype(np.int64)
        return whole

    def _steady(self) -> float:
        values, counts = self.errors.histogram.values, self.errors.histogram.counts
        small = np.abs(values) < self.nominal.units // 2
        total = int((values[small] * counts[small]).sum())
        return total / max(1, int(counts[small].sum()))

    def side(self, latencies: ExactHistogram) -> PeriodSide:
        """Return the clock's figures; `latencies` in whole units, from a second pass."""
        grid = self.grid()
        average_ns = None
        if self._first is not None and self._last is not None and self._n > 1:
            span = self._last[1] - self._first[1]
            average_ns = float(Fraction(span * 10**9, self.rate_hz * (self._n - 1)))
        return PeriodSide(
            interval_error=statistics(self.errors.histogram, self.rate_hz * self.nominal.parts),
            latency=statistics(latencies, self.rate_hz),
            rate_ppm=grid.rate_ppm if grid is not None and self._n > 1 else None,
            rate_uncertainty_ppm=None if grid is None else grid.rate_uncertainty_ppm,
            average_interval_ns=average_ns,
        )
