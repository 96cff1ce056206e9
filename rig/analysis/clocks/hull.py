# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls of many groups of points at once.

Of all points below a line only those on their upper hull matter. A point that lies on or below the
chord between its two neighbors cannot be on it, whichever points those are; so all such points can
go at once, and again until none is left. That is the hull, and whole arrays at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array

_EXACT = 2.0**61
"""Products below are exact in 64-bit integers, and so is their difference."""
_ROUNDING = 2.0**-50
"""Relative error of a difference of two products in floating point, with room."""


@dataclass(frozen=True)
class Chains:
    """Groups of points one after the other, each of rising x."""

    x: Int64Array
    y: Int64Array
    event: Int64Array
    """Number of the event that each point belongs to."""
    starts: Int64Array
    """Shape (groups + 1,): where each group begins; the last is the number of points."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def stretch(self, first_group: int, stop_group: int) -> Chains:
        """Return groups next to each other as one, though it may not be a hull."""
        first, stop = int(self.starts[first_group]), int(self.starts[stop_group])
        part = slice(first, stop)
        ends = np.array([0, stop - first], np.int64)
        return Chains(self.x[part], self.y[part], self.event[part], ends)


def joined(parts: list[Chains]) -> Chains:
    """Return the groups of all parts, one after the other."""
    offsets = np.cumsum([0, *(len(part.x) for part in parts)])
    starts = [part.starts[:-1] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    return Chains(
        np.concatenate([part.x for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.event for part in parts]),
        np.concatenate([*starts, offsets[-1:]]),
    )


def paired(chains: Chains) -> Chains:
    """Return the hulls of each two neighboring groups as one; the last alone if they are odd."""
    starts = np.append(chains.starts[:-1:2], chains.starts[-1])
    return upper_hulls(Chains(chains.x, chains.y, chains.event, starts))


def upper_hulls(chains: Chains, passes: int | None = None) -> Chains:
    """Return the corners of each group's upper hull, ends included.

    Corners whose turn is below the resolution of floating point stay, where coordinates are so far
    apart that 64-bit integers do not suffice either; `exact_hull` settles those. With a number of
    `passes`, it also settles what these leave: for a small group that is faster.
    """
    x, y, small = _sheared(chains)
    starts = chains.starts
    point = np.arange(len(x))
    ends = np.zeros(len(x), bool)
    filled = starts[:-1] < starts[1:]
    ends[starts[:-1][filled]] = ends[starts[1:][filled] - 1] = True
    while len(x) > 2 and passes != 0:
        passes = None if passes is None else passes - 1
        keep = ends.copy()
        keep[1:-1] |= _turns_right(x, y, small=small)
        kept = np.flatnonzero(keep)
        if len(kept) == len(x):
            break
        x, y, point, ends = x[kept], y[kept], point[kept], ends[kept]
    left = np.searchsorted(point, starts)
    return Chains(x, chains.y[point], chains.event[point], left)


def _sheared(chains: Chains) -> tuple[Int64Array, Int64Array, bool]:
    """Return the points less a line of whole slope, which changes no hull; and whether all products
    of differences are then exact in 64 bits."""
    x, y = chains.x, chains.y
    if len(x) < 2:
        return x, y, True
    run = int(x[-1]) - int(x[0])
    slope = (int(y[-1]) - int(y[0])) // run if run > 0 else 0
    if abs(slope) * _largest(x) >= _EXACT:
        return x, y, False
    level = y - slope * x
    span = float(int(level.max()) - int(level.min()))
    return x, level, float(int(x.max()) - int(x.min())) * span < _EXACT


def _turns_right(x: Int64Array, y: Int64Array, *, small: bool) -> npt.NDArray[np.bool_]:
    """Return whether the path bends downward at each inner point, shape (n - 2,)."""
    dx, dy = x[1:] - x[:-1], y[1:] - y[:-1]
    exact: npt.NDArray[np.bool_] = dx[:-1] * dy[1:] < dy[:-1] * dx[1:]
    if small:
        return exact
    fx, fy = dx.astype(np.float64), dy.astype(np.float64)
    left, right = fx[:-1] * fy[1:], fy[:-1] * fx[1:]
    size = np.abs(left) + np.abs(right)
    straight_or_left = left - right > _ROUNDING * size
    return np.where(size < _EXACT, exact, ~straight_or_left)


def _largest(values: Int64Array) -> float:
    return float(max(values.max(), -values.min()))


def exact_hull(chain: Chains) -> tuple[list[int], list[int], list[int]]:
    """Return x, y and events of the upper hull of all points, in integers of any size.

    Andrew's monotone chain (Information Processing Letters 9, 1979, 216-219).
    """
    xs, ys = chain.x.tolist(), chain.y.tolist()
    kept: list[int] = []
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (xs[b] - xs[a]) * (y - ys[b]) < (ys[b] - ys[a]) * (x - xs[b]):
                break
            kept.pop()
        kept.append(i)
    return [xs[i] for i in kept], [ys[i] for i in kept], chain.event[kept].tolist()
