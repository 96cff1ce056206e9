# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a wire: lines where its edges can be told apart, blocks where they cannot.

However many edges there are, a pixel column gets two at most; so drawing takes a time that depends
on the width of the picture only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gui.models.summary.rows import Rows
from rig.instruments import Int64Array, UInt8Array

Floats = npt.NDArray[np.float64]
EDGES_A_PIXEL = 2


@dataclass(frozen=True, eq=False)
class Shape:
    """The shape of a wire between two samples, in pixels from the left."""

    flat_x: Floats
    """The ends of level stretches, shape (k, 2)."""
    flat_level: UInt8Array
    """The level of each stretch, shape (k,)."""
    edge_x: Floats
    """The edges drawn one by one, shape (e,)."""
    blocks: Floats
    """The stretches with more edges than can be drawn, shape (b, 2)."""


def shape_of_edges(
    index: Int64Array, level: UInt8Array, level_before: int, first: float, end: float, width: int
) -> Shape:
    """Return the shape of one channel's edges in samples, ascending, shapes (n,).

    Those outside [first, end) count for the level only.
    """
    low, high = np.searchsorted(index, (first, end))
    if low:
        level_before = int(level[low - 1])
    x = np.asarray((index[low:high] - first) * (width / (end - first)), np.float64)
    inside = level[low:high]
    column = np.clip(x.astype(np.int64), 0, width - 1)
    dense = np.bincount(column, minlength=width) > EDGES_A_PIXEL
    alone = ~dense[column] if len(column) else np.empty(0, np.bool_)
    blocks = _runs(dense)
    last_in_block = np.searchsorted(column, blocks[:, 1], side="left") - 1
    return _shape(
        level_before, x[alone], inside[alone], blocks, inside[last_in_block], float(width)
    )


def shape_of_rows(
    rows: Rows, levels_after: int, channel: int, first: float, end: float, width: int
) -> Shape:
    """Return the shape of a summary's rows, which reach from before `first` to behind `end`.

    The rows are in order. `levels_after`: of all channels behind the last row; matters if there is
    none behind `end`.
    """
    scale = width / (end - first)
    bit = np.uint16(1 << channel)
    busy = (rows["mask"] & bit) != 0
    begin = np.clip((rows["first"][busy] - first) * scale, -1, width).astype(np.int64)
    until = np.clip((rows["last"][busy] - first) * scale, -1, width).astype(np.int64)
    change = np.zeros(width + 2, np.int64)
    np.add.at(change, np.clip(begin, 0, width), 1)
    np.add.at(change, np.clip(until + 1, 0, width), -1)
    dense = np.cumsum(change)[:width] > 0
    blocks = _runs(dense)
    ends = np.asarray(first + blocks[:, 1] / scale, np.float64)
    levels = _levels_at(rows, levels_after, channel, ends)
    before = int(_levels_at(rows, levels_after, channel, np.array([first]))[0])
    none = np.empty(0)
    return _shape(before, none, none.astype(np.uint8), blocks, levels, float(width))


def _levels_at(rows: Rows, levels_after: int, channel: int, samples: Floats) -> UInt8Array:
    """Return a channel's levels at samples where it rests: those before the next row."""
    levels = np.append(rows["levels"], np.uint16(levels_after & 0xFFFF))
    found = levels[np.searchsorted(rows["first"], samples)]
    return ((found >> np.uint16(channel)) & np.uint16(1)).astype(np.uint8)


def _runs(dense: npt.NDArray[np.bool_]) -> Floats:
    """Return begin and end of each run of true columns, shape (b, 2)."""
    change = np.flatnonzero(np.diff(np.concatenate(([False], dense, [False]))))
    return change.reshape(-1, 2).astype(np.float64)


def _shape(
    level_before: int,
    edge_x: Floats,
    edge_level: UInt8Array,
    blocks: Floats,
    block_level: UInt8Array,
    width: float,
) -> Shape:
    begin = np.concatenate((edge_x, blocks[:, 0]))
    order = np.argsort(begin, kind="stable")
    until = np.concatenate((edge_x, blocks[:, 1]))[order]
    level = np.concatenate((edge_level, block_level)).astype(np.uint8)[order]
    flat = np.stack(
        (np.concatenate(([0.0], until)), np.concatenate((begin[order], [width]))), axis=1
    )
    levels = np.concatenate((np.array([level_before], np.uint8), level))
    long = flat[:, 1] > flat[:, 0]
    return Shape(flat[long], levels[long], edge_x, blocks)
