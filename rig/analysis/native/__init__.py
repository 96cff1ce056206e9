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

from rig.arrays import FloatArray
from rig.instruments import Int64Array
from rig.native_library import opened

LIBRARY = Path(__file__).parent / "build" / "librig-lines.so"
"""The library, which setup.py builds for a wheel and for an editable install."""
FOUND: Final = 0
NONE: Final = 1
"""No line fits. Any other status: the library leaves this stretch to Python."""
_INTERFACE: Final = 2
_ROW_CORNERS: Final = 64
_CORNERS_MAX: Final = 1 << 12


_ROW: Final = np.dtype(
    [
        ("origin_sample", np.int64),
        ("origin_ticks", np.int64),
        ("corners", np.uintp),
        ("first_sample", np.int64),
        ("last_sample", np.int64),
        ("allowance_ticks", np.float64),
        ("bend", np.float64),
        ("status", np.int64),
    ]
)
"""Structures of the header that come in arrays: these three."""
_PART: Final = np.dtype(
    [("first", np.uintp), ("stop", np.uintp), ("row", np.uintp), ("allowance_ticks", np.float64)]
)
_GROUP: Final = np.dtype([("row", np.uintp), ("first", np.uintp), ("stop", np.uintp)])


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
    """Return the functions in this file, None if it cannot be used."""
    library, _ = opened(path, ctypes.CDLL, "lines_interface", _INTERFACE)
    if library is None:
        return None
    library.lines_find.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    library.lines_bounds_at.argtypes = (
        *(ctypes.c_void_p,) * 3, ctypes.c_size_t, *(ctypes.c_void_p,) * 2,
    )  # fmt: skip
    library.lines_bounds_at.restype = None
    library.lines_find_rows.argtypes = (
        *(ctypes.c_void_p,) * 2, ctypes.c_size_t, *(ctypes.c_void_p,) * 2,
    )  # fmt: skip
    library.lines_find_rows.restype = None
    library.lines_bounds_rows.argtypes = (
        *(ctypes.c_void_p,) * 3, ctypes.c_size_t, ctypes.c_int64, *(ctypes.c_void_p,) * 3,
    )  # fmt: skip
    library.lines_bounds_rows.restype = None
    return library


def available() -> bool:
    """Return whether the library is there and has the functions that this file calls."""
    return _load(LIBRARY) is not None


def find_lines(
    sample: Int64Array,
    before_ticks: Int64Array,
    after_ticks: Int64Array,
    allowance_ticks: float,
    fastest: float,
) -> tuple[int, FoundLines | None]:
    """Return the status, and the lines if it is FOUND; shapes (n,), samples rising."""
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
    """Return bounds as LineSet.bounds does, shapes (n,); `stretch`: its first and last sample."""
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


class LineRows:
    """Room for the lines of many stretches, found and asked for many at a time."""

    def __init__(self, count: int, fastest: float, bend: float) -> None:
        """Make room for `count` stretches; `fastest` and `bend` as of one stretch."""
        self._fastest = fastest
        self._rows = np.zeros(count, _ROW)
        self._rows["bend"] = bend
        self._corners = np.empty((count, 3, _ROW_CORNERS))

    def find(
        self, events: tuple[Int64Array, Int64Array, Int64Array], parts: EventStretches
    ) -> Int64Array:
        """Put the lines of each part of the events into its row; return each status, shape (k,).

        `events`: samples and ticks before and after, as for `find_lines`, shapes (n,).
        """
        arrays = [np.ascontiguousarray(each, np.int64) for each in events]
        stretch = _Stretch(*(each.ctypes.data for each in arrays), len(arrays[0]), 0, self._fastest)
        given = np.empty(len(parts.row), _PART)
        given["first"], given["stop"], given["row"] = parts.first, parts.stop, parts.row
        given["allowance_ticks"] = parts.allowance_ticks
        _load(LIBRARY).lines_find_rows(
            ctypes.byref(stretch), given.ctypes.data, len(given),
            self._rows.ctypes.data, self._corners.ctypes.data,
        )  # fmt: skip
        status: Int64Array = self._rows["status"][parts.row]
        return status

    def origin_ticks(self, row: int) -> int:
        """Return the ticks that the bounds of one row's lines are relative to."""
        return int(self._rows["origin_ticks"][row])

    def bounds(
        self, rows: list[int], ranges: Int64Array, origin_ticks: int, sample: Int64Array,
        found: tuple[FloatArray, FloatArray],
    ) -> None:  # fmt: skip
        """Write lowest and highest ticks, less `origin_ticks`, at samples into `found`.

        `ranges`, shape (k, 2): first and stop of the samples that each of these rows is asked for.
        """
        given = np.empty(len(rows), _GROUP)
        given["row"], given["first"], given["stop"] = rows, ranges[:, 0], ranges[:, 1]
        sample = np.ascontiguousarray(sample, np.int64)
        _load(LIBRARY).lines_bounds_rows(
            self._rows.ctypes.data, self._corners.ctypes.data, given.ctypes.data, len(given),
            origin_ticks, sample.ctypes.data, *(each.ctypes.data for each in found),
        )  # fmt: skip


@dataclass(frozen=True)
class EventStretches:
    """Stretches of the events given, and the row for the lines of each; all of shape (k,)."""

    first: Int64Array
    stop: Int64Array
    row: Int64Array
    allowance_ticks: FloatArray
