# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in a run where the values' level or spread changed.

The greatest departure of the cumulative sum of ranks from a straight line, scaled by its deviation,
follows Kolmogorov's distribution if nothing changed: Pettitt, Applied Statistics 28 (1979). A
change found splits the run in two, and each part is searched again (binary segmentation):
Vostrikova, Soviet Mathematics Doklady 24 (1981). The deviation is that of the ranks with the change
taken off, times their integrated autocorrelation time. Ranks of the distance to the median find a
changed spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from rig.analysis.statistics.correlation import integrated_time, ranks
from rig.analysis.statistics.sequence import EventSequence, made_once
from rig.arrays import FloatArray

LEVEL = 0.01
"""Probability, for each kind, to find any change where there is none."""
SHORTEST = 32
"""Fewest steps on either side of a change."""
MOST_CHANGES = 32

Kind = Literal["level", "spread"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the values' level or spread from one event on."""

    kind: Kind
    event: int
    """Number, from 0, of the first event behind it; known to a block where the run is in blocks."""
    before: float
    after: float
    """Averages of the parts on either side, or their deviations, up to the next change."""
    p_value: float


@made_once
def changes(sequence: EventSequence) -> tuple[Change, ...]:
    """Return the changes in event order, from all values if they are kept, else from blocks."""
    steps, events = sequence.series()
    found: list[Change] = []
    kinds: tuple[Kind, ...] = ("level", "spread")
    for kind in kinds:
        places = _segment(steps, kind)
        bounds = [0, *(place for place, _ in places), len(steps)]
        for i, (place, p_value) in enumerate(places):
            sides = steps[bounds[i] : place], steps[place : bounds[i + 2]]
            before, after = (float(s.mean() if kind == "level" else s.std()) for s in sides)
            found.append(Change(kind, place * events, before, after, p_value))
    return tuple(sorted(found, key=lambda change: change.event))


def _segment(steps: FloatArray, kind: Kind) -> list[tuple[int, float]]:
    """Return places of changes, ascending, with their p-values; all parts share the level."""
    level_left = [(0, len(steps))]
    places: list[tuple[int, float]] = []
    while level_left and len(places) < MOST_CHANGES:
        first, stop = level_left.pop()
        found = strongest_change(steps[first:stop], kind)
        if found is None or found[1] > LEVEL / (2 * len(places) + 1):
            continue
        place = first + found[0]
        places.append((place, found[1]))
        level_left += [(first, place), (place, stop)]
    return sorted(places)


def strongest_change(steps: FloatArray, kind: Kind = "level") -> tuple[int, float] | None:
    """Return where the steps most likely change and the p-value of none; None if too short."""
    n = len(steps)
    if n < 2 * SHORTEST:
        return None
    seen = steps if kind == "level" else np.abs(steps - np.median(steps))
    ranked = ranks(seen)
    if not ranked.any():
        return None
    walk = np.cumsum(ranked)[SHORTEST - 1 : n - SHORTEST]
    place = SHORTEST + int(np.argmax(np.abs(walk)))
    rest = ranked.copy()
    rest[:place] -= rest[:place].mean()
    rest[place:] -= rest[place:].mean()
    deviation = float(rest.std())
    if deviation == 0:
        return place, 0.0
    time = integrated_time([rest]).events
    statistic = float(np.abs(walk).max()) / (deviation * math.sqrt(time * n))
    return place, float(special.kolmogorov(statistic))
