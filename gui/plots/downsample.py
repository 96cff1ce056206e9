# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms and timelines as curves of a few hundred points, whatever they are made of.

Pure functions on arrays. What they leave out is what a screen cannot show; no maximum, no bin and
no event disappears.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array
from rig.streaming.histogram import BINS, bin_starts

Float64Array = npt.NDArray[np.float64]
_STARTS: Final = bin_starts()
_NICE: Final = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_ONE_TWO_FIVE: Final = (1.0, 2.0, 5.0, 10.0)
_ROUNDING: Final = 1e-9


def bars(
    bins: Int64Array, counts: Int64Array, low: float, high: float, bars_max: int
) -> tuple[Int64Array, Int64Array]:
    """Return bars of equal width over the latencies from `low` to `high`, in samples.

    `bins` and `counts`, shape (n,), are those of a LogHistogram that are not empty. Returns edges,
    shape (k + 1,), and counts, shape (k,); k is at most `bars_max`. A bar is never narrower than
    the widest bin within the stretch, since a bin does not tell where in it its latencies are.
    """
    first = max(0, int(low))
    inside = (_starts(bins) < high) & (_ends(bins) > first)
    widths = (_ends(bins) - _starts(bins))[inside]
    width = 1 << max(0, int(np.ceil(np.log2(max(1.0, (high - first) / bars_max)))))
    width = max(width, int(widths.max(initial=1)))
    first = first // width * width
    k = max(1, int(np.ceil((high - first) / width)))
    at = (_starts(bins[inside]) - first) // width
    heights = np.bincount(np.clip(at, 0, k - 1), weights=counts[inside], minlength=k)
    return first + width * np.arange(k + 1), heights.astype(np.int64)


def beyond(bins: Int64Array, counts: Int64Array, high: float) -> int:
    """Return how many latencies lie in bins that begin at `high` samples or later."""
    return int(counts[_starts(bins) >= high].sum())


def steps(
    edges: npt.NDArray[np.generic], heights: Float64Array, base: float
) -> tuple[Float64Array, Float64Array]:
    """Return the outline of bars as a curve: up, along, down to the next, closed at `base`."""
    x = np.repeat(edges.astype(np.float64), 2)
    y = np.concatenate(([base], np.repeat(heights, 2), [base]))
    return x, y


def complementary(
    bins: Int64Array, counts: Int64Array, maximum: int
) -> tuple[Int64Array, Float64Array]:
    """Return latencies x in samples, ascending, and the share of latencies above each.

    Each x is the upper end of a bin, where the share is exact; the last one is the maximum itself.
    Above it there is none: its share is returned as half of one latency, to be drawn.
    """
    n = int(counts.sum())
    if not n:
        return np.empty(0, np.int64), np.empty(0)
    above = n - np.cumsum(counts)
    return np.minimum(_ends(bins) - 1, maximum), np.maximum(above, 0.5) / n


def falling_steps(
    x: Float64Array, y: Float64Array, start: float, top: float
) -> tuple[Float64Array, Float64Array]:
    """Return steps from `start` along `top`, down to y[0] at x[0], along to x[1] and so on."""
    return (
        np.concatenate(([start], np.repeat(x, 2))),
        np.concatenate(([top], [top], np.repeat(y, 2)[:-1])),
    )


def decimate(
    x: Float64Array, y: Float64Array, points_max: int
) -> tuple[Float64Array, Float64Array]:
    """Return a falling curve of at most about `points_max` points; its last point stays."""
    if len(x) <= points_max:
        return x, y
    step = -(-len(x) // points_max)
    keep = np.unique(np.concatenate((np.arange(0, len(x), step), [len(x) - 1])))
    return x[keep], y[keep]


def coarser(
    edges: Float64Array, tops: Float64Array, bars_max: int
) -> tuple[Float64Array, Float64Array]:
    """Return at most `bars_max` bars, each as high as the highest that it covers."""
    each = -(-len(tops) // bars_max)
    if each <= 1:
        return edges, tops
    starts = np.arange(0, len(tops), each)
    return np.concatenate((edges[starts], edges[-1:])), np.maximum.reduceat(tops, starts)


def bulk(bins: Int64Array, counts: Int64Array, share: float = 0.999) -> int:
    """Return the latency in samples below which at least that share of them lies; 1 without any."""
    if not len(bins):
        return 1
    cumulative = np.cumsum(counts)
    at = int(np.searchsorted(cumulative, share * cumulative[-1]))
    return int(_ends(bins)[min(at, len(bins) - 1)])


def nice_above(value: float) -> float:
    """Return the next round number, so that an axis does not move with each new maximum."""
    return _round_up(value, _NICE)


def one_two_five_around(low: float, high: float) -> tuple[float, float]:
    """Return round ends of a logarithmic axis around two values above 0."""
    up = _round_up(high * (1 + _ROUNDING), _ONE_TWO_FIVE)
    inverse = _round_up(1 / low, _ONE_TWO_FIVE)
    return min(1 / inverse, up / 5), up


def log_ticks(first: int, last: int) -> tuple[list[float], list[tuple[float, float]]]:
    """Return decades from 10**first to 10**last, and 2 and 5 between them, as (log10, value)."""
    decades = [float(decade) for decade in range(first, last + 1)]
    between = [
        (decade + float(np.log10(factor)), factor * 10.0**decade)
        for decade in decades
        for factor in (2, 5)
    ]
    return decades, between


def _round_up(value: float, steps_: tuple[float, ...]) -> float:
    if value <= 0:
        return 1.0
    decade = 10.0 ** np.floor(np.log10(value) + _ROUNDING)
    return float(next(step * decade for step in steps_ if step * decade >= value * (1 - _ROUNDING)))


def _starts(bins: Int64Array) -> Int64Array:
    found: Int64Array = _STARTS[bins]
    return found


def _ends(bins: Int64Array) -> Int64Array:
    """Return where the next bins start; the very last one's end is out of reach of latencies."""
    found: Int64Array = _STARTS[np.minimum(bins + 1, BINS - 1)]
    return found
