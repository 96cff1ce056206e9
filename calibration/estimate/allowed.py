# SPDX-License-Identifier: GPL-3.0-or-later
"""The delay of one channel against another: the range that all edges of a train allow.

Sample s shows an edge if it came in (s - 1, s]. Each edge on either channel so bounds where the
train was: its clock, a parabola of three unknowns, and the delay, a fourth. What no bound forbids
is the delay's range, found by linear programming. It needs no luck in how the edges fall on the
samples: a train that hardly slides against them leaves a wide range, and says so.

Edges that jitter contradict each other. Then the least sum of violations is sought, and the range
is where that sum is little more. By how much follows from its curvature and from its slope's
scatter: edges bend it by their number in a sample of phase, as dense as they are around the steps,
and each edge that is violated pulls by 1 (quasi-likelihood; P. J. Huber, Robust Statistics, 1981,
ch. 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from calibration.estimate.estimate import Estimate
from calibration.estimate.phase import EVEN, PhaseCurve
from rig.arrays import FloatArray
from rig.instruments import Int64Array

UNKNOWNS = 4
STRICT = 1e-5
"""The margin of a bound in samples: the far one is open, a picosecond may have been rounded."""
NEAR = 0.1
"""Samples from a step within which edges spread evenly would be in every part of the train."""
UNEVEN = 2.2
"""The multiple of their average number from which edges near a step are no longer spread evenly."""
SEVERAL = 5.0
"""Edges whose jitter the unknowns may take up where a train passes the steps a few times only."""
FEW = 2.0
"""Edges added to those that are violated: there may be so many, and none was seen."""
REACH_MAX = 3.0
_FIRST_REACH = 0.02


@dataclass(frozen=True)
class PulseEdges:
    """Edges of one direction on one channel, of pulses known by their own clock."""

    sample: Int64Array
    """The first sample that shows each edge, shape (n,)."""
    ticks: Int64Array
    """The ticks of each edge, shape (n,)."""


@dataclass(frozen=True)
class _Bounds:
    """Rows `slope` @ unknowns + `over` <= 0; shapes (m, UNKNOWNS) and (m,), in samples."""

    slope: FloatArray
    over: FloatArray

    def near(self, reach: float) -> _Bounds:
        """Return the bounds that a shift by this could violate."""
        mine = self.over > -reach
        return _Bounds(self.slope[mine], self.over[mine])


@dataclass(frozen=True)
class _Range:
    """The unknowns, shape (UNKNOWNS,), of the least delay and of the most."""

    lowest: FloatArray
    highest: FloatArray
    beyond: float
    """Samples by which the delay may lie beyond the two, either way."""


def delay(
    curve: PhaseCurve, reference: PulseEdges, other: PulseEdges, jitter: float
) -> Estimate | None:
    """Return how much later `other` is than `reference` by the train's clock, in samples.

    `curve`: about that of the reference. `jitter`: about that of single edges, in samples. None if
    no range is found.
    """
    first = float(np.mean(other.sample - 0.5 - curve.at(other.ticks)))
    bounds = _bounds(curve, reference, other, first)
    n = len(other.sample)
    # Where the curve may be off by more than this, a second look is taken with more room.
    reach = _FIRST_REACH + 4 * EVEN / math.sqrt(n) + 3 * jitter
    while reach <= REACH_MAX:
        found = _range(bounds.near(reach), jitter, n)
        if found is None:
            return None
        if all(_fits(bounds, each, reach) for each in (found.lowest, found.highest)):
            lowest, highest = float(found.lowest[-1]), float(found.highest[-1])
            x = curve.at(reference.ticks) + _powers(curve, reference.ticks) @ found.lowest[:-1]
            u = max((highest - lowest) / 2 + found.beyond, _widest_gap(x) / 4)
            return Estimate(first + (lowest + highest) / 2, u, n)
        reach *= 3
    return None


def _powers(curve: PhaseCurve, ticks: Int64Array) -> FloatArray:
    """Return Legendre polynomials up to the parabola, shape (n, 3): unknowns that hardly depend."""
    t = (ticks - curve.middle_ticks) / curve.scale_ticks
    return np.polynomial.legendre.legvander(t, UNKNOWNS - 2)


def _bounds(curve: PhaseCurve, reference: PulseEdges, other: PulseEdges, first: float) -> _Bounds:
    slopes, overs = [], []
    for edges, late in ((reference, 0.0), (other, 1.0)):
        x = curve.at(edges.ticks) + late * first
        slope = np.column_stack((_powers(curve, edges.ticks), np.full(len(x), late)))
        slopes += [slope, -slope]
        overs += [x - edges.sample, edges.sample - 1 - x]
    return _Bounds(np.concatenate(slopes), np.concatenate(overs) + STRICT)


def _range(bounds: _Bounds, jitter: float, n: int) -> _Range | None:
    """Return the range without violations if there is one, which is quick to find."""
    rows = np.ascontiguousarray(bounds.slope)
    ends = _ends(rows, -bounds.over)
    if ends is not None:
        # By as much the delay might go beyond before it cost as much as FEW violations.
        return _Range(*ends, math.sqrt(FEW) / n)
    m = len(bounds.over)
    slack = hstack((csr_array(bounds.slope), -eye_array(m))).tocsr()
    total = np.concatenate((np.zeros(UNKNOWNS), np.ones(m)))
    least = _solved(total, slack, -bounds.over)
    if least is None:
        return None
    most = float(total @ least) + _more(bounds, least[:UNKNOWNS], jitter, n)
    slack = vstack((slack, csr_array(total[np.newaxis]))).tocsr()
    ends = _ends(slack, np.append(-bounds.over, most))
    return None if ends is None else _Range(*ends, 0.0)


def _more(bounds: _Bounds, unknowns: FloatArray, jitter: float, n: int) -> float:
    """Return by how much the sum of violations may exceed its least, in samples.

    A train that hardly slides passes the steps a few times only. Then the unknowns take up the
    jitter of all edges at a pass, and the sum at the true delay may be that of several edges.
    """
    signed = bounds.slope @ unknowns + bounds.over
    few = np.count_nonzero(signed > STRICT / 100) + FEW
    near = np.abs(signed) <= NEAR
    parts = max(1, round(n * NEAR / 5))
    # The first two polynomials are 1 and the time from -1 to 1; an upper bound has them negated.
    part = (bounds.slope[near, 1] * bounds.slope[near, 0] + 1) / 2 * parts
    part = np.clip(part.astype(np.int64), 0, parts - 1) + parts * (bounds.slope[near, -1] != 0)
    seen = np.bincount(part, minlength=2 * parts)
    often = seen.min() > 0 and seen.max() <= UNEVEN * (2 * NEAR * n / parts)
    return max(few / (2 * n), 0.0 if often else SEVERAL * jitter)


def _ends(rows: FloatArray | csr_array, limits: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the unknowns, shape (UNKNOWNS,), of the least delay and of the most."""
    wanted = np.zeros(rows.shape[1])
    ends = []
    for way in (1.0, -1.0):
        wanted[UNKNOWNS - 1] = way
        end = _solved(wanted, rows, limits)
        if end is None:
            return None
        ends.append(end[:UNKNOWNS])
    return ends[0], ends[1]


def _solved(
    wanted: FloatArray, rows: FloatArray | csr_array, limits: FloatArray
) -> FloatArray | None:
    """Return x of least `wanted` @ x with `rows` @ x <= `limits`; violations are not below 0."""
    bounds = np.zeros((len(wanted), 2))
    bounds[:, 1] = np.inf
    # What the rows at hand leave free is bounded by those that a wider reach will take in.
    bounds[:UNKNOWNS] = -REACH_MAX, REACH_MAX
    found = linprog(wanted, A_ub=rows, b_ub=limits, bounds=bounds, method="highs")
    return np.asarray(found.x, np.float64) if found.status == 0 else None


def _fits(bounds: _Bounds, unknowns: FloatArray, reach: float) -> bool:
    """Return whether no bound that was left out is violated."""
    out = bounds.over <= -reach
    left = bounds.slope[out] @ unknowns + bounds.over[out]
    return not len(left) or float(left.max()) <= STRICT


def _widest_gap(x: FloatArray) -> float:
    """Return the widest gap of the edges' phases, 0 to 1: what happens within it is not seen."""
    phase = np.sort(x - np.floor(x))
    return float(np.diff(np.append(phase, phase[0] + 1)).max())
