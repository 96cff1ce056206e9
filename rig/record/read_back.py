# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a file as they are now, for columns that are coded along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np

from rig.instruments import Int64Array
from rig.record.answers import Follower
from rig.record.columns import ColumnsReader
from rig.record.edge_code import EdgeDecoder
from rig.record.layout import CAPTURES, CHUNK, LOG
from rig.record.opening import OpenedFile
from rig.record.stamp_code import Edges
from rig.record.stored import damaged, stored_integer

_RATES = {CAPTURES: "stimulus_clock_hz", LOG: "tick_hz"}
"""The setting that has the rate of a column's clock."""
_CHANNELS_MAX = 64


def edges_now(held: OpenedFile, source: str) -> EdgeDecoder:
    """All edges that count. Raises InputError."""

    def refused(_rows: Int64Array) -> Int64Array:
        raise damaged(source, "its edges refer to edges")

    covered = stored_integer(held.file, source, "edges/covered", np.int64)
    return EdgeDecoder(ColumnsReader(held, source, refused), source, covered)


class ReadBack:
    """The edges of one channel, from the file that is being written."""

    def __init__(self, file: h5py.File, source: str, channel: int) -> None:
        self._held, self._source = OpenedFile(file, left_open=True), source
        self._channel = channel
        self._row = 0
        self._decoder: EdgeDecoder | None = None

    def more(self) -> Edges | None:
        """The next ones, of the rest of a chunk; None if there are no more yet."""
        if self._decoder is None or self._row >= self._decoder.rows:
            self._decoder = edges_now(self._held, self._source)
        begin = self._row // CHUNK * CHUNK
        stop = min(begin + CHUNK, self._decoder.rows)
        if self._row >= stop:
            return None
        index, packed = self._decoder.decoded(begin, stop)
        mine = np.flatnonzero(packed & 0x7F == self._channel)
        mine = mine[mine >= self._row - begin]
        self._row = stop
        return Edges(begin + mine, index[mine])


def followers_of(file: h5py.File, source: str, settings: Mapping[str, Any]) -> dict[str, Follower]:
    """Of each column whose clock and whose edges the settings tell."""
    wiring = settings.get("wiring")
    channel = wiring.get("response") if isinstance(wiring, Mapping) else None
    sample_hz = _number(settings.get("sample_rate_hz"))
    if not sample_hz or not isinstance(channel, int) or not 0 <= channel < _CHANNELS_MAX:
        return {}
    rates = {name: _number(settings.get(rate)) / sample_hz for name, rate in _RATES.items()}
    return {
        name: Follower(ReadBack(file, source, channel), rate)
        for name, rate in rates.items()
        if rate
    }


def _number(value: object) -> float:
    """0 if it is none that a rate can be."""
    return float(value) if isinstance(value, int | float) and 0 < value < np.inf else 0.0
