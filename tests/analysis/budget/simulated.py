# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated runs of a bench whose every error is known, to see whether the budgets cover them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.statistics.descriptive import excess_kurtosis
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import UncertainQuantity, calibrated, limits
from rig.analysis.uncertainty.error_model import (
    BenchErrorModel,
    average_budget,
    extreme_budget,
    latency_budget,
    toggle,
)
from rig.analysis.uncertainty.phase import PhaseTally, places

SAMPLE_NS = 1e9 / 24e6
TICK_NS = 62.5


@dataclass(frozen=True)
class Kind:
    """A kind of run, so that every part of the budget is the largest one in some."""

    events: int = 200
    periodic_ticks: int | None = None
    """None: uniform intervals. Else the clocks of stimulus and analyzer are locked."""
    minimum_ns: float = 3000.0
    scale_ns: float = 500.0
    tolerance_ppm: float = 50.0
    skew_ns: float = 10.0
    toggle_ns: float = 60.0
    line_ns: float = 4.0
    line_u_ns: float = 1.5


KINDS = {
    "ordinary": Kind(),
    "few events": Kind(events=100),
    "latencies all alike": Kind(scale_ns=0.01),
    "long latencies, poor time base": Kind(
        minimum_ns=2e6, scale_ns=1e4, tolerance_ppm=200.0, skew_ns=0.1, toggle_ns=1.0
    ),
    "clocks locked, latencies alike": Kind(
        periodic_ticks=16_000, scale_ns=0.01, skew_ns=1.0, toggle_ns=1.0, tolerance_ppm=1.0
    ),
    "only quantization": Kind(
        tolerance_ppm=0.0, skew_ns=0.0, toggle_ns=0.0, line_ns=0.0, line_u_ns=0.0
    ),
    "only quantization, latencies all alike": Kind(
        scale_ns=0.01,
        tolerance_ppm=0.0,
        skew_ns=0.0,
        toggle_ns=0.0,
        line_ns=0.0,
        line_u_ns=0.0,
    ),
    "skew above all": Kind(skew_ns=100.0, scale_ns=50.0),
}


def bench_of(kind: Kind) -> BenchErrorModel:
    """What the rig knows of the simulated bench: limits, not the values drawn."""
    return BenchErrorModel(
        SAMPLE_NS,
        time_base_ppm=limits(kind.tolerance_ppm, "ppm", "tolerance"),
        skew_ns=limits(kind.skew_ns, "ns", "tolerance"),
        edge_shape_ns=UncertainQuantity(
            0.0, 0.0, "ns", limits(1, "", "").distribution, "B", "none"
        ),
        line_ns=calibrated(kind.line_ns, kind.line_u_ns, "ns", "calibration"),
        pin_write_delay=toggle(kind.toggle_ns, "log"),
    )


@dataclass(frozen=True)
class Errors:
    """Errors of one run's corrected figures, and the U stated with each."""

    figure: str
    error_ns: float
    budget: Budget


def run(kind: Kind, rng: np.random.Generator) -> list[Errors]:
    """One run: true times by the world's clock, indications by the analyzer's samples."""
    # Nothing ties a target's latency to the analyzer's samples: it ends anywhere between two.
    minimum_ns = kind.minimum_ns + rng.uniform(0, SAMPLE_NS)
    latency = minimum_ns + rng.gamma(3.0, kind.scale_ns, kind.events)
    if kind.periodic_ticks is None:
        interval = rng.integers(3200, 28_800, kind.events)
        stimulus_error = rng.uniform(-100e-6, 100e-6)
    else:
        interval, stimulus_error = np.full(kind.events, kind.periodic_ticks), 0.0
    planned = np.cumsum(interval).astype(np.int64)
    time_base = rng.uniform(-1, 1) * kind.tolerance_ppm * 1e-6
    locked = kind.periodic_ticks is not None
    tick_ns = TICK_NS / (1 + time_base) if locked else TICK_NS * (1 + stimulus_error)
    stimulus_ns = planned * tick_ns
    added = (
        rng.uniform(-1, 1) * kind.skew_ns
        + rng.uniform(0, 1) * kind.toggle_ns
        + rng.normal(kind.line_ns, kind.line_u_ns)
    )
    period_ns = SAMPLE_NS / (1 + time_base)
    place = rng.uniform(0, 1)
    first = np.ceil(stimulus_ns / period_ns + place).astype(np.int64)
    last = np.ceil((stimulus_ns + latency + added) / period_ns + place).astype(np.int64)
    indicated = (last - first) * SAMPLE_NS
    mean = minimum_ns + 3.0 * kind.scale_ns
    return _errors(kind, mean, latency, indicated, first, planned)


def _errors(
    kind: Kind,
    mean: float,
    latency: np.ndarray,
    indicated: np.ndarray,
    first: np.ndarray,
    planned: np.ndarray,
) -> list[Errors]:
    bench = bench_of(kind)
    tally = PhaseTally()
    tally.add(places(first, planned))
    second, largest = np.sort(indicated)[-2:]
    alone = bool(largest - second >= 2 * SAMPLE_NS)
    budgets = [
        ("one", latency[0], latency_budget("one", indicated[0], bench)),
        ("maximum", latency.max(), extreme_budget("maximum", largest, bench, alone=alone)),
        (
            "average",
            mean,
            average_budget(
                float(indicated.mean()),
                float(indicated.std(ddof=1)),
                kind.events,
                bench,
                coherence=tally.coherence(),
                excess_kurtosis=excess_kurtosis(indicated, np.ones(kind.events)),
            ),
        ),
    ]
    return [Errors(name, float(b.corrected - true), b) for name, true, b in budgets]


def coverage(kind: Kind, runs: int, seed: int) -> dict[str, float]:
    """Share of runs, by figure, whose true error is within the stated U."""
    rng = np.random.default_rng(seed)
    covered: dict[str, int] = {}
    for _ in range(runs):
        for errors in run(kind, rng):
            inside = abs(errors.error_ns) <= errors.budget.expanded * (1 + 1e-12) + 1e-6
            covered[errors.figure] = covered.get(errors.figure, 0) + inside
    return {figure: count / runs for figure, count in covered.items()}
