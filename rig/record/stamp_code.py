# SPDX-License-Identifier: GPL-3.0-or-later
"""Captured answers and records of the log, coded along the edges of the answers.

A clock's count at an answer is a straight line over the sample of the answer's edge, and a rest:
it has the few bits that the edge does not tell. A chunk of rows names its edges by their numbers
among all edges. Where that is no gain (no edges, no clock that fits) it has differences instead.
docs/reference/run-file.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.arrays import FloatArray, UInt64Array
from rig.instruments import LOG_RECORD, Int64Array
from rig.record.integer_code import steps, unstepped, unzigzag, whole, zigzag

_STAMP_LINE = [("by_edge", "u1"), ("first", "<i8"), ("offset", "<i8"), ("slope", "<f8")]
EDGE, REST = "edge", "rest"
STAMP_COLUMNS: dict[str, np.dtype[Any]] = {EDGE: np.dtype("<u4"), REST: np.dtype("<u8")}
STAMP_LINE = np.dtype(_STAMP_LINE)
"""The line of a chunk of counts."""
_COUNTED = ("sequence", "handled")
"""Fields of a record that go up by nearly the same from one to the next."""
LOG_COLUMNS: dict[str, np.dtype[Any]] = {
    **STAMP_COLUMNS,
    "sequence": np.dtype("<u8"),
    "handled": np.dtype("<u8"),
    "after": np.dtype("<u8"),
    "flags": np.dtype("<u4"),
    "reserved": np.dtype("<u4"),
}
LOG_LINE = np.dtype(
    _STAMP_LINE
    + [(f"{name}_before", "<i8") for name in _COUNTED]
    + [(f"{name}_least", LOG_COLUMNS[name].str) for name in list(LOG_COLUMNS)[2:]]
)
"""The line of a chunk of the log's records."""
_FITS = 3
EDGES_SPAN = 1 << 18
"""Edges, from the first to the last, that a chunk of rows may be of."""

Codes = dict[str, npt.NDArray[np.unsignedinteger]]
Lines = npt.NDArray[np.void]
SamplesOf = Callable[[Int64Array], Int64Array]


@dataclass(frozen=True)
class CountedEdges:
    """Edges that counts were taken at: their numbers, and their samples; both of shape (n,)."""

    rows: Int64Array
    samples: Int64Array
    line: tuple[int, float] = (0, 0.0)
    """Offset and slope of the counts over samples since the first."""


def encode_stamps(counts: Int64Array, edges: CountedEdges | None) -> tuple[Lines, Codes]:
    """The line and the codes of a chunk of counts, shape (n,) with n > 0; None: no edges known.

    Codes of a column that are all 0 are left out.
    """
    line, codes = np.zeros(1, STAMP_LINE), {REST: steps(counts)}
    if edges is None or np.ptp(edges.rows) > EDGES_SPAN:
        return line, codes
    by_edge = np.zeros(1, STAMP_LINE)
    by_edge["by_edge"], by_edge["first"] = 1, edges.rows[0]
    by_edge["offset"], by_edge["slope"] = edges.line
    with np.errstate(over="ignore"):
        rest = zigzag(counts - _expected(by_edge[0], edges.samples))
    if _bits(rest) >= _bits(codes[REST]):
        return line, codes
    return by_edge, {EDGE: steps(edges.rows, int(edges.rows[0])).astype(np.uint32), REST: rest}


def decode_stamps(line: np.void, codes: Codes, samples_of: SamplesOf) -> Int64Array:
    """Counts of a chunk. Raises ValueError, and what `samples_of` does, for codes of no edges."""
    rest = codes[REST].astype(np.uint64, copy=False)
    if not line["by_edge"]:
        return unstepped(rest)
    rows = unstepped(codes[EDGE].astype(np.uint64), int(line["first"]))
    if rows.min() < 0 or int(rows.max()) - int(rows.min()) > EDGES_SPAN:
        raise ValueError("refers to edges far apart")
    with np.errstate(over="ignore"):
        return unzigzag(rest) + _expected(line, samples_of(rows))


def encode_log(rows: npt.NDArray[np.void], edges: CountedEdges | None) -> tuple[Lines, Codes]:
    """The line and the codes of a chunk of the log's records; as encode_stamps."""
    stamps, codes = encode_stamps(rows["before_ticks"].view(np.int64), edges)
    line = np.zeros(1, LOG_LINE)
    for field in STAMP_LINE.names or ():
        line[field] = stamps[field]
    values = {name: rows[name] for name in ("flags", "reserved")}
    values["after"] = rows["after_ticks"] - rows["before_ticks"]
    for name in _COUNTED:
        counted = rows[name].view(np.int64)
        with np.errstate(over="ignore"):
            before = counted[0] - (counted[1] - counted[0]) if len(counted) > 1 else counted[0]
        line[f"{name}_before"] = before
        values[name] = steps(counted, int(before))
    for name, each in values.items():
        least = each.min()
        line[f"{name}_least"] = least
        if np.any(each != least):
            codes[name] = each - least
    return line, codes


def decode_log(line: np.void, codes: Codes, samples_of: SamplesOf) -> npt.NDArray[np.void]:
    """Records of a chunk. Codes of a field that are all 0 may be left out."""
    rows = np.empty(len(codes[REST]), LOG_RECORD)
    before = decode_stamps(line, codes, samples_of).view(np.uint64)
    rows["before_ticks"], rows["after_ticks"] = before, before + _field(line, codes, "after")
    for name in _COUNTED:
        rows[name] = _counted(line, codes, name)
    for name in ("flags", "reserved"):
        rows[name] = _field(line, codes, name)
    return rows


def _field(line: np.void, codes: Codes, name: str) -> Any:
    """Its values, shape (n,), or the only one."""
    least = line[f"{name}_least"]
    return codes[name] + least if name in codes else least


def _counted(line: np.void, codes: Codes, name: str) -> UInt64Array:
    """Values of a field whose steps are coded."""
    origin, steps_of = int(line[f"{name}_before"]), _field(line, codes, name)
    if name in codes:
        return unstepped(steps_of, origin).view(np.uint64)
    numbers = np.arange(1, len(codes[REST]) + 1)
    return (numbers * unzigzag(np.array([steps_of])) + np.int64(origin)).view(np.uint64)


def fitted(samples: Int64Array, counts: Int64Array) -> tuple[int, float]:
    """Offset and slope of a line over samples since the first; those far off it do not count."""
    at, value = _since(samples), _since(counts)
    slope, height = 0.0, float(value[0])
    near = np.ones(len(at), bool)
    for _ in range(_FITS):
        x, y = at[near], value[near]
        spread = x - x.mean()
        square = float(spread @ spread)
        slope = float(spread @ (y - y.mean())) / square if square else 0.0
        height = float(y.mean()) - slope * float(x.mean())
        off = np.abs(value - slope * at - height)
        near = off <= 4 * np.partition(off, len(off) // 2)[len(off) // 2] + 1
        if near.all():
            break
    offset = int(whole(np.array([height]))[0]) + int(counts[0])
    return (offset + 2**63) % 2**64 - 2**63, slope


def _expected(line: np.void, samples: Int64Array) -> Int64Array:
    """Counts by the line."""
    expected: Int64Array = whole(_since(samples) * line["slope"]) + np.int64(line["offset"])
    return expected


def _since(values: Int64Array) -> FloatArray:
    with np.errstate(over="ignore"):
        since: FloatArray = (values - values[0]).astype(np.float64)
        return since


def _bits(codes: UInt64Array) -> float:
    """About what they take."""
    return float(np.log2(codes.astype(np.float64) + 1).sum())
