# SPDX-License-Identifier: GPL-3.0-or-later
"""One edge on many channels: how much later each shows it, by edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.estimate.phase import Curve, Offset, Positions, mean_over_phase
from rig.instruments import Int64Array, UInt8Array

RISING, FALLING = 1, 0


@dataclass(frozen=True)
class Pulses:
    """The train that was fanned out, by its own clock and as the reference channel shows it."""

    rising_ticks: Int64Array
    """Shape (n,)."""
    falling_ticks: Int64Array
    """Shape (n,): each pulse's other edge."""
    rising: Int64Array
    """Shape (n,), sample indexes on the reference channel."""
    falling: Int64Array


@dataclass(frozen=True)
class ChannelSkew:
    """Of one channel against the reference channel's rising edge, in samples."""

    rising: Offset | None
    """None: too few edges could be paired."""
    falling: Offset | None
    missing: int
    """Edges of the reference that the channel did not show."""
    extra: int
    """Edges that it showed beside."""
    steady: bool
    """The train kept to its clock, so that there is a value below a sample."""


def paired(reference: Int64Array, index: Int64Array, reach: int) -> Int64Array:
    """For each edge of the reference, shape (n,), the number of the nearest edge, or -1.

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
    """Of every channel that shows any of the pulses; `edges`: indexes and levels by channel.

    The reference's falling edge is compared with its own rising edge by the width that the train
    was to have. Raises ValueError for fewer than 4 pulses.
    """
    curve = Curve.through(pulses.rising, pulses.rising_ticks)
    at_rising = curve.positions(pulses.rising, pulses.rising_ticks)
    at_falling = curve.positions(pulses.falling, pulses.falling_ticks)
    own = _later(
        mean_over_phase(pulses.falling - _floor(at_falling), at_falling),
        mean_over_phase(pulses.rising - _floor(at_rising), at_rising),
    )
    steady = at_rising.steady and at_falling.steady
    found = {}
    for channel, (index, level) in edges.items():
        if channel == reference:
            nothing = mean_over_phase(np.zeros_like(pulses.rising), at_rising)
            found[channel] = ChannelSkew(_exact(nothing, at_rising, pulses), own, 0, 0, steady)
            continue
        rising, falling = index[level == RISING], index[level == FALLING]
        pairs = paired(pulses.rising, rising, reach), paired(pulses.falling, falling, reach)
        if max((pairs[0] >= 0).sum(), (pairs[1] >= 0).sum()) == 0:
            continue
        down = _against(pulses.falling, falling, pairs[1], at_falling)
        found[channel] = ChannelSkew(
            _against(pulses.rising, rising, pairs[0], at_rising),
            None if down is None else _moved(down, own),
            int((pairs[0] < 0).sum() + (pairs[1] < 0).sum()),
            len(index) - int((pairs[0] >= 0).sum() + (pairs[1] >= 0).sum()),
            steady,
        )
    return found


def _floor(where: Positions) -> Int64Array:
    return np.floor(where.x).astype(np.int64)


def _against(
    reference: Int64Array, index: Int64Array, pairs: Int64Array, where: Positions
) -> Offset | None:
    there = pairs >= 0
    if there.sum() < 4:
        return None
    steps = index[pairs[there]] - reference[there]
    return mean_over_phase(steps, Positions(where.x[there], where.steady))


def _later(late: Offset, early: Offset) -> Offset:
    difference = late.mean.plus(-early.mean.value, early.mean.standard_uncertainty)
    return Offset(difference, late.spread)


def _moved(offset: Offset, own: Offset) -> Offset:
    return Offset(offset.mean.plus(own.mean.value, own.mean.standard_uncertainty), offset.spread)


def _exact(zero: Offset, where: Positions, pulses: Pulses) -> Offset:
    """The reference's rising edge is where it is by definition; only its spread is found."""
    spread = mean_over_phase(pulses.rising - _floor(where), where).spread
    return Offset(zero.mean.__class__(0.0, 0.0, zero.mean.n), spread)
