# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of two cores against each other, each seen through the edges of its own answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from calibration.estimate.estimate import Estimate
from calibration.estimate.logged import WARM_PPM_PER_S, Logged
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.arrays import FloatArray
from rig.instruments import Int64Array


@dataclass(frozen=True)
class _Limits:
    """The points that a line must be above, and below."""

    lower_x: Int64Array
    lower_y: Int64Array
    upper_x: Int64Array
    upper_y: Int64Array


def ahead(reference: tuple[Logged, ...], other: Logged, rates: Rates) -> Estimate:
    """Return by how many ns another core's counter is ahead, from runs in one capture.

    The reference's runs should lie before and after the other's. One line through all brackets of
    the reference, and the same line moved by the offset through the other's: the least and the
    largest offset for which there is such a line, by linear programming. What crystals that have
    warmed up may drift meanwhile widens all brackets. Raises ValueError if there is none.
    """
    first = reference[0]
    mine = [_limits(each, first) for each in reference]
    its = _limits(other, first)
    x = np.concatenate([each.lower_x for each in (*mine, its)]).astype(np.float64)
    middle, scale = (x.min() + x.max()) / 2, max(1.0, (x.max() - x.min()) / 2)
    base = _base(mine, middle, scale)
    slope_x = 2 * scale / rates.sample_rate_hz
    allowance = WARM_PPM_PER_S * 1e-6 * rates.tick_hz * slope_x**2 / 16
    rows, right = [], []
    for limits, own in (*((each, 0.0) for each in mine), (its, 1.0)):
        for where, value, sign in (
            (limits.lower_x, limits.lower_y, -1.0),
            (limits.upper_x, limits.upper_y, 1.0),
        ):
            t = (where - middle) / scale
            ones = np.ones_like(t)
            rows.append(sign * np.column_stack((ones, t, own * ones)))
            right.append(sign * (value - np.polynomial.polynomial.polyval(t, base)) + allowance)
    least, most = _extremes(np.vstack(rows), np.concatenate(right))
    return Estimate.between(least * rates.tick_ns, most * rates.tick_ns, len(other.brackets))


def _limits(found: Logged, first: Logged) -> _Limits:
    """Return the limits by the events that fit their own line; ticks from the first run's start."""
    named = [violation.event for violation in found.test.violations]
    b: Brackets = found.brackets.without(named)
    shift = _shift(found, first)
    return _Limits(b.sample, b.before_ticks + shift, b.sample - 1, b.after_ticks + 1 + shift)


def _shift(found: Logged, first: Logged) -> int:
    """Return the ticks from one run's first reading to another's."""
    # Differences of a counter of 64 bits, signed.
    shift = (found.origin_ticks - first.origin_ticks + (1 << 63)) % (1 << 64) - (1 << 63)
    modulus = max(found.modulus, first.modulus)
    if not modulus or found is first:
        return shift
    # A narrower one has wrapped meanwhile as often as the samples between tell.
    b = first.brackets
    samples, ticks = int(b.sample[-1] - b.sample[0]), int(b.before_ticks[-1] - b.before_ticks[0])
    passed = int(found.brackets.sample[0]) - int(b.sample[0])
    off = int(found.brackets.before_ticks[0]) - int(b.before_ticks[0])
    return shift + round((passed * ticks / samples - off - shift) / modulus) * modulus


def _base(mine: list[_Limits], middle: float, scale: float) -> FloatArray:
    """Return a line near all of the reference's points, so that what remains is small."""
    t = np.concatenate([(each.lower_x - middle) / scale for each in mine])
    y = np.concatenate([each.lower_y for each in mine])
    return np.asarray(np.polynomial.polynomial.polyfit(t, y, 1), np.float64)


def _extremes(rows: FloatArray, right: FloatArray) -> tuple[float, float]:
    found = []
    for sign in (1.0, -1.0):
        free = [(None, None)] * 3
        answer = linprog([0, 0, sign], A_ub=rows, b_ub=right, bounds=free, method="highs")
        if answer.status != 0:
            raise ValueError("no common clock fits both cores' answers")
        found.append(float(answer.x[2]))
    return found[0], found[1]
