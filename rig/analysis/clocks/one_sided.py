# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock from stamps that are never early but may be late by any amount.

A log written some time after the edge bounds the clock from one side only. Least squares would run
through the late stamps and follow the load instead of the clock; the line sought lies below all
stamps and as close to them as it can.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.brackets import Rates
from rig.analysis.clocks.hull import Chains, exact_hull, upper_hulls
from rig.instruments import Int64Array


@dataclass(frozen=True)
class SupportLine:
    """The line below all stamps with the smallest sum of distances."""

    sample: int
    ticks: int
    """It passes through this stamp."""
    ticks_per_sample: float
    touching: tuple[int, int]
    """The two stamps that it rests on."""
    latest_ticks: float
    """How late the latest stamp is."""


def support_line(sample: Int64Array, stamp_ticks: Int64Array) -> SupportLine:
    """Fit one line below stamps, shapes (n,), n >= 2, samples rising.

    Minimizes the sum of distances under the constraint that none is negative: the edge of the lower
    hull above which the mean sample lies. Method: Moon, Skelly, Towsley, "Estimation and removal of
    clock skew from network delay measurements", IEEE INFOCOM 1999.

    Raises ValueError for fewer than two stamps or samples that do not rise.
    """
    if len(sample) < 2 or len(sample) != len(stamp_ticks) or (np.diff(sample) <= 0).any():
        raise ValueError(f"{len(sample)} stamps; at least two are needed, with rising samples")
    x, y, event = _lower_hull(sample, stamp_ticks)
    mean = int(sample[0]) + float((sample - sample[0]).mean())
    i = max(1, bisect_left(x, mean))
    slope = (y[i] - y[i - 1]) / (x[i] - x[i - 1])
    late = (stamp_ticks - y[i]) - slope * (sample - x[i])
    return SupportLine(x[i], y[i], slope, (event[i - 1], event[i]), float(late.max()))


def envelope_phase(
    sample: Int64Array, stamp_ticks: Int64Array, rates: Rates, interval_s: float
) -> npt.NDArray[np.float64]:
    """Phase of the stamps' clock against nominal in seconds, one value each interval, shape (m,).

    Each value is that of the lower hull of one interval's stamps at its middle, so that late stamps
    do not count. NaN where an interval has none on both sides of its middle.
    """
    step = interval_s * rates.sample_rate_hz
    number = ((sample - sample[0]) / step).astype(np.int64)
    count = int(number[-1]) + 1
    borders = np.searchsorted(number, np.arange(count + 1))
    phase = np.full(count, np.nan)
    for i in range(count):
        part = slice(int(borders[i]), int(borders[i + 1]))
        middle = float(sample[0]) + (i + 0.5) * step
        if borders[i + 1] - borders[i] < 2:
            continue
        x, y, _ = _lower_hull(sample[part], stamp_ticks[part])
        if x[0] <= middle <= x[-1]:
            ticks = np.interp(middle - x[0], np.array(x) - x[0], np.array(y) - y[0]) + y[0]
            phase[i] = (ticks - stamp_ticks[0]) / rates.tick_hz - (i + 0.5) * interval_s
    return phase


def _lower_hull(sample: Int64Array, ticks: Int64Array) -> tuple[list[int], list[int], list[int]]:
    ends = np.array([0, len(sample)], np.int64)
    x, y, event = exact_hull(
        upper_hulls(Chains(sample, -ticks, np.arange(len(sample)), ends), passes=8)
    )
    return x, [-value for value in y], event
