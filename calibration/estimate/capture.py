# SPDX-License-Identifier: GPL-3.0-or-later
"""The microcontroller's input capture against the edges that it sent itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.estimate.estimate import Estimate
from rig.instruments import Int64Array


@dataclass(frozen=True)
class Captured:
    """The capture's delay by direction of the edge, in ticks; None: no such edge was captured."""

    rising: Estimate | None
    falling: Estimate | None
    missing: int
    """Edges sent and not captured."""
    extra: int
    """Edges captured though none was sent shortly before."""


def capture_delay(
    captured: Int64Array, rising: Int64Array, falling: Int64Array, reach_ticks: int
) -> Captured:
    """Return how much later than it was sent an edge was captured; all in ticks of one clock.

    `captured` has shape (m,), `rising` and `falling` shape (n,): planned. An edge is captured at a
    whole tick, and where in it is not known: one tick either way. Both clocks are one, so that no
    number of edges makes that less.
    """
    sent = np.concatenate((rising, falling))
    order = np.argsort(sent, kind="stable")
    sent, up = sent[order], order < len(rising)
    number = np.searchsorted(sent, captured, side="right") - 1
    late = captured - sent[np.maximum(number, 0)]
    fits = (number >= 0) & (late <= reach_ticks)
    # Of two captures behind one edge the first is its own.
    fits[1:] &= number[1:] != number[:-1]
    made = [_mean(late[fits & (up[number] == way)]) for way in (True, False)]
    return Captured(made[0], made[1], len(sent) - int(fits.sum()), int((~fits).sum()))


def _mean(late: Int64Array) -> Estimate | None:
    if not len(late):
        return None
    scatter = float(late.std()) / math.sqrt(len(late))
    return Estimate(float(late.mean()), math.hypot(1 / math.sqrt(3), scatter), len(late))
