# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a file as they are now, for columns that are coded along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np

from rig.errors import InputError
from rig.instruments import Int64Array
from rig.record.coded import Encoder
from rig.record.columns import ColumnsReader
from rig.record.distance_code import Distances, line_of
from rig.record.edge_code import EdgeDecoder
from rig.record.layout import CAPTURES, CHUNK, DELTA, LOG
from rig.record.opening import OpenedFile
from rig.record.response_index import AlongEdges, Follower
from rig.record.stamp_code import CountedEdges
from rig.record.stored import damaged, stored_integer

_RATES = {CAPTURES: "stimulus_clock_hz", LOG: "tick_hz"}
"""The setting that has the rate of a column's clock."""
_CHANNELS_MAX = 64
_NO_EDGES = np.empty(0, np.int64), np.empty(0, np.uint8)


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

    def more(self) -> CountedEdges | None:
        """Return the next edges, those of the rest of a chunk; None if there are no more yet."""
        try:
            if self._decoder is None or self._row >= self._decoder.rows:
                self._decoder = edges_now(self._held, self._source)
            begin = self._row // CHUNK * CHUNK
            stop = min(begin + CHUNK, self._decoder.rows)
            index, packed = self._decoder.decoded(begin, stop) if begin < stop else _NO_EDGES
        except InputError:  # edges that no reader takes: what they would tell is stored instead
            return None
        mine = np.flatnonzero(packed & 0x7F == self._channel)
        mine = mine[mine >= self._row - begin]
        more, self._row = self._row < stop, stop
        return CountedEdges(begin + mine, index[mine]) if more else None


def encoders_of(file: h5py.File, source: str, settings: Mapping[str, Any]) -> dict[str, Encoder]:
    """Return the encoders of columns that can be coded, by the wires and clocks in the settings."""
    wiring = settings.get("wiring")
    channel = wiring.get("response") if isinstance(wiring, Mapping) else None
    sample_hz = _number(settings.get("sample_rate_hz"))
    encoders: dict[str, Encoder] = {}
    for name, rate in _RATES.items():
        hz, follower = _number(settings.get(rate)), None
        if isinstance(channel, int) and 0 <= channel < _CHANNELS_MAX and hz and sample_hz:
            follower = Follower(ReadBack(file, source, channel), hz / sample_hz)
        encoders[name] = AlongEdges(name, follower)
    if isinstance(wiring, Mapping) and (line := line_of(wiring)) is not None:
        encoders[DELTA] = Distances(line)
    return encoders


def _number(value: object) -> float:
    """Return a rate in Hz; 0 if the value cannot be one."""
    return float(value) if isinstance(value, int | float) and 0 < value < np.inf else 0.0
