# SPDX-License-Identifier: GPL-3.0-or-later
"""Averaging of the quantization of an edge over many events.

An edge is known to the sample. Over many events the mean of that error vanishes only if the edges
fall anywhere between two samples. A train whose intervals are whole samples of the analyzer, with
both clocks locked to each other, hits the same place each time: then its error is that of one edge,
however long the run.

Let p_i be the place of edge i between two samples, 0 to 1, known but for a constant c. The error is
a sawtooth of p_i + c. With its Fourier series, and c anywhere in 0 to 1, the mean over the events
has the variance

    T^2 * sum over h of |R_h|^2 / (2 pi^2 h^2),      R_h = mean of exp(2 pi i h p_i).

If all p_i are equal, |R_h| = 1 and this is T^2 / 12; if they are spread evenly, it is 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

HARMONICS = 512
_BINS = 1 << 13
_NEIGHBORS = 64
_NEIGHBORS_MIN = 16
_GROUPS_MAX = 256


class PhaseTally:
    """Counts of places between two samples; memory is constant."""

    def __init__(self) -> None:
        self._counts = np.zeros(_BINS, np.int64)

    def add(self, place: npt.NDArray[np.float64]) -> None:
        """Add places in samples, shape (n,); whole samples do not matter."""
        number = np.floor((place % 1.0) * _BINS).astype(np.int64) % _BINS
        self._counts += np.bincount(number, minlength=_BINS)

    @property
    def n(self) -> int:
        """The number of edges counted."""
        return int(self._counts.sum())

    def coherence(self) -> float:
        """Return the mean error's deviation by one edge's: 0 averages out, 1 does not at all.

        What n random places would show of themselves is taken off: that part is in the scatter of
        the values already. 1 if fewer than two edges were counted.
        """
        n = self.n
        if n < 2:
            return 1.0
        harmonic = np.arange(1, HARMONICS + 1)
        power = np.abs(np.fft.rfft(self._counts)[1 : HARMONICS + 1] / n) ** 2
        excess = np.maximum(0.0, (n * power - 1) / (n - 1))
        weight = 1 / harmonic**2
        return float(np.sqrt(min(1.0, np.sum(excess * weight) / np.sum(weight))))


def places(
    sample: npt.NDArray[np.int64], planned_ticks: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return places of stimulus edges between samples, up to a constant, by a line through all.

    Shapes (n,), all planned ticks known. The line is known far better than one edge, since the
    quantization of many edges averages out in it; where it does not, the clocks are locked and the
    line goes through whole samples all the same. Fewer than 3 edges: all 0, that is, coherent.
    """
    if len(sample) < 3:
        return np.zeros(len(sample))
    x = (planned_ticks - planned_ticks[0]).astype(np.float64)
    y = (sample - sample[0]).astype(np.float64)
    found: npt.NDArray[np.float64] = (_slope(x, y) * x) % 1.0
    return found


def scatter_samples(sample: npt.NDArray[np.int64], planned_ticks: npt.NDArray[np.int64]) -> float:
    """Return the samples from the earliest to the latest edge about a line through neighbors.

    Shapes (n,), all planned ticks known. The median of all groups of neighbors, so that a few edges
    that came late have no part in it; about 1 at most where an edge is known to the sample. 0 for
    too few edges.
    """
    neighbors = min(len(sample), _NEIGHBORS)
    if neighbors < _NEIGHBORS_MIN:
        return 0.0
    groups = min(len(sample) // neighbors, _GROUPS_MAX)
    shape = groups, neighbors
    x = planned_ticks[: groups * neighbors].reshape(shape).astype(np.float64)
    y = sample[: groups * neighbors].reshape(shape).astype(np.float64)
    x, y = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    slope = (x * y).sum(1) / np.maximum((x * x).sum(1), 1.0)
    off = y - slope[:, None] * x
    return float(np.median(off.max(1) - off.min(1)))


def _slope(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """Return the slope by least squares; a second turn leaves out edges that came late."""
    keep = np.ones(len(x), bool)
    slope = 0.0
    for _ in range(2):
        dx, dy = x[keep] - x[keep].mean(), y[keep] - y[keep].mean()
        spread = float(dx @ dx)
        if not spread:
            return 0.0
        slope = float(dx @ dy) / spread
        off = y - y[keep].mean() - slope * (x - x[keep].mean())
        keep = np.abs(off - np.median(off)) <= 1.5
        if np.count_nonzero(keep) < 3:
            break
    return slope
