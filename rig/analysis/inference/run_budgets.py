# SPDX-License-Identifier: GPL-3.0-or-later
"""The budgets of a run's figures, by the names that the plan's limits have for them."""

from __future__ import annotations

import math

import numpy as np

from rig.analysis.log.responses import ResponseLog
from rig.analysis.statistics.descriptive import (
    DescriptiveStatistics,
    ExactHistogram,
    excess_kurtosis,
)
from rig.analysis.uncertainty.analyzers import with_log
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.error_model import BenchErrorModel, average_budget, extreme_budget

ALONE_SAMPLES = 2
"""Distance above all others from which a maximum was not chosen by its quantization."""
_RECORDS = 4096

Budgets = dict[str, Budget]
"""Budgets of `max` and `average`; what was not measured is absent."""


def run_budgets(
    figures: DescriptiveStatistics,
    histogram: ExactHistogram,
    bench: BenchErrorModel,
    coherence: float,
    effective_n: float | None,
) -> Budgets:
    """Return a run's budgets; `effective_n`: independent values of the average; None: all.

    `coherence`: see PhaseTally.
    """
    if figures.average_ns is None or figures.max_ns is None:
        return {}
    values, counts, n = histogram.values, histogram.counts, figures.n
    alone = counts[-1] == 1 and (len(values) == 1 or int(values[-1] - values[-2]) >= ALONE_SAMPLES)
    deviation_ns = (figures.deviation_ns or 0.0) * math.sqrt(n / (n - 1) if n > 1 else 1.0)
    worth = n if effective_n is None else min(float(n), effective_n)
    return {
        "max": extreme_budget("observed maximum", figures.max_ns, bench, alone=bool(alone)),
        "average": average_budget(
            figures.average_ns,
            deviation_ns,
            worth,
            bench,
            coherence=coherence,
            excess_kurtosis=excess_kurtosis(values, counts),
        ),
    }


def bench_with_log(
    bench: BenchErrorModel, log: ResponseLog, tick_hz: int | None
) -> BenchErrorModel:
    """Return the bench with the median time around the pin writes of the log's first records."""
    rows = log.read(0, _RECORDS)
    before, after = rows["before_ticks"], rows["after_ticks"]
    width = (after - before)[after >= before]
    if tick_hz is None or not len(width):
        return bench
    return with_log(bench, float(np.median(width)) * 1e9 / tick_hz)
