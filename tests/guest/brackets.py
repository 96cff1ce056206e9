# SPDX-License-Identifier: GPL-3.0-or-later
"""An oracle for the bracket test: is there one clock that puts every answer between its ticks?

The clock is a line from the analyzer's time to the target's ticks, with two unknowns, an offset and
a rate. That an edge seen at sample i happened after sample i - 1 and not after sample i is allowed
for, and nothing else. Linear programming (scipy's HiGHS) decides it, apart from the rig's own code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

from rig.instruments import Int64Array
from rig.record.reader import RunFile

_PPM = 1e-6
_RATE_MAX_PPM = 1000.0


@dataclass(frozen=True)
class Clock:
    """What the brackets leave of the clock between two witnesses."""

    events: int
    slack_ns: float
    """By so much each bracket could be narrower at both ends; below 0 no clock fits."""
    rate_low_ppm: float
    """The clocks that fit have rates from here, against ticks of their nominal rate,"""
    rate_high_ppm: float
    """to here."""


def answers_of(path: Path, channel: int) -> tuple[int, Int64Array, Int64Array, Int64Array]:
    """(sample rate in Hz, samples of the answers' edges, ticks before, ticks after) of a run."""
    with RunFile(path) as file:
        rate_hz = file.settings["sample_rate_hz"]
        blocks = list(file.edge_blocks())
        log = file.log(0, file.log_count)
    index = np.concatenate([block.index[block.channel == channel] for block in blocks])
    before, after = (log[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
    return int(rate_hz), index, before, after


def fit(
    index: Int64Array, before: Int64Array, after: Int64Array, rate_hz: int, tick_hz: int = 10**9
) -> Clock:
    """Shapes (n,): answer edges by sample, in order, and their records' ticks."""
    assert len(index) == len(before) == len(after) > 1
    sample_ns, tick_ns = 1e9 / rate_hz, 1e9 / tick_hz
    # Around the middle of the run, so that all numbers of the program are of one size.
    middle, origin = int(index[len(index) // 2]), int(before[len(index) // 2])
    edge_ns = (index - middle) * sample_ns
    low_ns, high_ns = (before - origin) * tick_ns - edge_ns, (after - origin) * tick_ns - edge_ns
    ppm_ns = edge_ns * _PPM
    one = np.ones(len(index))
    # offset + rate * edge is at or after `before`; a sample earlier it is at or before `after`.
    rows = np.concatenate(
        [np.stack([-one, -ppm_ns, one], 1), np.stack([one, ppm_ns, one], 1)]
    )  # unknowns: offset_ns, rate_ppm, slack_ns
    bound = np.concatenate([-low_ns, high_ns + sample_ns])
    rates = (-_RATE_MAX_PPM, _RATE_MAX_PPM)
    best = linprog([0, 0, -1], rows, bound, bounds=[(None, None), rates, (None, None)])
    assert best.status == 0, best.message
    slack_ns = float(best.x[2])
    if slack_ns < 0:
        return Clock(len(index), slack_ns, np.nan, np.nan)
    extremes = [
        linprog([0, sign, 0], rows, bound, bounds=[(None, None), rates, (0, 0)]).x[1]
        for sign in (1, -1)
    ]
    return Clock(len(index), slack_ns, *map(float, extremes))
