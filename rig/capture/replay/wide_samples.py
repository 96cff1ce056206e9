# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of more than two bytes, made as narrow as the edge extraction takes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

UNITSIZE_MAX = 128
"""The most bytes a sample: more channels than any analyzer has."""
_NARROW_BITS = 16


class WideSamples:
    """Takes a few bits of samples of any size into samples of two bytes.

    The wanted bits become bits 0, 1, ... in their order. Each byte that has one of them is looked
    up in a table: a pass over the samples for a byte, not for a bit.
    """

    def __init__(self, unitsize: int, wanted: Sequence[int]) -> None:
        """`wanted`: bits of a sample, each once. Raises ValueError for more than 16."""
        if len(wanted) > _NARROW_BITS:
            raise ValueError(f"{len(wanted)} channels do not fit {_NARROW_BITS} bits")
        self._unitsize = unitsize
        places = {bit: place for place, bit in enumerate(sorted(wanted))}
        self.bits = tuple(places[bit] for bit in wanted)
        """The bits that the wanted ones have in the narrow samples."""
        value = np.arange(256, dtype="<u2")
        self._tables: dict[int, npt.NDArray[np.uint16]] = {}
        for bit, place in places.items():
            table = self._tables.setdefault(bit // 8, np.zeros(256, "<u2"))
            table |= (value >> bit % 8 & 1) << place
        self._rest = b""

    @property
    def partial_bytes(self) -> int:
        """Bytes of an unfinished sample at the end of what was taken."""
        return len(self._rest)

    def narrowed(self, data: bytes) -> npt.NDArray[np.uint16]:
        """Return the whole samples of what was left before and `data`; the rest is kept."""
        data = self._rest + data
        count = len(data) // self._unitsize
        self._rest = data[count * self._unitsize :]
        wide = np.frombuffer(data, np.uint8, count * self._unitsize).reshape(count, self._unitsize)
        narrow = np.zeros(count, "<u2")
        for column, table in self._tables.items():
            narrow |= table[wide[:, column]]
        return narrow
