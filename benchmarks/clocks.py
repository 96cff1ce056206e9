# SPDX-License-Identifier: GPL-3.0-or-later
"""The bracket test of a long run, against merely reading its arrays from memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.clock import best_s
from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.matching import match

EVENTS = 10**7
TIMES = 2
RATES = Rates(24_000_000, 10**9, drift_ppm_per_s=0.5)


def lines(_folder: Path) -> Iterator[str]:
    """Seconds for ten million events at 1 kHz, on a steady clock and on one that drifts."""
    for name, drift_ppm_per_s in (("steady", 0.0), ("drifting 0.01 ppm/s", 0.01)):
        brackets = log(drift_ppm_per_s)
        arrays = brackets.sample, brackets.before_ticks, brackets.after_ticks
        reading_s = best_s(lambda arrays=arrays: [int(values.max()) for values in arrays])
        matching_s = best_s(lambda arrays=arrays: match(*arrays, RATES), TIMES)
        tests = []
        test_s = best_s(lambda b=brackets, t=tests: t.append(bracket_test(b, RATES)), TIMES)
        assert tests[0].holds
        yield (
            f"bracket test     {name:20} {EVENTS:,} events in {test_s:5.2f} s, "
            f"{test_s / reading_s:4.0f} x reading them; {len(tests[0].pieces)} pieces; "
            f"matching {matching_s:5.2f} s"
        )


def log(drift_ppm_per_s: float) -> Brackets:
    """Edges at random intervals, readings some 20 ns around them."""
    random = np.random.default_rng(1)
    sample = np.cumsum(random.integers(12_000, 36_000, EVENTS))
    at_s = (sample - random.random(EVENTS)).astype(np.longdouble) / RATES.sample_rate_hz
    skewed = 1 + np.longdouble(123e-6) + np.longdouble(drift_ppm_per_s) * 5e-7 * at_s
    ticks = at_s * skewed * RATES.tick_hz
    before = np.floor(ticks - random.exponential(10, EVENTS)).astype(np.int64)
    after = np.floor(ticks + 20 + random.exponential(10, EVENTS)).astype(np.int64)
    return Brackets(sample, before, after)
