# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a counter departs from a straight line."""

from __future__ import annotations

import math

import numpy as np

from calibration.estimate.estimate import Estimate
from rig.analysis.clocks.brackets import Brackets, Rates

EVENTS = 250
"""In a block: their middles' noise is a sixteenth of a bracket."""
FEWEST_BLOCKS = 4


def departure_ns(brackets: Brackets, rates: Rates) -> Estimate | None:
    """Largest departure of the means of blocks from their best line; None for too few events.

    What the middles of brackets scatter by chance is in the uncertainty, with the factor by which
    the largest of so many exceeds one (about sqrt(2 ln m) for normal noise).
    """
    blocks = len(brackets) // EVENTS
    if blocks < FEWEST_BLOCKS:
        return None
    whole = slice(0, blocks * EVENTS)
    x = (brackets.sample - brackets.sample[0])[whole].astype(np.float64) - 0.5
    y = (brackets.before_ticks + brackets.after_ticks + 1)[whole] / 2
    fit = np.polynomial.polynomial.polyfit(x, y - y[0], 1)
    rest = (y - y[0] - np.polynomial.polynomial.polyval(x, fit)).reshape(blocks, EVENTS)
    means = rest.mean(axis=1)
    noise = float(rest.std(axis=1, ddof=1).mean()) / math.sqrt(EVENTS)
    largest = float(np.abs(means).max())
    expected = noise * math.sqrt(2 * math.log(blocks))
    left = math.sqrt(max(0.0, largest**2 - expected**2))
    return Estimate(left, max(noise, expected), blocks * EVENTS).scaled(rates.tick_ns)
