# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between edges and their codes in C: the library beside this file, called by ctypes.

The library may be missing, as that of edge extraction (docs/decisions/0008): numpy does the same
then, to the last bit, several times slower. A library of its own: neither instruments nor analysis
need be there where run files are read.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rig.arrays import UInt32Array
from rig.instruments import UInt8Array
from rig.native_library import opened

LIBRARY = Path(__file__).parent / "build" / "librig-distances.so"
"""Built by setup.py, for a wheel and for an editable install."""
FROM_PULSE: Final = 0
FROM_ANSWER: Final = 1
FROM_LAST: Final = 2
"""The bases that an edge is coded from, as enum distances_base has them."""
LINE: Final = np.dtype(
    [("base", np.uint8, 256), ("value", np.uint8, 256), ("pulse", np.uint8), ("answer", np.uint8)]
)
"""struct distances_line."""
_INTERFACE: Final = 1


@cache
def _load(path: Path) -> Any:
    """The functions in this file, None if it cannot be used."""
    library, _ = opened(path, ctypes.CDLL, "distances_interface", _INTERFACE)
    if library is not None:
        pointer = ctypes.c_void_p
        for function in (library.distances_encode, library.distances_decode):
            function.argtypes = (pointer, pointer, pointer, ctypes.c_size_t, pointer)
    return library


def available() -> bool:
    """The library is there and has the functions that this file calls."""
    return _load(LIBRARY) is not None


def encode(
    line: npt.NDArray[np.void], packed: UInt8Array, delta: UInt32Array
) -> UInt32Array | None:
    """Codes of these distances, shape (n,); None if one has no place in 32 bits.

    `line`: one row of LINE. Edges of its answer's channel must be told from a pulse.
    """
    return _called(_load(LIBRARY).distances_encode, line, packed, delta)


def decode(line: npt.NDArray[np.void], packed: UInt8Array, code: UInt32Array) -> UInt32Array | None:
    """Distances of these codes, shape (n,); None if they are none of edges in order."""
    return _called(_load(LIBRARY).distances_decode, line, packed, code)


def _called(
    function: Any, line: npt.NDArray[np.void], packed: UInt8Array, given: UInt32Array
) -> UInt32Array | None:
    packed = np.ascontiguousarray(packed, np.uint8)
    given = np.ascontiguousarray(given, np.uint32)
    if len(packed) != len(given):
        raise ValueError(f"{len(given)} distances of {len(packed)} edges")
    made = np.empty(len(given), np.uint32)
    fits = function(
        line.ctypes.data, packed.ctypes.data, given.ctypes.data, len(given), made.ctypes.data
    )
    return made if fits else None
