# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges behind a picture: of a short stretch each one, of a long one a summary's rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gui.models.runs.opened import OpenedRun
from gui.models.summary.levels import SummaryLevels
from gui.models.summary.rows import BUCKET, Rows, joined_blocks
from gui.plots.waveform.shape import Shape, shape_of_edges, shape_of_rows
from rig.instruments import EdgeBlock

EDGES_MAX = 1 << 18
"""The edges read for one picture; with the stretches beside it, so that moving on reads nothing."""
ROWS_MAX = 1 << 15
"""The rows of a summary looked at for one picture."""


class RunEdges:
    """The edges of an opened run by stretches of samples."""

    def __init__(self, run: OpenedRun, levels: SummaryLevels) -> None:
        """Take the run; `levels`: the summary of its edges, which may still grow."""
        self._run = run
        self._levels = levels
        self._block: EdgeBlock | None = None
        self._is_cut = False

    @property
    def end_sample(self) -> int:
        """The number of samples of the capture."""
        return self._run.file.covered_samples

    def known_until(self, end: float) -> float:
        """Return up to where the last picture shows edges, at most `end`."""
        block = self._block
        return min(end, block.end_sample) if self._is_cut and block is not None else end

    def shapes(self, first: float, end: float, width: int) -> list[Shape]:
        """Return a shape for each of the run's lines. Raises InputError for damage there."""
        channels = [line.channel for line in self._run.lines]
        rows = self._rows(first, end)
        if rows is not None:
            self._is_cut = False
            after = self._levels_after
            return [shape_of_rows(rows, after, c, first, end, width) for c in channels]
        block = self._read(first, end)
        shapes = []
        for channel in channels:
            of_it = block.channel == channel
            before = block.levels_before >> channel & 1
            shapes.append(
                shape_of_edges(block.index[of_it], block.level[of_it], before, first, end, width)
            )
        return shapes

    def near(self, sample: float, reach: float, channel: int) -> int | None:
        """Return the channel's edge nearest to a sample, no further than `reach` from it, or None.

        It is an edge of the stretch that was shown last, if its edges were read one by one.
        """
        if self._block is None:
            return None
        index = self._block.index[self._block.channel == channel]
        if not len(index):
            return None
        place = int(np.searchsorted(index, sample))
        found = min(index[max(place - 1, 0) : place + 1].tolist(), key=lambda at: abs(at - sample))
        return int(found) if abs(found - sample) <= reach else None

    @cached_property
    def _levels_after(self) -> int:
        """The levels of all channels behind the last edge."""
        end = self.end_sample
        last = joined_blocks(self._run.file.edge_blocks(end, end))
        return last.levels_before

    def _rows(self, first: float, end: float) -> Rows | None:
        """Return the summary's rows of a stretch too long to be read; None: read it."""
        if not self._levels.complete:
            return None
        base = self._levels.base
        # Integers among integers: else all of them would be converted first.
        low, high = np.searchsorted(base["first"], np.array([first, end]).astype(np.int64))
        if (high - low) * BUCKET <= EDGES_MAX // 3:
            return None
        size, rows = self._levels.at(BUCKET * max(1.0, (high - low) / ROWS_MAX) * 8)
        scale = size // BUCKET
        self._block = None
        return rows[max(low // scale - 1, 0) : high // scale + 2]

    def _read(self, first: float, end: float) -> EdgeBlock:
        low, high = max(int(first), 0), min(int(np.ceil(end)) + 1, self.end_sample)
        block = self._block
        if block is None or block.start_sample > low or block.end_sample < min(high, self._cut_end):
            span = high - low
            block = self._read_from(max(low - span, 0), min(high + span, self.end_sample), high)
            self._block = block
        return block

    @property
    def _cut_end(self) -> int:
        assert self._block is not None  # noqa: S101 - asked only of a block
        return self._block.end_sample if self._is_cut else self.end_sample

    def _read_from(self, low: int, wide_high: int, high: int) -> EdgeBlock:
        """Read a stretch, with those beside it if they are not too busy."""
        parts, edges = [], 0
        self._is_cut = False
        for part in self._run.file.edge_blocks(low, wide_high):
            parts.append(part)
            edges += len(part.index)
            if edges > EDGES_MAX:
                self._is_cut = part.end_sample < high
                break
        return joined_blocks(iter(parts))
