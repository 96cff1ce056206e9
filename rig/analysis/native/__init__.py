# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines through stretches of brackets in C: the library beside this file, called by ctypes.

The library may be missing, as that of edge extraction (docs/decisions/0008): Python does the same
then, to the last digit, a hundred times slower. ctypes and not cffi, since analysis may run where
no instrument's library can be loaded.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array

LIBRARY = Path(__file__).parent / "build" / "librig-lines.so"
"""Built by setup.py, for a wheel and for an editable install."""
FOUND: Final = 0
NONE: Final = 1
"""No line fits. Any other status: the library leaves this stretch to Python."""
_INTERFACE: Final = 1
_CORNERS_MAX: Final = 1 << 12

FloatArray = npt.NDArray[np.float64]


class _Stretch(ctypes.Structure):
    _fields_ = (
        ("sample", ctypes.c_void_p),
        ("before_ticks", ctypes.c_void_p),
        ("after_ticks", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("allowance_ticks", ctypes.c_double),
        ("fastest", ctypes.c_double),
    )


class _Set(ctypes.Structure):
    _fields_ = (
        ("origin_sample", ctypes.c_int64),
        ("origin_ticks", ctypes.c_int64),
        ("slope", ctypes.c_void_p),
        ("highest", ctypes.c_void_p),
        ("lowest", ctypes.c_void_p),
        ("capacity", ctypes.c_size_t),
        ("corners", ctypes.c_size_t),
    )


class _Bounds(ctypes.Structure):
    _fields_ = (
        ("first_sample", ctypes.c_int64),
        ("last_sample", ctypes.c_int64),
        ("allowance_ticks", ctypes.c_double),
        ("bend", ctypes.c_double),
    )


@dataclass(frozen=True)
class FoundLines:
    """A polygon of lines around an origin; arrays of shape (corners,)."""

    origin_sample: int
    origin_ticks: int
    slope: FloatArray
    highest: FloatArray
    lowest: FloatArray


@cache
def _load(path: Path) -> Any:
    """The functions in this file, None if it cannot be used."""
    try:
        library = ctypes.CDLL(str(path))
        if library.lines_interface() != _INTERFACE:
            return None
    except (OSError, AttributeError):
        return None
    library.lines_find.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    library.lines_bounds_at.argtypes = (
        *(ctypes.c_void_p,) * 3, ctypes.c_size_t, *(ctypes.c_void_p,) * 2,
    )  # fmt: skip
    library.lines_bounds_at.restype = None
    return library


def available() -> bool:
    """The library is there and has the functions that this file calls."""
    return _load(LIBRARY) is not None


def find_lines(
    sample: Int64Array,
    before_ticks: Int64Array,
    after_ticks: Int64Array,
    allowance_ticks: float,
    fastest: float,
) -> tuple[int, FoundLines | None]:
    """The status, and the lines if it is FOUND; shapes (n,), samples rising."""
    arrays = [np.ascontiguousarray(each, np.int64) for each in (sample, before_ticks, after_ticks)]
    room = np.empty((3, _CORNERS_MAX))
    stretch = _Stretch(
        *(each.ctypes.data for each in arrays), len(sample), allowance_ticks, fastest
    )
    start, row = room.ctypes.data, room.strides[0]
    found = _Set(0, 0, start, start + row, start + 2 * row, _CORNERS_MAX, 0)
    status: int = _load(LIBRARY).lines_find(ctypes.byref(stretch), ctypes.byref(found))
    if status != FOUND:
        return status, None
    slope, highest, lowest = room[:, : found.corners].copy()
    return status, FoundLines(found.origin_sample, found.origin_ticks, slope, highest, lowest)


def bounds_at(
    lines: FoundLines,
    stretch: tuple[int, int],
    allowance_ticks: float,
    bend: float,
    sample: Int64Array,
) -> tuple[FloatArray, FloatArray]:
    """As LineSet.bounds, shapes (n,); `stretch`: its first and last sample."""
    slope, highest, lowest = (
        np.ascontiguousarray(each) for each in (lines.slope, lines.highest, lines.lowest)
    )
    sample = np.ascontiguousarray(sample, np.int64)
    low, high = np.empty(len(sample)), np.empty(len(sample))
    given = _Set(
        lines.origin_sample, lines.origin_ticks,
        slope.ctypes.data, highest.ctypes.data, lowest.ctypes.data, len(slope), len(slope),
    )  # fmt: skip
    bounds = _Bounds(*stretch, allowance_ticks, bend)
    _load(LIBRARY).lines_bounds_at(
        ctypes.byref(given), ctypes.byref(bounds),
        sample.ctypes.data, len(sample), low.ctypes.data, high.ctypes.data,
    )  # fmt: skip
    return low, high
