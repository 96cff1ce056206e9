# SPDX-License-Identifier: GPL-3.0-or-later
"""All lines that fit a short stretch at once, and so how far the clock may be from the best one.

Line by line, a stretch leaves a convex polygon of offsets and slopes. The highest and the lowest
value at any sample are reached at the polygon's corners.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis import native
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.line import Corners, corners_of, fit_line
from rig.arrays import FloatArray
from rig.instruments import Int64Array

FASTEST = 2
"""Multiple of the nominal rate that no clock reaches; nor does one run backward. Edges in samples
next to each other do not bound the rate themselves."""


@dataclass(frozen=True)
class LineSet:
    """Lines through brackets widened by what the clock may bend, around a sample and a tick."""

    first_sample: int
    last_sample: int
    origin_sample: int
    origin_ticks: int
    slope: FloatArray
    """Ticks per sample at the polygon's corners, shape (corners,)."""
    highest: FloatArray
    """Ticks at the origin of the highest line of that slope, shape (corners,)."""
    lowest: FloatArray
    allowance_ticks: float
    bend: float
    """Largest change of ticks per sample, per sample."""

    def bounds(self, sample: Int64Array) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest ticks there, relative to `origin_ticks`, shapes (n,).

        A clock within the drift bound stays within the allowance of one of the lines. Outside the
        stretch its slope may be off by 5/8 of what it can change over the stretch (half of that
        and twice the allowance by the length, a form of Landau's inequality), and go on changing.
        """
        if native.available():
            return native.bounds_at(
                native.FoundLines(
                    self.origin_sample, self.origin_ticks, self.slope, self.highest, self.lowest
                ),
                (self.first_sample, self.last_sample), self.allowance_ticks, self.bend, sample,
            )  # fmt: skip
        at = sample - self.origin_sample
        rise = at[:, None] * self.slope
        outside = np.maximum(0, np.maximum(self.first_sample - sample, sample - self.last_sample))
        span = self.last_sample - self.first_sample
        off = self.allowance_ticks + self.bend * outside * (0.625 * span + outside / 2)
        return (rise + self.lowest).min(1) - off, (rise + self.highest).max(1) + off


def lines_through(events: Brackets, rates: Rates) -> LineSet | None:
    """Return the lines that fit a stretch; None if there are none, or fewer than two events.

    In C where the library is there and can decide, else in Python: the same numbers.
    """
    if len(events) < 2:
        return None
    if native.available():
        first, last = int(events.sample[0]), int(events.sample[-1])
        allowance = rates.allowance_ticks(last - first)
        fastest = FASTEST * rates.nominal_ticks_per_sample
        status, found = native.find_lines(
            events.sample, events.before_ticks, events.after_ticks, allowance, fastest
        )
        if found is not None:
            return LineSet(
                first, last, found.origin_sample, found.origin_ticks, found.slope, found.highest,
                found.lowest, allowance, bend_of(rates),
            )  # fmt: skip
        if status == native.NONE:
            return None
    return line_set(corners_of(events), rates)


def line_set(found: Corners, rates: Rates) -> LineSet | None:
    """Return the lines that fit a stretch of at least two events; None if there are none."""
    first, last = found.lower_x[0], found.lower_x[-1]
    allowance = rates.allowance_ticks(last - first)
    line = fit_line(found)
    if line.slack_ticks + allowance < 0 or line.ticks_per_sample is None:
        return None
    x0, y0 = line.sample, round(line.ticks)
    lower = np.array(found.lower_x) - x0, np.array(found.lower_y) - y0 - allowance
    upper = np.array(found.upper_x) - x0, np.array(found.upper_y) - y0 + allowance
    slopes = _slopes(
        lower, upper, float(line.ticks_per_sample), FASTEST * rates.nominal_ticks_per_sample
    )
    highest = (upper[1] - slopes[:, None] * upper[0]).min(1)
    lowest = (lower[1] - slopes[:, None] * lower[0]).max(1)
    return LineSet(first, last, x0, y0, slopes, highest, lowest, allowance, bend_of(rates))


def bend_of(rates: Rates) -> float:
    """Return the largest change of ticks per sample, per sample."""
    return rates.drift_ppm_per_s * 1e-6 * rates.tick_hz / rates.sample_rate_hz**2


def _slopes(
    lower: tuple[npt.NDArray[np.int64], FloatArray],
    upper: tuple[npt.NDArray[np.int64], FloatArray],
    inside: float,
    fastest: float,
) -> FloatArray:
    """Return slopes of the polygon's corners: its two ends, and those of hull edges between."""
    dx = upper[0][:, None] - lower[0]
    dy = upper[1][:, None] - lower[1]
    # `inside` itself is kept in range should rounding put it out.
    highest = max(inside, float((dy[dx > 0] / dx[dx > 0]).min(initial=fastest)))
    lowest = min(inside, float((dy[dx < 0] / dx[dx < 0]).max(initial=0)))
    edges = [np.diff(y) / np.diff(x) for x, y in (lower, upper)]
    middle = np.concatenate(edges)
    middle = middle[(middle > lowest) & (middle < highest)]
    return np.concatenate([[lowest], middle, [highest]])
