# SPDX-License-Identifier: GPL-3.0-or-later
"""Values drawn from known distributions, as the figures get them."""

from __future__ import annotations

import numpy as np
from scipy import signal, stats

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.sequence import EventSequence

RATE_HZ = 24_000_000
UNIT = 1000
"""Whole units in one unit of the distribution: fine enough that ties are rare."""
OFFSET = 20_000


def whole(drawn):
    """To whole samples, above zero."""
    return np.rint(drawn * UNIT + OFFSET).astype(np.int64)


def histogram_of(values):
    histogram = ExactHistogram()
    histogram.add(values)
    return histogram


def sequence_of(values, **sizes):
    """Values of events a millisecond apart."""
    sequence = EventSequence(**sizes)
    sequence.add(values, np.arange(len(values), dtype=np.int64) * (RATE_HZ // 1000))
    return sequence


def autoregressive(rng, n, coefficient):
    """Normal, deviation 1, each value `coefficient` times the one before plus noise."""
    noise = rng.normal(size=n + 200)
    return signal.lfilter([1], [1, -coefficient], noise)[200:] * np.sqrt(1 - coefficient**2)


def within(hits, runs, probability, error=1e-6):
    """Could `hits` of `runs` be chance at this probability? Wrong once in 1/`error`."""
    return stats.binomtest(hits, runs, probability).pvalue > error
