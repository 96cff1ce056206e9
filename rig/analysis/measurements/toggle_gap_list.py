# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in a spinning task's train of edges, by the pins and by the target's log, one to one.

Edge number k lies between the two readings of the counter around write k. So the interval that
ends with it is at least as long as from the reading behind write k - 1 to the one before write k,
and at most as long as from the reading before write k - 1 to the one behind write k. The agent logs
both writes of each interval whose upper bound exceeds the threshold: no longer interval can be
without its records, and a record whose lower bound exceeds it can not be without its interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.arrays import FloatArray
from rig.instruments import Int64Array, LogArray

LISTED_MAX = 20
"""Most gaps that are listed one by one, the longest ones."""


@dataclass(frozen=True)
class IntervalBounds:
    """Limits of intervals, by the number of the toggle that ends each, ascending. Shapes (n,)."""

    number: Int64Array
    lowest_ns: FloatArray
    highest_ns: FloatArray


@dataclass(frozen=True)
class Intervals:
    """Intervals of edges, by the number of the edge that ends each, ascending. Shapes (n,)."""

    number: Int64Array
    length_ns: FloatArray
    end_s: FloatArray
    """Time since the capture's start."""


@dataclass(frozen=True)
class ToggleGap:
    """A gap between two toggles."""

    number: int
    """Number of the toggle that ended it, from 1."""
    at_s: float
    """Time when it ended, since the capture's start."""
    pins_ns: float
    lowest_ns: float | None
    """Lower limit by the log; None: it has no record of this gap."""
    highest_ns: float | None


@dataclass(frozen=True)
class Matched:
    """The gaps by pins and log, one to one."""

    gaps: tuple[ToggleGap, ...] = ()
    """The longest gaps, in order of time."""
    pins: int = 0
    """Number of gaps by the pins."""
    log: int = 0
    """Number of gaps that are certain by the log, or are in both."""
    both: int = 0
    without_record: tuple[int, ...] = ()
    """Numbers of gaps that only the pins show."""
    without_edges: tuple[int, ...] = ()
    """Numbers of gaps that only the log has."""
    differing: tuple[int, ...] = ()
    """Numbers of gaps of which the two lengths exclude each other."""
    at_threshold: int = 0
    """Number that one of the two only has, no longer than the threshold within the uncertainty."""


def bounds_of(records: LogArray, ns_per_tick: float, threshold_ns: float) -> IntervalBounds:
    """Return limits of intervals with both ends in the log that may exceed the threshold."""
    number = records["handled"].astype(np.int64)
    before, after = (records[name] for name in ("before_ticks", "after_ticks"))
    lowest = (before[1:] - after[:-1]).view(np.int64)
    highest = (after[1:] - before[:-1]).view(np.int64)
    wanted = (np.diff(number) == 1) & (highest * ns_per_tick > threshold_ns)
    return IntervalBounds(
        number[1:][wanted], lowest[wanted] * ns_per_tick, highest[wanted] * ns_per_tick
    )


def match_gaps(
    pins: Intervals,
    log: IntervalBounds,
    threshold_ns: float,
    *,
    play_ns: float,
    scale: float,
    logged_until: int | None = None,
) -> Matched:
    """Compare both sides one to one.

    `pins`: intervals above the threshold, and any others. `play_ns`: what sample and tick leave
    open of a length; `scale`: and the clocks, relatively. `logged_until`: number of the last
    toggle that can be in a log which got full.
    """
    play = play_ns + pins.length_ns * scale
    place = np.searchsorted(log.number, pins.number)
    found = np.minimum(place, max(0, len(log.number) - 1))
    has_record = np.zeros(len(pins.number), bool)
    if len(log.number):
        has_record = log.number[found] == pins.number
    above = pins.length_ns > threshold_ns
    sure = pins.length_ns - play > threshold_ns
    told = np.ones(len(above), bool) if logged_until is None else pins.number <= logged_until
    lonely = sure & ~has_record & told
    lowest, highest = (
        np.where(has_record, values[found] if len(values) else 0.0, np.nan)
        for values in (log.lowest_ns, log.highest_ns)
    )
    differs = has_record & ((pins.length_ns < lowest - play) | (pins.length_ns > highest + play))
    unseen = ~np.isin(log.number, pins.number[above])
    certain = log.lowest_ns - play_ns - log.lowest_ns * scale > threshold_ns
    both = int((above & has_record).sum())
    return Matched(
        gaps=_listed(pins, lowest, highest, above),
        pins=int(above.sum()),
        log=both + int((unseen & certain).sum()),
        both=both,
        without_record=_numbers(pins.number[lonely]),
        without_edges=_numbers(log.number[unseen & certain]),
        differing=_numbers(pins.number[differs]),
        at_threshold=int((above & ~has_record & ~lonely & told).sum())
        + int((unseen & ~certain).sum()),
    )


def _numbers(found: Int64Array) -> tuple[int, ...]:
    return tuple(int(number) for number in found)


def _listed(
    pins: Intervals, lowest: FloatArray, highest: FloatArray, above: npt.NDArray[np.bool_]
) -> tuple[ToggleGap, ...]:
    which = np.flatnonzero(above)
    longest = which[np.argsort(-pins.length_ns[which], kind="stable")[:LISTED_MAX]]
    return tuple(
        ToggleGap(
            int(pins.number[i]),
            float(pins.end_s[i]),
            float(pins.length_ns[i]),
            None if np.isnan(lowest[i]) else float(lowest[i]),
            None if np.isnan(highest[i]) else float(highest[i]),
        )
        for i in sorted(longest.tolist())
    )
