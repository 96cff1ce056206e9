# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between edges, coded by channel: each edge against the one that tells most of it.

The distance from the edge before says little where channels take turns: a stimulus is a random time
behind the last answer, its end a random time behind the answer or before it. Told from the
stimulus, the answer and the end of the pulse take few bits, and a sequence pin told from the answer
takes none. The order of channels is stored anyway, and says which edge is which.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.arrays import UInt32Array
from rig.instruments import Int64Array, UInt8Array
from rig.record import native

LINE = np.dtype(
    [
        ("by_pulse", "u1"),
        ("pulse", "u1"),
        ("from_pulse", "<u8"),
        ("answer", "u1"),
        ("from_answer", "<u8"),
    ]
)
"""The line of a chunk of edges; docs/reference/run-file.md defines each field."""
CODE = "code"
COLUMNS: dict[str, np.dtype[Any]] = {CODE: np.dtype("<u4")}
_LIMIT = 1 << 32
_CHANNELS = 64
_TRIED_EVERY, _GAIN = 32, 0.9
"""The chunks from one trial to the next, and the ratio of sizes below which coding pays."""
_FEWEST = 16
"""The number of edges for one pulse beyond which they are no answers to pulses."""
Rows = npt.NDArray[np.intp]
_PULSE, _FROM_PULSE, _FROM_ANSWER, _FROM_LAST = range(4)
Codes = dict[str, npt.NDArray[np.unsignedinteger]]
Line = npt.NDArray[np.void]


@dataclass(frozen=True)
class _Kinds:
    """The edges of a chunk by what they are coded from: their rows, and those of the answers."""

    pulses: Rows
    from_pulse: Rows
    from_answer: Rows
    from_last: Rows
    answers: Rows

    @classmethod
    def of(cls, line: np.void, packed: UInt8Array) -> _Kinds:
        """Return each kind's rows in the order of their codes: by level and channel, then time."""
        kind, place = _kinds(*(int(line[name]) for name in ("pulse", "from_pulse", "from_answer")))
        rows = np.argsort(place.take(packed), kind="stable")
        counts = np.bincount(kind, np.bincount(packed, minlength=256), 4).astype(np.int64)
        first, second, third, last = np.split(rows, np.cumsum(counts)[:3])
        return cls(
            first, second, third, last, np.flatnonzero(packed & np.uint8(0x7F) == line["answer"])
        )

    @property
    def in_order(self) -> tuple[Rows, Rows, Rows, Rows]:
        """The rows of each kind in the order in which the kinds' codes are stored."""
        return self.pulses, self.from_pulse, self.from_answer, self.from_last


@lru_cache(maxsize=8)
def _kinds(
    pulse: int, from_pulse: int, from_answer: int
) -> tuple[npt.NDArray[np.int64], UInt8Array]:
    """Return what each channel and level's edges are coded from, and their place in the codes."""
    value = np.arange(256)
    kind = np.full(256, _FROM_LAST)
    for channels, each in ((from_pulse, _FROM_PULSE), (from_answer, _FROM_ANSWER)):
        told = np.array([channels >> channel & 1 for channel in range(_CHANNELS)], bool)
        kind[(value & 0x7F < _CHANNELS) & told[value & 0x3F]] = each
    kind[pulse] = _PULSE
    place = np.empty(256, np.uint8)
    place[np.argsort(kind, kind="stable")] = value
    return kind, place


def _native(line: np.void) -> npt.NDArray[np.void] | None:
    """Return the line for the library; None if numpy does it: no library, or an odd line."""
    if not native.available():
        return None
    return _native_line(
        *(int(line[name]) for name in ("pulse", "from_pulse", "answer", "from_answer"))
    )


@lru_cache(maxsize=8)
def _native_line(
    pulse: int, from_pulse: int, answer: int, from_answer: int
) -> npt.NDArray[np.void] | None:
    kind, place = _kinds(pulse, from_pulse, from_answer)
    bases = np.array([native.FROM_PULSE, native.FROM_PULSE, native.FROM_ANSWER, native.FROM_LAST])
    line = np.zeros(1, native.LINE)
    line["base"], line["value"] = bases[kind], np.argsort(place)
    line["pulse"], line["answer"] = pulse, answer
    answers = line["base"][0, [answer & 0x7F, answer | 0x80]]
    # No writer stores another line, and numpy takes the answers' places before they are known.
    return line if answer < _CHANNELS and np.all(answers == native.FROM_PULSE) else None


def line_of(wiring: Mapping[str, Any]) -> Line | None:
    """Return how edges of these wires are coded; None if there is no gain to be had."""
    sequence = wiring.get("sequence")
    channels = [wiring.get("stimulus"), wiring.get("response")]
    channels += sequence if isinstance(sequence, list | tuple) else ()
    if not all(isinstance(each, int) and 0 <= each < _CHANNELS for each in channels):
        return None
    stimulus, answer, *pins = (int(each or 0) for each in channels)
    if len({stimulus, answer, *pins}) < len(channels):
        return None
    line = np.zeros(1, LINE)
    line["by_pulse"] = 1
    line["pulse"] = stimulus | (wiring.get("active_level") != 0) << 7
    line["from_pulse"] = 1 << stimulus | 1 << answer
    line["answer"], line["from_answer"] = answer, sum(1 << pin for pin in pins)
    return line


class Distances:
    """Encodes distances chunk by chunk."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._packed: list[UInt8Array] = []
        self._chunks = 0
        self._pays = True

    def feed(self, packed: UInt8Array) -> None:
        """Take the channels and levels of edges whose distances come next."""
        self._packed.append(packed)

    def __call__(self, rows: UInt32Array, *, wait: bool) -> tuple[Line, Codes]:  # noqa: ARG002
        """Return the line and the codes, as Encoder; there is nothing to wait for."""
        packed = np.concatenate(self._packed)
        self._packed = [packed[len(rows) :]]
        tried = self._chunks % _TRIED_EVERY == 0
        self._chunks += 1
        if tried or self._pays:
            line, codes = encode(rows, packed[: len(rows)], self._line)
            if tried:
                self._pays = _deflated_bytes(codes[CODE]) < _GAIN * _deflated_bytes(rows)
            if self._pays:
                return line, codes
        return np.zeros(1, LINE), {CODE: rows}


def _deflated_bytes(codes: npt.NDArray[np.unsignedinteger]) -> int:
    """Return the bytes that the codes take in the file."""
    planes = np.ascontiguousarray(codes.astype("<u4").view(np.uint8).reshape(-1, 4).T)
    return len(zlib.compress(planes.tobytes(), 1))


def encode(delta: UInt32Array, packed: UInt8Array, line: Line) -> tuple[Line, Codes]:
    """Code a chunk of distances, shape (n,) with n > 0, as `line` has it; return line and codes.

    packed: channel in bits 0 to 6 and level in bit 7 of each edge.
    """
    if _FEWEST * np.count_nonzero(packed == line["pulse"]) >= len(packed):
        in_c = _native(line[0])
        codes = _codes(delta, packed, line) if in_c is None else native.encode(in_c, packed, delta)
        if codes is not None:
            return line, {CODE: codes}
    return np.zeros(1, LINE), {CODE: delta}


def _codes(delta: UInt32Array, packed: UInt8Array, line: Line) -> UInt32Array | None:
    """Return the codes of the distances; None if one has no place in 32 bits."""
    kinds = _Kinds.of(line[0], packed)
    at = np.cumsum(delta.astype(np.int64))
    pulses = at[kinds.pulses]
    pulses[1:] -= pulses[:-1].copy()
    told = np.concatenate(
        (
            pulses,
            at[kinds.from_pulse] - _last(at, kinds.pulses)[kinds.from_pulse],
            at[kinds.from_answer] - _last(at, kinds.answers)[kinds.from_answer],
            delta[kinds.from_last],
        )
    )
    return told.astype(np.uint32) if told.max() < _LIMIT else None


def decode(line: np.void, codes: Codes, packed: UInt8Array) -> UInt32Array:
    """Return the distances. Raises ValueError for codes that are none of edges in order."""
    if not line["by_pulse"]:
        return codes[CODE].astype(np.uint32, copy=False)
    in_c = _native(line)
    delta = (
        _distances(line, codes, packed)
        if in_c is None
        else native.decode(in_c, packed, codes[CODE].astype(np.uint32, copy=False))
    )
    if delta is None:
        raise ValueError("has edges out of order")
    return delta


def _distances(line: np.void, codes: Codes, packed: UInt8Array) -> UInt32Array | None:
    """Return the distances; None if the codes are none of edges in order."""
    kinds = _Kinds.of(line, packed)
    told = codes[CODE].astype(np.int64)
    ends = np.cumsum([len(rows) for rows in kinds.in_order])[:3]
    pulses, from_pulse, from_answer, from_last = np.split(told, ends)
    at = np.zeros(len(packed), np.int64)
    at[kinds.pulses] = np.cumsum(pulses)
    at[kinds.from_pulse] = from_pulse + _last(at, kinds.pulses)[kinds.from_pulse]
    at[kinds.from_answer] = from_answer + _last(at, kinds.answers)[kinds.from_answer]
    if len(from_last):
        _put_from_last(at, kinds.from_last, from_last)
    delta = at.copy()
    delta[1:] -= at[:-1]
    return delta.astype(np.uint32) if delta.min() >= 0 and delta.max() < _LIMIT else None


def _last(at: Int64Array, rows: Rows) -> Int64Array:
    """Return, for each edge, the sample of the last of `rows` before it; 0 if there is none."""
    places = np.concatenate((np.zeros(1, np.int64), at[rows]))
    # An edge is not before itself, but none of these rows is told from one of them.
    return np.repeat(places, np.diff(rows, prepend=0, append=len(at)))


def _put_from_last(at: Int64Array, rows: Rows, told: Int64Array) -> None:
    """Set the samples of these edges, each `told` behind the edge before it, whichever that is."""
    distance, known = np.zeros(len(at), np.int64), np.arange(len(at))
    distance[rows], known[rows] = told, -1
    distance, known = np.cumsum(distance), np.maximum.accumulate(known)
    base = np.where(known < 0, 0, at[known] - distance[known])
    at[rows] = (base + distance)[rows]
