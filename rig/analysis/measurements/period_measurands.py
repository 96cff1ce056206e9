# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurands of a run of periods: latency and interval error, by pins and by ticks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.log.responses import CHUNK, ResponseLog
from rig.analysis.measurements.period import PeriodFit, PeriodSide
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule
from rig.analysis.pairing.handler_count import handled_of
from rig.analysis.uncertainty.effects import (
    SystematicEffects,
    of_grid_latency,
    of_intervals,
    on_counter,
    on_own_grid,
)
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import Int64Array
from rig.limit_names import BY_TICKS, INTERVAL_ERROR, LATENCY


@dataclass(frozen=True)
class PeriodSeries:
    """One clock's values, in its units; interval errors are in the fit."""

    fit: PeriodFit
    latencies: MeasurandSeries

    @property
    def side(self) -> PeriodSide:
        """The figures of the values."""
        return self.fit.side(self.latencies.histogram)

    @property
    def duration_ns(self) -> float:
        """Time from the first answer to the last."""
        average_ns, n = self.side.average_interval_ns, self.latencies.histogram.n
        return 0.0 if average_ns is None else average_ns * (n - 1)


def period_measurands(
    pins: PeriodSeries,
    ticks: PeriodSeries | None,
    period_ns: int,
    bench: BenchErrorModel,
    clock: ClockAgreement | None,
) -> tuple[Measurand, ...]:
    """Return the measurands, latency by pin first; by ticks only with a log."""
    slope_u_ppm, duration_ns = pins.side.rate_uncertainty_ppm, pins.duration_ns
    grid = of_grid_latency(bench, slope_u_ppm, duration_ns)
    found = [*_both(pins, "", grid, of_intervals(bench, period_ns))]
    if ticks is not None:
        counter = on_counter(bench, ticks.fit.rate_hz, clock, duration_ns)
        grid = on_own_grid(counter, ticks.side.rate_uncertainty_ppm, duration_ns)
        found += _both(ticks, BY_TICKS, grid, counter.reaching(period_ns))
    return tuple(found)


def _both(
    series: PeriodSeries, suffix: str, latency: SystematicEffects, interval: SystematicEffects
) -> Iterator[Measurand]:
    rate_hz, errors = series.fit.rate_hz, series.fit.errors
    yield measurand(LATENCY + suffix, series.latencies, rate_hz, latency)
    # From the first answer to the last: but for two edges, quantization is not in the average.
    kept = 1 / max(1, errors.histogram.n)
    parts = series.fit.nominal.parts
    yield measurand(INTERVAL_ERROR + suffix, errors, rate_hz, interval, parts=parts, kept=kept)


def series_by_ticks(
    log: ResponseLog, settings: Settings, schedule: Schedule
) -> PeriodSeries | None:
    """Return the values of the log alone, at the counter's nominal rate; None without them."""
    if settings.tick_hz is None or not log.count:
        return None
    fit = PeriodFit(schedule.period_ns, settings.tick_hz)
    for number, ticks in _ticks(log):
        fit.feed(number, ticks)
    latencies = MeasurandSeries()
    grid = fit.grid()
    for number, ticks in _ticks(log):
        if grid is not None:
            latencies.add(grid.latencies(number, ticks), ticks)
    return PeriodSeries(fit, latencies)


def _ticks(log: ResponseLog) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield numbers of periods and ticks just before their answers, each period once."""
    highest = 0
    for first in range(0, log.count, CHUNK):
        rows = log.read(first, CHUNK)
        number = handled_of(rows)
        before = np.maximum.accumulate(np.concatenate([[highest], number]))
        own = number > before[:-1]
        highest = int(before[-1])
        yield number[own], rows["before_ticks"][own].astype(np.int64)
