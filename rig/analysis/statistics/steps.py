# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a constant distance between the modes of a distribution; searched for, never assumed.

A mode is a maximum of the counts that stands out of the valleys beside it by more than counting
alone explains. Modes that lie at random do not fit a common distance: the chance that those found
would fit one as well as they do is the p-value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.interval import CONFIDENCE, Interval
from rig.arrays import FloatArray
from rig.instruments import Int64Array

SIGNIFICANCE = 1e-5
FEWEST_VALUES = 200
FEWEST_MODES = 4
"""Fewer modes have a common distance too easily."""
LEAST_STEP = 4
"""Least step in units of the values' own grid: a smaller one may be the clock's resolution."""
LARGEST_RESIDUAL = 0.1
"""Largest distance of a mode from its place, in steps."""
MOST_LEFT_OUT = 0.5
"""Largest share of the places between lowest and highest mode that have none."""
SHARE = 0.999
"""Share of the values, the lowest ones, among which modes are looked for."""
_DEVIATIONS = 8.0
"""On a plateau of so many bins the highest and the lowest are some 6 deviations apart."""
_FEWEST_BINS, _MOST_BINS = 32, 8192


@dataclass(frozen=True)
class Steps:
    """The modes of a distribution and, if they have one, their common distance."""

    refused: str = ""
    """The reason why there was no search; empty if it was made."""
    modes: int = 0
    """Number of modes that stand out: those with the step, or else the most at any bin width."""
    p_value: float = 1.0
    """p-value of modes at random places; all bin widths tried are accounted for."""
    step: float | None = None
    """Distance that is common to the modes; None: none is found at SIGNIFICANCE."""
    interval: Interval | None = None
    first: float | None = None
    """Place of the lowest mode."""
    span: int = 0
    """Number of steps from the lowest mode to the highest."""

    def scaled(self, factor: float) -> Steps:
        """Return the steps in another unit; `factor` > 0."""
        if self.step is None or self.first is None or self.interval is None:
            return self
        return Steps(
            modes=self.modes,
            p_value=self.p_value,
            step=self.step * factor,
            interval=self.interval.scaled(factor),
            first=self.first * factor,
            span=self.span,
        )


@dataclass(frozen=True)
class _Comb:
    """A common distance of modes: each is near a whole number of steps from the first."""

    modes: int
    step: float
    half: float
    """Half of the interval that holds the step."""
    first: float
    span: int
    p_value: float


def steps(histogram: ExactHistogram, confidence: float = CONFIDENCE) -> Steps:
    """Look for modes with a common distance among counted values."""
    if histogram.n < FEWEST_VALUES:
        return Steps(f"{histogram.n} values; a search needs {FEWEST_VALUES}")
    last = int(np.searchsorted(np.cumsum(histogram.counts), SHARE * histogram.n))
    values, counts = histogram.values[: last + 1], histogram.counts[: last + 1]
    if len(values) < FEWEST_MODES:
        return Steps(f"{len(values)} different values; a search needs {FEWEST_MODES}")
    # All values lie on a grid, which is no step to be found.
    grid = int(np.gcd.reduce(np.diff(values)))
    places = (values - values[0]) // grid
    tried = most = 0
    best: _Comb | None = None
    for width in _widths(int(places[-1])):
        found = _modes(places, counts, width)
        tried, most = tried + 1, max(most, len(found))
        comb = _comb(found, confidence)
        if comb is not None and (best is None or comb.p_value < best.p_value):
            best = comb
    p_value = 1.0 if best is None else min(1.0, best.p_value * tried)
    if best is None or p_value > SIGNIFICANCE:
        return Steps(modes=most, p_value=p_value)
    return Steps(
        modes=best.modes,
        p_value=p_value,
        step=best.step * grid,
        interval=Interval(
            (best.step - best.half) * grid, (best.step + best.half) * grid, confidence
        ),
        first=float(values[0]) + best.first * grid,
        span=best.span,
    )


def _widths(extent: int) -> Iterator[int]:
    """Yield widths of bins, in powers of two, of which the extent has neither few nor many."""
    width = 1
    while extent // width >= _FEWEST_BINS or width == 1:
        if extent // width <= _MOST_BINS:
            yield width
        width *= 2


def _modes(places: Int64Array, counts: Int64Array, width: int) -> FloatArray:
    """Return the places of the maxima that counting alone does not explain, ascending."""
    binned = np.pad(np.bincount(places // width, counts), 1)
    # Of two equal maxima each would have the prominence of the only one.
    unequal = binned + np.arange(len(binned)) / (2 * len(binned))
    from scipy import signal  # loads scipy.stats

    peaks, found = signal.find_peaks(unequal, height=_DEVIATIONS**2, prominence=0)
    prominence = found["prominences"]
    # The variance of peak less valley is their sum, as of independent counts.
    clear = prominence > _DEVIATIONS * np.sqrt(2 * binned[peaks] - prominence)
    peaks = peaks[clear]
    if len(peaks) < FEWEST_MODES:
        return np.asarray(peaks, np.float64)
    near = max(1, int(np.diff(peaks).min()) // 4)
    middles = (peaks - 1 + 0.5) * width - 0.5
    return np.array([_middle(places, counts, at, near * width) for at in middles])


def _middle(places: Int64Array, counts: Int64Array, at: float, near: float) -> float:
    """Return the average of the values around a peak, found from there in a few steps."""
    for _ in range(4):
        inside = slice(*np.searchsorted(places, (at - near, at + near)))
        at = float(np.average(places[inside], weights=counts[inside]))
    return at


def _comb(places: FloatArray, confidence: float) -> _Comb | None:
    """Return the common distance that fits best; None if there is none."""
    if len(places) < FEWEST_MODES:
        return None
    apart = np.diff(places)
    guesses = (float(apart.min()), float(np.median(apart)))
    found = [_fitted(places, guess, confidence) for guess in guesses]
    combs = [each for each in found if each is not None]
    return min(combs, key=lambda each: each.p_value, default=None)


def _fitted(places: FloatArray, step: float, confidence: float) -> _Comb | None:
    """Return the steps nearest to a guess, by least squares, each mode its whole number of them."""
    modes = len(places)
    if step <= 0:
        return None
    # From one to the next, so that no error of the guess adds up.
    number = np.concatenate([[0], np.cumsum(np.rint(np.diff(places) / step))])
    if not np.all(np.diff(number)):
        return None
    step, first = (float(each) for each in np.polyfit(number, places, 1))
    residual = places - (first + step * number)
    largest, span = float(np.abs(residual).max()), int(number[-1])
    if step < LEAST_STEP or largest > LARGEST_RESIDUAL * step or modes - 1 < MOST_LEFT_OUT * span:
        return None
    around = number - number.mean()
    spread = float(np.sqrt((residual**2).sum() / (modes - 2) / (around**2).sum()))
    # A mode on a slope of other values is pulled to one side, which no scatter tells.
    half = spread * float(special.stdtrit(modes - 2, (1 + confidence) / 2)) + largest / span
    # Two of the modes fit any step; so many steps near the guess can be told apart.
    chance = 2 * span * (2 * largest / step) ** (modes - 2)
    return _Comb(modes, step, half, first, span, min(1.0, chance))
