# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of a probability by n events without an exceedance, and the n that a bound needs.

If each event exceeds a limit with probability p, independently, n events show none with
probability (1 - p)^n. The highest p that this leaves at confidence c is 1 - (1 - c)^(1/n), which is
Clopper and Pearson's bound for none seen and, at 95 %, close to 3/n: Hanley and Lippman-Hand, "If
Nothing Goes Wrong, Is Everything All Right?", JAMA 249 (1983).
"""

from __future__ import annotations

import math

from scipy import special

from rig.analysis.statistics.interval import CONFIDENCE, check_share

EXACT_COUNT = 1 << 52
"""Counts above this are not whole numbers in floating point."""


def unseen_probability(n: float, confidence: float = CONFIDENCE) -> float:
    """Return the upper bound of the probability, per event, of what did not occur in n events.

    `n`: the effective number where events depend on each other. Raises ValueError unless n > 0.
    """
    check_share("confidence", confidence)
    if not n > 0:
        raise ValueError(f"n is {n}; valid: above 0")
    return -math.expm1(math.log1p(-confidence) / n)


def seen_probability(seen: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Clopper and Pearson's two-sided interval of a probability, by `seen` of n events."""
    check_share("confidence", confidence)
    if not 0 <= seen <= n or n < 1:
        raise ValueError(f"{seen} of {n} events; valid: 0 to n, n at least 1")
    alpha = (1 - confidence) / 2
    low = 0.0 if seen == 0 else float(special.betaincinv(seen, n - seen + 1, alpha))
    high = 1.0 if seen == n else float(special.betainccinv(seen + 1, n - seen, alpha))
    return low, high


def events_needed(probability: float, confidence: float = CONFIDENCE) -> int:
    """Return the fewest events, none above the limit, that bound it below `probability`.

    Raises ValueError unless both are between 0 and 1, or if the count is beyond EXACT_COUNT.
    """
    check_share("probability", probability)
    check_share("confidence", confidence)
    count = math.log1p(-confidence) / math.log1p(-probability)
    if count > EXACT_COUNT:
        raise ValueError(f"probability {probability:g} needs more than {EXACT_COUNT:.1g} events")
    needed = max(1, math.ceil(count))
    # The quotient may be a rounding above a whole number.
    if needed > 1 and unseen_probability(needed - 1, confidence) <= probability:
        needed -= 1
    return needed
