# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of many short stretches of a run, as they are asked for: many at a time in C.

Stretches that the library leaves undecided are fitted one by one, and all of them are where there
is no library: the same numbers, to the last digit.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from rig.analysis import native
from rig.analysis.clocks.brackets import Brackets, BracketSource, Rates
from rig.analysis.clocks.line_set import FASTEST, LineSet, bend_of, lines_through
from rig.arrays import FloatArray
from rig.instruments import Int64Array

_READ_EVENTS = 1 << 15
_KEPT_MAX = 1 << 12
"""Largest number of stretches whose lines are kept: some MB."""


class StretchLines:
    """The lines that fit each of many stretches, found when first asked for."""

    def __init__(
        self, source: BracketSource, stretches: Int64Array, excluded: Int64Array, rates: Rates
    ) -> None:
        """Keep no lines yet. `stretches`: first and stop, shape (k, 2); `excluded`: left out."""
        self._source, self._stretches, self._rates = source, stretches, rates
        self._excluded = excluded
        self._block = 0, source.read(0, 0)
        self._alone: OrderedDict[int, LineSet] = OrderedDict()
        """Lines that were found one by one, by number of the stretch."""
        self._row_of: dict[int, int] = {}
        """Row of the others in `_rows`, by number of the stretch; -1: it is in `_alone`."""
        self._rows: native.LineRows | None = None
        if native.available():
            fastest = FASTEST * rates.nominal_ticks_per_sample
            count = min(_KEPT_MAX, len(stretches))
            self._rows = native.LineRows(count, fastest, bend_of(rates))

    def bounds(
        self, numbers: list[int], ranges: Int64Array, sample: Int64Array
    ) -> tuple[int, FloatArray, FloatArray]:
        """Return an origin, and lowest and highest ticks less it at these samples, shapes (n,).

        `ranges`: first and stop of the samples that are in each of these stretches, shape (k, 2).
        Raises ValueError if the events of one contradict the drift bound.
        """
        found = np.empty(len(sample)), np.empty(len(sample))
        origin = 0
        for begin in range(0, len(numbers), _KEPT_MAX):
            part = slice(begin, begin + _KEPT_MAX)
            rows = self._rows_for(numbers[part])
            if not begin:
                origin = self._origin(numbers[0], rows[0])
            self._write(numbers[part], rows, ranges[part], origin, sample, found)
        return origin, *found

    def _origin(self, number: int, row: int) -> int:
        if self._rows is None or row < 0:
            return self._alone_of(number).origin_ticks
        return self._rows.origin_ticks(row)

    def _write(
        self, numbers: list[int], rows: list[int], ranges: Int64Array, origin: int,
        sample: Int64Array, found: tuple[FloatArray, FloatArray],
    ) -> None:  # fmt: skip
        lowest, highest = found
        together = [place for place, row in enumerate(rows) if row >= 0]
        if self._rows is not None and together:
            mine = [rows[place] for place in together]
            self._rows.bounds(mine, ranges[together], origin, sample, found)
        for place in (place for place, row in enumerate(rows) if row < 0):
            lines, asked = self._alone_of(numbers[place]), slice(*ranges[place].tolist())
            low, high = lines.bounds(sample[asked])
            lowest[asked] = low + (lines.origin_ticks - origin)
            highest[asked] = high + (lines.origin_ticks - origin)

    def _rows_for(self, numbers: list[int]) -> list[int]:
        """Return the row of each of these stretches, -1 for one that is found alone."""
        if self._rows is None:
            return [-1] * len(numbers)
        missing = [number for number in numbers if number not in self._row_of]
        if len(self._row_of) + len(missing) > _KEPT_MAX:
            self._row_of.clear()
            missing = numbers
        if missing:
            self._find(missing, self._rows)
        return [self._row_of[number] for number in numbers]

    def _find(self, numbers: list[int], rows: native.LineRows) -> None:
        """Find the lines of these stretches, of those in one block of events at once."""
        waiting: list[int] = []
        for number in numbers:
            first, stop = self._stretches[number].tolist()
            if self._gone(first, stop):
                self._row_of[number] = -1
                continue
            begin, block = self._block
            if not begin <= first <= stop <= begin + len(block):
                self._find_in_block(waiting, rows)
                waiting = []
                self._read(first, stop)
            waiting.append(number)
        self._find_in_block(waiting, rows)

    def _find_in_block(self, numbers: list[int], rows: native.LineRows) -> None:
        if not numbers:
            return
        begin, block = self._block
        first, stop = self._stretches[numbers].T - begin
        span = block.sample[stop - 1] - block.sample[first]
        row = len(self._row_of) + np.arange(len(numbers))
        parts = native.EventStretches(first, stop, row, self._rates.allowance_ticks(span))
        status = rows.find((block.sample, block.before_ticks, block.after_ticks), parts)
        places = np.where(status == native.FOUND, row, -1).tolist()
        self._row_of.update(zip(numbers, places, strict=True))

    def _alone_of(self, number: int) -> LineSet:
        kept = self._alone.get(number)
        if kept is None:
            kept = self._alone[number] = self._fitted(number)
            if len(self._alone) > _KEPT_MAX:
                self._alone.popitem(last=False)
        return kept

    def _fitted(self, number: int) -> LineSet:
        first, stop = self._stretches[number].tolist()
        events, gone = self._read(first, stop), self._gone(first, stop)
        lines = lines_through(events.without(gone) if gone else events, self._rates)
        if lines is None:
            raise ValueError(
                f"events {first} to {stop - 1} allow no clock that drifts less than "
                f"{self._rates.drift_ppm_per_s:g} ppm/s"
            )
        return lines

    def _gone(self, first: int, stop: int) -> list[int]:
        """Return the events of a stretch that are left out, counted from its first."""
        left_out = self._excluded[(self._excluded >= first) & (self._excluded < stop)] - first
        gone: list[int] = left_out.tolist()
        return gone

    def _read(self, first: int, stop: int) -> Brackets:
        """Return a stretch's events, out of a block of many: most are asked for in order."""
        begin, block = self._block
        if not begin <= first <= stop <= begin + len(block):
            count = max(stop - first, _READ_EVENTS)
            begin, block = self._block = first, self._source.read(first, count)
        return block.part(first - begin, stop - begin)
