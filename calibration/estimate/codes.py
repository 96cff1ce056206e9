# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples that are not all alike: missing ones, uneven ones, blocks of them that were dropped.

An analyzer's sample index is a code for time as a converter's is one for voltage. A train whose
edges fall everywhere meets all codes alike; what a code gets more or less is its differential
non-linearity (the histogram test, IEEE Std 1241-2010). Codes are taken modulo a small number, since
what an analyzer does wrong it does again and again. As the edges' own positions are known, each
sample's time is found from where its edges begin and end, which is surer than counting them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.estimate.estimate import Estimate
from calibration.estimate.phase import PhaseCurve, Positions, mean_over_phase
from rig.arrays import FloatArray
from rig.instruments import Int64Array

PERIOD = 16
"""The codes looked at: whatever repeats every 2, 4, 8 or 16 samples shows."""
MODULI = (2, 3, 5, 7, PERIOD)
FEWEST_EXPECTED = 20
"""Edges that should have met a code; if none did, it is missing."""
TOLERANCE_SAMPLES = 2.0


@dataclass(frozen=True)
class Codes:
    """Properties of the samples."""

    missing: tuple[tuple[int, int], ...]
    """The (code, modulus) pairs that no edge ever met."""
    late: tuple[Estimate, ...]
    """How much later than evenly each of PERIOD codes is taken, in samples.

    () if that cannot be told."""
    width: tuple[Estimate, ...]
    """How much longer than one sample the time is that each code stands for, in samples."""
    departures: FloatArray
    """Intervals less what they were to be, in samples, shape (n - 1,)."""
    jitter: Estimate
    """Deviation of the edges from their own clock, beyond whole samples, in samples."""
    steady: bool


@dataclass(frozen=True)
class Dropped:
    """A place where samples are missing or too many."""

    sample: int
    samples: int
    """How many samples are missing; negative: too many."""


def dropped_blocks(sample: Int64Array, ticks: Int64Array) -> tuple[Dropped, ...]:
    """Return the intervals of edges, shape (n,) each, that are not as long as they were sent."""
    if len(sample) < 3:
        return ()
    sent = np.diff(ticks).astype(np.float64)
    ratio = float(np.median(np.diff(sample) / sent))
    # The median is as coarse as an interval is; the good ones together are finer.
    lacking = sent * ratio - np.diff(sample)
    good = np.abs(lacking) < TOLERANCE_SAMPLES
    if good.any():
        ratio = float(np.diff(sample)[good].sum() / sent[good].sum())
        lacking = sent * ratio - np.diff(sample)
    bad = np.flatnonzero(np.abs(lacking) > TOLERANCE_SAMPLES)
    return tuple(Dropped(int(sample[i]), round(float(lacking[i]))) for i in bad)


def codes(sample: Int64Array, ticks: Int64Array) -> Codes:
    """Return the codes of a dithering train's edges. Raises ValueError for fewer than 4."""
    where = PhaseCurve.through(sample, ticks).positions(sample, ticks)
    missing = tuple((code, modulus) for modulus in MODULI for code in _never_met(sample, modulus))
    departures = np.diff(sample) - np.diff(where.x)
    late: tuple[Estimate, ...] = ()
    if not missing and where.steady:
        late = tuple(_late(sample, where, code) for code in range(PERIOD))
    width = tuple(
        late[code].plus(-late[code - 1].value, late[code - 1].standard_uncertainty)
        for code in range(len(late))
    )
    steps = sample - np.floor(where.x).astype(np.int64)
    jitter = mean_over_phase(steps, where).spread
    return Codes(missing, late, width, departures, jitter, where.steady)


def _never_met(sample: Int64Array, modulus: int) -> list[int]:
    if len(sample) < FEWEST_EXPECTED * modulus:
        return []
    count = np.bincount(sample % modulus, minlength=modulus)
    return [int(code) for code in np.flatnonzero(count == 0)]


def _late(sample: Int64Array, where: Positions, code: int) -> Estimate:
    """Return how much later a code is taken than evenly, by edges within half a sample of it."""
    nearest = np.rint(where.x).astype(np.int64)
    mine = nearest % PERIOD == code
    if mine.sum() < 2:
        return Estimate(0.0, 0.5, int(mine.sum()))
    steps = sample[mine] - nearest[mine]
    phases = Positions(where.x[mine] - nearest[mine] + 0.5, where.steady)
    return mean_over_phase(-steps, phases).mean.plus(0.5)
