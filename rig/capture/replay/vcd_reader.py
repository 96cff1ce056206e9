# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads value change dumps (VCD, IEEE 1364-2005 clause 18) line by line, in flat memory.

Signals of one bit are read, whatever their type; others are passed over. The first time in the
file is sample 0. A level counts if it still holds when its sample is over, as a sampler sees it.

A dump can say x or z, an analyzer cannot. Until its first 0 or 1 a signal is taken to have had
that level all along: nothing is known that could be an edge. Later an x or z leaves the level as
it was, is counted, and makes the capture incomplete: an edge may hide in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np

from rig.capture.replay.channels import find_channels
from rig.errors import InputError, input_error
from rig.instruments import (
    AnalyzerIdentity,
    CaptureEnd,
    CaptureItem,
    EdgeBlock,
    Loss,
    LossKind,
)

SAMPLE_MAX = 2**62
_LINE_MAX_BYTES = 1 << 20
_HEADER_MAX_WORDS = 1 << 22
_NAME_MAX = 1000
"""The bound of memory for names: those of scopes are in the file once and in each signal's name."""
_BLOCK_EDGES = 1 << 15
_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}
_UNKNOWN = 2
_VALUES = {
    **dict.fromkeys(b"0lL", 0),
    **dict.fromkeys(b"1hH", 1),
    **dict.fromkeys(b"xXzZuUwW-", _UNKNOWN),
}
"""IEEE 1364 has 0, 1, x and z; writers for VHDL add the other levels of IEEE 1164."""
_DUMP_COMMANDS = {b"$dumpvars", b"$dumpall", b"$dumpon", b"$dumpoff", b"$end"}


@dataclass(frozen=True)
class _Header:
    scale: Fraction
    """Seconds a tick of the dump's time."""
    ids: dict[str, bytes]
    """Identifier code of each one-bit signal by full name, in the order of declaration."""
    lines: int
    """Lines up to the end of the header."""
    words: int
    """Words of the last one of them that belong to it."""


class ValueChangeDump:
    """Reads a VCD file as a capture_file.CaptureSource; wanted channels are bits 0, 1, ..."""

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Reads the header. Raises InputError for what is no usable dump."""
        self._path = path
        with _opened(path) as file:
            header = _header(path, file)
        codes = list(dict.fromkeys(header.ids.values()))
        number = {code: place for place, code in enumerate(codes)}
        names = {name: number[code] for name, code in _unambiguous(header.ids).items()}
        found = find_channels(path, names, range(len(codes)), wanted)
        self._bits = {codes[place]: bit for bit, place in enumerate(found)}
        rate_hz = _rate(path, header.scale, sample_rate_hz)
        self._samples_a_tick = header.scale * rate_hz
        self._header = header
        self.identity = AnalyzerIdentity(
            driver="file",
            vendor="",
            model="value change dump",
            library="",
            sample_rate_hz=rate_hz,
            channels=tuple(wanted),
        )

    def items(self) -> Iterator[CaptureItem]:
        """Edges of the wanted channels; a Loss if one of them was unknown for a while."""
        collector = _Collector(self._first_levels())
        changes = _Changes(self._path, self._bits, self._samples_a_tick)
        for sample, bit, value in changes.read(self._header):
            if sample != collector.sample:
                collector.advance(sample)
                if len(collector.index) >= _BLOCK_EDGES:
                    yield collector.take(sample)
            collector.set(bit, value)
        end = max(changes.last_sample, collector.sample + 1)
        collector.advance(end)
        yield collector.take(end)
        if collector.unknown:
            names = self.identity.channels
            told = ", ".join(f"{n} on {names[bit]}" for bit, n in collector.unknown.items())
            text = f"x or z {told}; the level before was kept"
            yield Loss(LossKind.UNKNOWN_LEVEL, collector.first_unknown, text)
        yield CaptureEnd(end, asked=True)

    def _first_levels(self) -> int:
        """The first known level of each bit, 0 if it has none; reads no further than needed."""
        levels: dict[int, int] = {}
        for _, bit, value in _Changes(self._path, self._bits, self._samples_a_tick).read(
            self._header
        ):
            if value != _UNKNOWN:
                levels.setdefault(bit, value)
            if len(levels) == len(self._bits):
                break
        return sum(level << bit for bit, level in levels.items())


class _Collector:
    """Levels to edges."""

    def __init__(self, first_levels: int) -> None:
        self.sample = 0
        self.index: list[int] = []
        self.unknown: dict[int, int] = {}
        """The number of times that each bit became unknown."""
        self.first_unknown = 0
        self._channel: list[int] = []
        self._level: list[int] = []
        self._shown = self._next = first_levels
        self._known = 0
        self._start, self._start_levels = 0, first_levels

    def set(self, bit: int, value: int) -> None:
        """The bit has this value from the current sample on."""
        if value != _UNKNOWN:
            self._next = self._next & ~(1 << bit) | value << bit
            self._known |= 1 << bit
        elif self._known >> bit & 1:
            if not self.unknown:
                self.first_unknown = self.sample
            self.unknown[bit] = self.unknown.get(bit, 0) + 1

    def advance(self, sample: int) -> None:
        """The current sample is over; what changed in it are its edges."""
        changed = self._next ^ self._shown
        while changed:
            bit = (changed & -changed).bit_length() - 1  # the lowest first
            self.index.append(self.sample)
            self._channel.append(bit)
            self._level.append(self._next >> bit & 1)
            changed &= changed - 1
        self._shown = self._next
        self.sample = sample

    def take(self, end: int) -> EdgeBlock:
        """All edges so far; the next block starts at sample `end`."""
        block = EdgeBlock(
            start_sample=self._start,
            end_sample=end,
            index=np.array(self.index, np.int64),
            channel=np.array(self._channel, np.uint8),
            level=np.array(self._level, np.uint8),
            levels_before=self._start_levels,
        )
        self.index, self._channel, self._level = [], [], []
        self._start, self._start_levels = end, self._shown
        return block


class _Changes:
    """The value changes of the wanted signals, in order: sample, bit, value."""

    def __init__(self, path: Path, bits: dict[bytes, int], samples_a_tick: Fraction) -> None:
        self._path = path
        self._bits = bits
        self._up, self._down = samples_a_tick.numerator, samples_a_tick.denominator
        self._line = 0
        self._origin: int | None = None
        self._skip_to_end = False
        self._vector: int | None = None
        self._id_follows = False
        self.last_sample = 0
        """The sample of the last time in the file, valid when all has been read."""

    def read(self, header: _Header) -> Iterator[tuple[int, int, int]]:
        """Raises InputError, with the line, for what is no value change."""
        with _opened(self._path) as file:
            for line in _lines(self._path, file):
                self._line += 1
                if self._line < header.lines:
                    continue
                words = line.split()
                for word in words[header.words :] if self._line == header.lines else words:
                    change = self._take(word)
                    if change is not None:
                        yield self.last_sample, *change

    def _take(self, word: bytes) -> tuple[int, int] | None:
        """One word; bit and value if it completes a change of a wanted signal."""
        if self._skip_to_end:
            self._skip_to_end = word != b"$end"
            return None
        if self._id_follows:
            self._id_follows = False
            return self._change(word, self._vector)
        first = word[0]
        if first in _VALUES:
            return self._change(word[1:], _VALUES[first])
        handle = _HANDLERS.get(first)
        if handle is None:
            raise self._error(f"{_shown(word)} is no value change", "#TIME, a level and a signal")
        handle(self, word)
        return None

    def _change(self, code: bytes, value: int | None) -> tuple[int, int] | None:
        if not code:
            raise self._error("a level without a signal", "level and signal in one word")
        bit = self._bits.get(code)
        if bit is None or value is None:
            return None
        return bit, value

    def _time(self, word: bytes) -> None:
        if not word[1:].isdigit() or len(word) > 20:
            raise self._error(f"{_shown(word)} is no time", "# and up to 19 digits")
        ticks = int(word[1:])
        nearest = (2 * ticks * self._up + self._down) // (2 * self._down)
        if self._origin is None:
            self._origin = nearest
        sample = nearest - self._origin
        if not self.last_sample <= sample < SAMPLE_MAX:
            raise self._error(f"{_shown(word)}: the time runs backward or is too large", "later")
        self.last_sample = sample

    def _binary(self, word: bytes) -> None:
        """A vector; of a signal of one bit its only digit counts, the last one."""
        self._vector = _VALUES.get(word[-1]) if len(word) > 1 else None
        self._id_follows = True
        if self._vector is None:
            raise self._error(f"{_shown(word)} is no vector", "b and its levels")

    def _other_value(self, _word: bytes) -> None:
        """A real number or a string: never of a signal that can be wanted."""
        self._vector = None
        self._id_follows = True

    def _command(self, word: bytes) -> None:
        if word == b"$comment":
            self._skip_to_end = True
        elif word not in _DUMP_COMMANDS:
            raise self._error(f"{_shown(word)} is no command of a dump", "$dumpvars or $comment")

    def _error(self, problem: str, valid: str) -> InputError:
        return input_error(str(self._path), self._line, "", problem, valid)


_HANDLERS: dict[int, Callable[[_Changes, bytes], None]] = {
    ord("#"): _Changes._time,
    ord("b"): _Changes._binary,
    ord("B"): _Changes._binary,
    ord("r"): _Changes._other_value,
    ord("R"): _Changes._other_value,
    ord("s"): _Changes._other_value,
    ord("$"): _Changes._command,
}
"""The handler of a word, by the word's first byte."""


# --- header --------------------------------------------------------------------------------------


def _header(path: Path, file: BinaryIO) -> _Header:
    scale: Fraction | None = None
    ids: dict[str, bytes] = {}
    scopes: list[str] = []
    for line, end, command, words in _commands(path, file):
        if command == "$timescale":
            scale = _scale(path, line, "".join(words))
        elif command == "$scope":
            scopes.append(words[-1] if words else "")
        elif command == "$upscope" and scopes:
            scopes.pop()
        elif command == "$var":
            _declare(path, line, words, scopes, ids)
        elif command == "$enddefinitions":
            if scale is None:
                raise input_error(str(path), line, "", "no $timescale: times have no unit")
            if not ids:
                raise input_error(str(path), line, "", "no signal of one bit is declared")
            return _Header(scale, ids, line, end)
    raise InputError(f"{path}: no value change dump, or cut off: it has no $enddefinitions")


def _commands(path: Path, file: BinaryIO) -> Iterator[tuple[int, int, str, list[str]]]:
    """Line of its end and words of that line up to it, name and words of each header command."""
    command, words, taken = "", list[str](), 0
    for number, line in enumerate(_lines(path, file), start=1):
        for place, raw in enumerate(line.split(), start=1):
            word = raw.decode("utf-8", "replace")
            taken += 1
            if taken > _HEADER_MAX_WORDS:
                raise input_error(str(path), number, "", "the header has no end")
            if not command:
                if not word.startswith("$"):
                    problem = f"{_shown(raw)} is no command of a header"
                    raise input_error(str(path), number, "", problem, "$timescale, $var and others")
                command = word
            elif word == "$end":
                yield number, place, command, words
                command, words = "", []
            else:
                words.append(word)


def _scale(path: Path, line: int, text: str) -> Fraction:
    match = re.fullmatch("(1|10|100)(s|ms|us|ns|ps|fs)", text)
    if match is None:
        problem = f"timescale {_shown(text.encode())}"
        raise input_error(str(path), line, "", problem, "1, 10 or 100 and s, ms, us, ns, ps or fs")
    return Fraction(int(match[1]), 10 ** _UNITS[match[2]])


def _declare(
    path: Path, line: int, words: list[str], scopes: list[str], ids: dict[str, bytes]
) -> None:
    """`$var TYPE SIZE CODE NAME [RANGE] $end`"""
    if len(words) < 4:
        problem = "a signal is declared in less than four words"
        raise input_error(str(path), line, "", problem, "$var wire 1 ! NAME $end")
    kind, size, code, *name = words
    if size != "1" or kind in {"real", "realtime", "event", "string"}:
        return
    full = ".".join([*scopes, "".join(name)])
    if not full.isprintable() or len(full) > _NAME_MAX:
        problem = "a signal has no printable name, or one that does not end"
        raise input_error(str(path), line, "", problem, f"up to {_NAME_MAX} characters, scopes too")
    ids[full] = code.encode()


def _unambiguous(ids: dict[str, bytes]) -> dict[str, bytes]:
    """Last parts of names where they mean one signal only, then whole names."""
    short: dict[str, set[bytes]] = {}
    for full, code in ids.items():
        short.setdefault(full.rpartition(".")[2], set()).add(code)
    alone = {name: next(iter(codes)) for name, codes in short.items() if len(codes) == 1}
    return {**alone, **ids}


def _rate(path: Path, scale: Fraction, given_hz: int | None) -> int:
    """Samples a second: those given, or the ticks of the dump."""
    ticks_a_second = 1 / scale
    if given_hz is None:
        if ticks_a_second.denominator != 1:
            raise InputError(f"{path}: a tick is longer than 1 s; give a rate with --sample-rate")
        return int(ticks_a_second)
    if given_hz > ticks_a_second:
        raise InputError(
            f"{path}: its time scale is {float(scale):g} s, too coarse for {given_hz} samples a "
            "second; give the rate that it was sampled with, or none"
        )
    return given_hz


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    number = 0
    while line := file.readline(_LINE_MAX_BYTES):
        number += 1
        if len(line) == _LINE_MAX_BYTES and not line.endswith(b"\n"):
            problem = "no value change dump: the line does not end"
            valid = f"up to {_LINE_MAX_BYTES} bytes"
            raise input_error(str(path), number, "", problem, valid)
        yield line


def _shown(word: bytes) -> str:
    return ascii(word[:40].decode("utf-8", "replace"))
