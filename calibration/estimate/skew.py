# SPDX-License-Identifier: GPL-3.0-or-later
"""The skew of one edge on many channels: how much later each shows it, by edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from calibration.estimate.allowed import PulseEdges, delay
from calibration.estimate.estimate import Estimate
from calibration.estimate.phase import Offset, PhaseCurve, Positions, mean_over_phase
from rig.instruments import Int64Array, UInt8Array

RISING, FALLING = 1, 0
FEWEST = 4
"""The fewest edges from which a skew is estimated."""


@dataclass(frozen=True)
class Pulses:
    """The train that was fanned out, by its own clock and as the reference channel shows it."""

    rising_ticks: Int64Array
    """The ticks of each pulse's rising edge, shape (n,)."""
    falling_ticks: Int64Array
    """The ticks of each pulse's other edge, shape (n,)."""
    rising: Int64Array
    """The sample indexes on the reference channel, shape (n,)."""
    falling: Int64Array


@dataclass(frozen=True)
class ChannelSkew:
    """The skew of one channel against the reference channel's rising edge, in samples."""

    rising: Offset | None
    """The rising edges' skew; None: too few edges could be paired."""
    falling: Offset | None
    missing: int
    """Edges of the reference that the channel did not show."""
    extra: int
    """Edges of the channel that the reference did not show."""
    steady: bool
    """Whether the train kept to its clock, so that there is a value below a sample."""


def paired(reference: Int64Array, index: Int64Array, reach: int) -> Int64Array:
    """Return, for each edge of the reference, shape (n,), the nearest edge's number, or -1.

    `index` has shape (m,), rising. Edges farther away than `reach` samples are no pair; of two
    claims on one edge the nearer counts.
    """
    if not len(index):
        return np.full(len(reference), -1, np.int64)
    after = np.clip(np.searchsorted(index, reference), 1, max(1, len(index) - 1))
    after = np.minimum(after, len(index) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(index[before] - reference) <= np.abs(index[after] - reference)
    found = np.where(nearer, before, after)
    distance = np.abs(index[found] - reference)
    order = np.lexsort((distance, found))
    first = np.ones(len(found), bool)
    first[order[1:]] = found[order][1:] != found[order][:-1]
    return np.where(first & (distance <= reach), found, -1).astype(np.int64)


def channel_skews(
    edges: Mapping[int, tuple[Int64Array, UInt8Array]], reference: int, pulses: Pulses, reach: int
) -> dict[int, ChannelSkew]:
    """Return the skew of every channel that shows any of the pulses.

    `edges`: indexes and levels by channel. Falling edges are compared with the reference's rising
    ones by the width that the train was to have. Raises ValueError for fewer than 4 pulses.
    """
    train = _Train.of(pulses)
    found = {}
    for channel, (index, level) in edges.items():
        if channel == reference:
            found[channel] = ChannelSkew(train.rising, train.falling, 0, 0, train.steady)
            continue
        rising, falling = index[level == RISING], index[level == FALLING]
        pairs = paired(pulses.rising, rising, reach), paired(pulses.falling, falling, reach)
        there = int((pairs[0] >= 0).sum() + (pairs[1] >= 0).sum())
        if not there:
            continue
        found[channel] = ChannelSkew(
            train.offset(rising, pairs[0], RISING),
            train.offset(falling, pairs[1], FALLING),
            2 * len(pulses.rising) - there,
            len(index) - there,
            train.steady,
        )
    return found


@dataclass(frozen=True)
class _Train:
    """The pulses, and their positions by the reference's rising edges."""

    curve: PhaseCurve
    edges: tuple[PulseEdges, PulseEdges]
    """The reference's edges: falling ones and rising ones."""
    at: tuple[Positions, Positions]
    """The positions of the same edges."""

    @classmethod
    def of(cls, pulses: Pulses) -> Self:
        curve = PhaseCurve.through(pulses.rising, pulses.rising_ticks)
        edges = (
            PulseEdges(pulses.falling, pulses.falling_ticks),
            PulseEdges(pulses.rising, pulses.rising_ticks),
        )
        falling, rising = (curve.positions(each.sample, each.ticks) for each in edges)
        return cls(curve, edges, (falling, rising))

    @property
    def steady(self) -> bool:
        return all(each.steady for each in self.at)

    @cached_property
    def rising(self) -> Offset:
        """The reference's rising edge, which is at 0 by definition; only its spread is found."""
        return Offset(Estimate(0.0, 0.0, len(self.edges[RISING].sample)), self._own(RISING).spread)

    @cached_property
    def falling(self) -> Offset:
        """The reference's own falling edge."""
        own = self._own(FALLING)
        if self.steady:
            found = delay(self.curve, self.edges[RISING], self.edges[FALLING], own.spread.value)
            if found is not None:
                return Offset(found, own.spread)
        return Offset(_less(own.mean, self._own(RISING).mean), own.spread)

    def offset(self, index: Int64Array, pairs: Int64Array, level: int) -> Offset | None:
        """Return the offset of a channel's edges, shape (m,), by pulse at `pairs`, or -1."""
        there = pairs >= 0
        if there.sum() < FEWEST:
            return None
        sample, reference = index[pairs[there]], self.edges[level]
        where = Positions(self.at[level].x[there], self.at[level].steady)
        plain = mean_over_phase(sample - reference.sample[there], where)
        if self.steady:
            mine = PulseEdges(sample, reference.ticks[there])
            found = delay(self.curve, self.edges[RISING], mine, plain.spread.value)
            if found is not None:
                return Offset(found, plain.spread)
        own = (self.falling, self.rising)[level].mean
        mean = plain.mean.plus(own.value, own.standard_uncertainty)
        return Offset(mean, plain.spread)

    def _own(self, level: int) -> Offset:
        return mean_over_phase(self.edges[level].sample - _floor(self.at[level]), self.at[level])


def _floor(where: Positions) -> Int64Array:
    return np.floor(where.x).astype(np.int64)


def _less(late: Estimate, early: Estimate) -> Estimate:
    return late.plus(-early.value, early.standard_uncertainty)
