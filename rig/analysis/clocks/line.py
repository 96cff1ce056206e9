# SPDX-License-Identifier: GPL-3.0-or-later
"""Is there a line above all lower points and below all upper ones? With its slack, exactly.

A linear program in two unknowns. By its dual, the most that all points can be moved inward at once
is half the smallest vertical distance between the upper points' lower hull and the lower points'
upper hull, and the line runs through the middle there. The distance is convex and smallest at a
corner, so whole numbers and fractions give it without rounding.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.brackets import Brackets
from rig.analysis.clocks.hull import Chains, exact_hull, upper_hulls

_NEAR = 1e-15
"""Quotients of integers below 2^54 are this near to the true ones, relatively, with room."""


_PASSES = 4
"""Passes over whole arrays for one stretch; the few points left are faster one by one."""


class Side(StrEnum):
    """An end of a bracket."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Bound:
    """An end of a bracket that holds the line where it is."""

    event: int
    side: Side


@dataclass(frozen=True)
class Line:
    """The line with the most slack; `sample` is where it is held."""

    sample: int
    ticks: Fraction
    ticks_per_sample: Fraction | None
    """None: one event alone has no slope."""
    slack_ticks: Fraction
    """Each bracket can shrink by this at both ends; if negative, each must widen by as much."""
    binding: tuple[Bound, ...]

    @property
    def feasible(self) -> bool:
        return self.slack_ticks >= 0


@dataclass(frozen=True)
class Corners:
    """Hull corners of one stretch: upper ones of `before`, lower ones of `after`."""

    lower_x: list[int]
    lower_y: list[int]
    lower_event: list[int]
    upper_x: list[int]
    upper_y: list[int]
    upper_event: list[int]


def points(brackets: Brackets, first_event: int = 0) -> tuple[Chains, Chains]:
    """Return the lower points, and the upper points upside down, as one group each."""
    n = len(brackets)
    event = np.arange(first_event, first_event + n)
    ends = np.array([0, n], np.int64)
    lower = Chains(brackets.sample, brackets.before_ticks, event, ends)
    return lower, Chains(brackets.sample - 1, -1 - brackets.after_ticks, event, ends)


def corners(lower: Chains, upside_down: Chains) -> Corners:
    """Return the hull corners of points that include them, each side one group."""
    upper_x, upper_y, upper_event = exact_hull(upside_down)
    return Corners(*exact_hull(lower), upper_x, [-y for y in upper_y], upper_event)


def corners_of(brackets: Brackets, first_event: int = 0) -> Corners:
    """Return the hull corners of brackets."""
    lower, upside_down = points(brackets, first_event)
    return corners(*(upper_hulls(chain, _PASSES) for chain in (lower, upside_down)))


def fit_line(found: Corners) -> Line:
    """Return the line with the most slack through one stretch of at least one event.

    Megiddo, "Linear-time algorithms for linear programming in R^3 and related problems", SIAM J.
    Comput. 12 (1983), treats the problem; O'Rourke, Comm. ACM 24 (1981), the line through data
    ranges.
    """
    lower, upper = _Chain(found.lower_x, found.lower_y), _Chain(found.upper_x, found.upper_y)
    if len(lower.x) == 1:
        return _of_one_event(found)
    at = _narrowest(lower, upper)
    gap = upper.at(at) - lower.at(at)
    low = [s for s in (upper.slope_left(at), lower.slope_right(at)) if s is not None]
    high = [s for s in (upper.slope_right(at), lower.slope_left(at)) if s is not None]
    limits = ([max(low)] if low else []) + ([min(high)] if high else [])
    slope = sum(limits, Fraction(0)) / len(limits) if limits else None
    binding = [Bound(found.lower_event[i], Side.BEFORE) for i in lower.holders(at)]
    binding += [Bound(found.upper_event[i], Side.AFTER) for i in upper.holders(at)]
    return Line(at, lower.at(at) + gap / 2, slope, gap / 2, tuple(binding))


def _of_one_event(found: Corners) -> Line:
    gap = Fraction(found.upper_y[0] - found.lower_y[0])
    event = found.lower_event[0]
    sides = Bound(event, Side.BEFORE), Bound(event, Side.AFTER)
    return Line(found.lower_x[0], found.lower_y[0] + gap / 2, None, gap / 2, sides)


class _Chain:
    """A piecewise linear function through corners."""

    def __init__(self, x: list[int], y: list[int]) -> None:
        self.x, self.y = x, y

    def holders(self, x: int) -> tuple[int, ...]:
        """Return the corner at x, or the two around it."""
        i = bisect_left(self.x, x)
        return (i,) if self.x[i] == x else (i - 1, i)

    def at(self, x: int) -> Fraction:
        i = bisect_left(self.x, x)
        if self.x[i] == x:
            return Fraction(self.y[i])
        return self.y[i - 1] + self._slope(i) * (x - self.x[i - 1])

    def slope_left(self, x: int) -> Fraction | None:
        i = bisect_left(self.x, x)
        return self._slope(i) if i else None

    def slope_right(self, x: int) -> Fraction | None:
        i = bisect_left(self.x, x + 1)
        return self._slope(i) if i < len(self.x) else None

    def _slope(self, i: int) -> Fraction:
        return Fraction(self.y[i] - self.y[i - 1], self.x[i] - self.x[i - 1])


def _narrowest(lower: _Chain, upper: _Chain) -> int:
    """Return the x where the chains are nearest: guessed in floating point, found in integers."""
    first, last = max(lower.x[0], upper.x[0]), min(lower.x[-1], upper.x[-1])
    at = sorted({x for x in (*lower.x, *upper.x) if first <= x <= last})
    k = _guess(lower, upper, at)
    gap = upper.at(at[k]) - lower.at(at[k])
    for step in (1, -1):
        while 0 <= k + step < len(at):
            beside = upper.at(at[k + step]) - lower.at(at[k + step])
            if beside >= gap:
                break
            k, gap = k + step, beside
    return at[k]


def _guess(lower: _Chain, upper: _Chain, at: Sequence[int]) -> int:
    x0, y0 = lower.x[0], lower.y[0]
    slope = (lower.y[-1] - y0) / max(1, lower.x[-1] - x0)
    x = np.array(at) - x0
    gap = np.interp(x, *_level(upper, x0, y0, slope)) - np.interp(x, *_level(lower, x0, y0, slope))
    return int(np.argmin(gap))


def _level(
    chain: _Chain, x0: int, y0: int, slope: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the corners less a line, so that floating point has digits left for what remains."""
    x = np.array(chain.x) - x0
    return x, (np.array(chain.y) - y0) - slope * x


def slope_range(found: Corners) -> tuple[Fraction | None, Fraction | None]:
    """Return the range of ticks per sample of all lines that fit; None: no bound on that side.

    By elimination of the offset (Fourier-Motzkin): each lower and upper point, in either order,
    bound the slope. Without meaning if no line fits.
    """
    x = np.array(found.upper_x)[:, None] - np.array(found.lower_x)
    y = np.array(found.upper_y)[:, None] - np.array(found.lower_y)
    highest = _extreme(x, y, x > 0, lowest=True)
    lowest = _extreme(x, y, x < 0, lowest=False)
    return lowest, highest


def _extreme(
    x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_], *, lowest: bool
) -> Fraction | None:
    dx, dy = x[mask], y[mask]
    if not len(dx):
        return None
    quotient = dy / dx
    best = quotient.min() if lowest else quotient.max()
    near = np.flatnonzero(np.abs(quotient - best) <= _NEAR * abs(best))
    exact = [Fraction(int(dy[i]), int(dx[i])) for i in near]
    return min(exact) if lowest else max(exact)
