# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges gathered in C where the driver calls back: the part of the library that gather.h declares.

A packet of a few milliseconds takes less time than the way into Python and back, so Python takes
many at once and is called only for what is out of the ordinary.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import cffi
import numpy as np

from rig.capture import native
from rig.native_library import opened

CAPACITY: Final = 1 << 16
_INTERFACE: Final = 1

_DECLARATIONS = """
struct gathered {
    int64_t start_sample; int64_t end_sample; int64_t came_ns; size_t count;
    uint16_t levels_before; uint16_t levels_after;
};
struct gather;
int gather_interface(void);
struct gather *gather_new(int, uint16_t, void *);
void gather_free(struct gather *);
void gather_begin(struct gather *, int, int64_t, uint16_t);
int gather_take(struct gather *, int, struct gathered *, uint32_t *, uint8_t *);
void gather_packet(const void *, const void *, void *);
"""
_ffi: Any = cffi.FFI()  # typeshed does not know what cdef declares
_ffi.cdef(_DECLARATIONS)


class Gathered(NamedTuple):
    """Edges of samples [start_sample, end_sample), as in a PackedBlock."""

    start_sample: int
    end_sample: int
    found: native.FoundEdges
    levels_before: int
    levels_after: int
    came_ns: int
    """The time when its first packet came, by the system's monotonic clock."""


@cache
def _load(path: Path) -> Any:
    """The functions in this file, None if it cannot be used."""
    return opened(path, _ffi.dlopen, "gather_interface", _INTERFACE)[0]


def available() -> bool:
    """Return whether the library is there, has the functions called here, and runs here."""
    return bool(native.variants()) and _load(native.LIBRARY) is not None


class Gatherer:
    """One struct gather, for one driver's callback."""

    def __init__(self, channel_mask: int, python_callback: int, variant: str | None = None) -> None:
        """`python_callback`: address of the callback that gets what is out of the ordinary.

        `variant` is one of `native.variants()`, by default the fastest. Raises RuntimeError if
        there is no library.
        """
        if not available():
            raise RuntimeError(f"{native.LIBRARY.name} cannot be used")
        self._functions = _load(native.LIBRARY)
        number = native.VARIANTS.index(variant or native.variants()[0])
        made = self._functions.gather_new(
            number, channel_mask & 0xFFFF, _ffi.cast("void *", python_callback)
        )
        if made == _ffi.NULL:
            raise RuntimeError(f"{native.LIBRARY.name}: no memory to gather edges")
        self._gather = _ffi.gc(made, self._functions.gather_free)
        self._taken = _ffi.new("struct gathered *")
        self._offset = np.empty(CAPACITY, dtype=np.uint32)
        self._code = np.empty(CAPACITY, dtype=np.uint8)
        self._to = (
            _ffi.from_buffer("uint32_t[]", self._offset),
            _ffi.from_buffer("uint8_t[]", self._code),
        )

    @property
    def callback(self) -> int:
        """Address of the function that the driver is to call."""
        return int(_ffi.cast("uintptr_t", _ffi.addressof(self._functions, "gather_packet")))

    @property
    def data(self) -> int:
        """The address of the data that the driver is to give it."""
        return int(_ffi.cast("uintptr_t", self._gather))

    def begin(self, unitsize: int, sample: int, levels: int) -> None:
        """Gather from the next packet on; `sample` is its first, `levels` those before it.

        `unitsize`: bytes a sample, 1 or 2. Nothing may be waiting to be taken.
        """
        self._functions.gather_begin(self._gather, unitsize, sample, levels)

    def take(self, *, end: bool) -> Gathered | None:
        """Return what was gathered since the last call, None if nothing was.

        With `end` every packet goes to Python from now on, and what was gathered may be empty: it
        tells where the next packet begins. From one thread at a time.
        """
        taken = self._taken
        if not self._functions.gather_take(self._gather, end, taken, *self._to) and not end:
            return None
        count = taken.count
        return Gathered(
            taken.start_sample,
            taken.end_sample,
            (self._offset[:count].copy(), self._code[:count].copy()),
            taken.levels_before,
            taken.levels_after,
            taken.came_ns,
        )
