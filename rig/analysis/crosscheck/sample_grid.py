# SPDX-License-Identifier: GPL-3.0-or-later
"""A check that an analyzer takes as many samples as it delivers, and does not repeat any.

An analyzer that takes one sample in n and repeats it shows each edge at a multiple of n samples
(from some first one), on all channels. Edges of clocks that run free of the analyzer's fall on each
of the n places alike.
"""

from __future__ import annotations

import math

import numpy as np

from rig.analysis.crosscheck.clock_rates import ClockComparison
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.witness import Witness
from rig.analysis.uncertainty.clock_limits import ANALYZER
from rig.instruments import Int64Array

NAME = "samples"
"""Name of the witness."""
CHANCE = 1e-9
"""Probability of agreement by chance below which chance is ruled out."""
INTERVALS_MAX = 4096
"""Most intervals among which the different ones are counted."""
SWEEPS = 2.0
"""How many times n samples a clock must have drifted past the analyzer's: else the two
may be one, and edges at multiples of n samples may be its own."""
SCATTER = 1.15
"""Spread of edges about their train, in samples, above which they are not known to one; a
line by least squares may leave a little more than one itself."""


def repeated_samples(
    raw: RawRun, sample_rate_hz: int, clocks: ClockComparison | None, scatter_samples: float = 0.0
) -> tuple[Witness, ...]:
    """Return a witness that disagrees if samples are repeated; none if they are not, or unknown.

    `clocks`: what was found of the run's clocks; without any other than the analyzer's nothing
    rules out that the edges are its own. `scatter_samples`: how far apart edges lie about what was
    planned, if it is known; where it is more than a sample, they are not known to one. Reads no
    farther than to the first edges that no such repetition explains.
    """
    every, intervals, span = _grid(raw)
    if every < 2:
        return ()
    different = len(np.unique(intervals[intervals > 0]))
    # One interval tells the place of the first edge, and one is for all n that might have been.
    by_chance = (different - 2) * math.log(every) < -math.log(CHANCE)
    if scatter_samples < SCATTER and (by_chance or not _free(clocks, span, every)):
        return ()
    every_ns = every * 1e9 / sample_rate_hz
    text = (
        f"all edges are a multiple of {every:,} samples apart, in {different:,} different "
        f"intervals: the analyzer takes a sample every {every_ns:,.4g} ns and repeats it, and does "
        f"not sample at the {sample_rate_hz:,} Hz that it declares; ask it for no more than "
        f"{sample_rate_hz / every:,.0f} Hz"
    )
    return (Witness(NAME, False, text),)


def _grid(raw: RawRun) -> tuple[int, Int64Array, int]:
    """Return the divisor of all edges' distances, some of the intervals, and samples in all."""
    every, kept, last = 0, np.empty(0, np.int64), 0
    first: int | None = None
    for block in raw.edge_blocks():
        if not len(block.index):
            continue
        first = int(block.index[0]) if first is None else first
        last = int(block.index[-1])
        every = math.gcd(every, int(np.gcd.reduce(block.index - first)))
        if every == 1:
            break
        if len(kept) < INTERVALS_MAX:
            kept = np.concatenate([kept, np.diff(block.index)])[:INTERVALS_MAX]
    return every, kept, 0 if first is None else last - first


def _free(clocks: ClockComparison | None, span_samples: int, every: int) -> bool:
    """Return whether some clock ran past the analyzer's, by more than a sample that is taken."""
    if clocks is None:
        return False
    pairs = (pair for pair in clocks.pairs if pair.reference == ANALYZER)
    ppm = max((abs(pair.difference_ppm) - pair.within_ppm for pair in pairs), default=0.0)
    return ppm * 1e-6 * span_samples > SWEEPS * every
