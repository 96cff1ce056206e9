# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution functions and their inverses.

Their numbers are those of `scipy.stats`, from `scipy.special`: importing the former takes half a
second of processor time, more than most commands need for all else.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from rig.arrays import FloatArray
from rig.instruments import Int64Array


def normal_quantile(p: float) -> float:
    """Return the value that a standard normal variable is up to with probability `p`."""
    return float(special.ndtri(p))


def normal_above(value: float) -> float:
    """Return the probability that a standard normal variable is above `value`."""
    return float(special.ndtr(-value))


def student_quantile(p: float, freedom: float) -> float:
    """Return the value that Student's t of `freedom` degrees is up to with probability `p`."""
    return float(special.stdtrit(freedom, p))


def chi_squared_above(value: float, freedom: float) -> float:
    """Return the probability that chi-squared of `freedom` degrees is above `value`."""
    return float(special.chdtrc(freedom, value))


def binomial_up_to(count: Int64Array, n: int, p: float) -> FloatArray:
    """Return the probability of at most `count` of n, each of probability `p`; -1 to n."""
    inside = np.clip(count, 0, n - 1)  # at n the function has no value
    below = np.where(count < 0, 0.0, special.betaincc(inside + 1, n - inside, p))
    return np.where(count >= n, 1.0, below)


def binomial_quantile(probability: FloatArray, n: int, p: float) -> Int64Array:
    """Return the least counts that n events of probability `p` are up to with these chances."""
    too_low = np.full(np.shape(probability), -1, np.int64)
    enough = np.full_like(too_low, n)
    while (enough - too_low > 1).any():
        middle = (too_low + enough) // 2
        reached = binomial_up_to(middle, n, p) >= probability
        # Where both are neighbors already, the middle is the lower one, which is too low.
        too_low, enough = np.where(reached, too_low, middle), np.where(reached, middle, enough)
    return enough
