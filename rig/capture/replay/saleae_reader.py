# SPDX-License-Identifier: GPL-3.0-or-later
"""The readers of what Saleae's Logic 2 exports: a binary file for each channel, or one CSV table.

Both have times in seconds, not samples (support.saleae.com, "Binary and CSV Export Formats").
Version 0 of the binary format and the table do not tell the sample rate, so it has to be given;
times that are no multiples of its period are refused, for then it is another one.

Version 1 and the table can say that a channel has no data for a while. The level before is kept
then and the capture is incomplete: an edge may hide there.
"""

from __future__ import annotations

import csv
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from rig.capture.rates import RATE_MAX_HZ
from rig.capture.replay.channel_edges import merged
from rig.capture.replay.channels import find_channels
from rig.capture.replay.session_zip import chosen_rate
from rig.errors import InputError
from rig.instruments import (
    AnalyzerIdentity,
    CaptureEnd,
    CaptureItem,
    EdgeBlock,
    Int64Array,
    Loss,
    LossKind,
)

Times = npt.NDArray[np.float64]

_FILE_NAME = "digital_([0-9]{1,3})[.]bin"
_HEADER = struct.Struct("<8sii")
_CHUNKS = struct.Struct("<Q")
_CHUNK_V0 = struct.Struct("<IddQ")
_CHUNK_V1 = struct.Struct("<IdddQ")
_CHUNKS_MAX = 1 << 20
_SAMPLES_MAX = 1 << 52
"""A time of more samples does not tell one sample from the next."""
_OFF_GRID_SAMPLES = 0.25
_TIMES_AT_ONCE = 1 << 16
_TEXT_BYTES = 1 << 20
_TABLE_CHANNELS_MAX = 1000


@dataclass(frozen=True)
class _Chunk:
    """A stretch of one channel without a gap."""

    level: int
    rate_hz: float | None
    begin_s: float
    end_s: float
    count: int
    offset: int
    """The place of its times in the file."""


class SaleaeBinary:
    """Reads a folder of `digital_N.bin` as a capture_file.CaptureSource.

    Wanted channels are bits 0, 1, ...
    """

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Read the heads of the wanted channels' files; `path` is one file of the folder."""
        files = {
            f"D{int(match[1])}": each
            for each in sorted(path.parent.iterdir())
            if (match := re.fullmatch(_FILE_NAME, each.name))
        }
        names = {name: place for place, name in enumerate(files)}
        chosen = find_channels(path.parent, names, (), wanted)
        paths = [list(files.values())[place] for place in chosen]
        self._channels = [(each, _chunks(each)) for each in paths]
        chunks = [chunk for _, each in self._channels for chunk in each]
        self.begin_s = min(chunk.begin_s for chunk in chunks)
        self._rate_hz = _stored_rate(path.parent, chunks, sample_rate_hz)
        self.samples = 1 + _sample(
            path.parent, max(chunk.end_s for chunk in chunks) - self.begin_s, self._rate_hz
        )
        self._wanted = wanted
        self.identity = _identity("Saleae binary export", self._rate_hz, wanted)

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges of the wanted channels; a Loss for each gap of one."""
        yield from merged([self._edges(*channel) for channel in self._channels], self.samples)
        losses = [loss for place in range(len(self._wanted)) for loss in self._gaps(place)]
        yield from sorted(losses, key=lambda loss: loss.sample)
        yield CaptureEnd(self.samples, asked=True)

    def _edges(self, path: Path, chunks: Sequence[_Chunk]) -> Iterator[Int64Array]:
        level, held = 0, np.empty(0, np.int64)
        for chunk in chunks:
            begin = np.full(chunk.level ^ level, self._at(path, chunk.begin_s), np.int64)
            held = np.concatenate((held, begin))
            for times in _times(path, chunk):
                index = np.concatenate((held, self._indexes(path, times)))
                if np.any(np.diff(index) < 0):
                    raise InputError(f"{path}: damaged export, its times run backward")
                settled = int(np.searchsorted(index, index[-1]))
                held = index[settled:]
                yield _odd(index[:settled])
            level = chunk.level ^ chunk.count & 1
        yield _odd(held)

    def _gaps(self, place: int) -> Iterator[Loss]:
        """Yield the stretches in which a channel has no data, unless shorter than two samples."""
        path, chunks = self._channels[place]
        ends = [0, *(self._at(path, chunk.end_s) for chunk in chunks)]
        begins = [*(self._at(path, chunk.begin_s) for chunk in chunks), self.samples - 1]
        for end, begin in zip(ends, begins, strict=True):
            if begin - end > 1:
                text = f"no data of {self._wanted[place]} for {begin - end} samples"
                yield Loss(LossKind.UNKNOWN_LEVEL, end, text)

    def _at(self, path: Path, time_s: float) -> int:
        return _sample(path, time_s - self.begin_s, self._rate_hz)

    def _indexes(self, path: Path, times: Times) -> Int64Array:
        index = _grid(path, times - self.begin_s, self._rate_hz)
        if index[-1] >= self.samples:
            raise InputError(f"{path}: damaged export, it has an edge behind its end")
        return index


def _odd(index: Int64Array) -> Int64Array:
    """Return where the level has changed: of two changes within a sample nothing is left."""
    if not len(index) or np.all(np.diff(index) > 0):
        return index
    values, counts = np.unique(index, return_counts=True)
    changed: Int64Array = values[counts % 2 == 1]
    return changed


def _chunks(path: Path) -> list[_Chunk]:
    """Return the chunks of a binary file, after a check of their lengths against the file's."""
    try:
        with path.open("rb") as file:
            return list(_heads(path, file, path.stat().st_size))
    except struct.error:
        raise InputError(f"{path}: damaged export, it is cut off; export it again") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _heads(path: Path, file: BinaryIO, size: int) -> Iterator[_Chunk]:
    mark, version, kind = _HEADER.unpack(file.read(_HEADER.size))
    if mark != b"<SALEAE>" or kind != 0 or version not in {0, 1}:
        raise InputError(
            f"{path}: no export of a digital channel in version 0 or 1 of Saleae's binary format"
        )
    count = _CHUNKS.unpack(file.read(_CHUNKS.size))[0] if version else 1
    if not 1 <= count <= _CHUNKS_MAX:
        raise InputError(f"{path}: {count} stretches of samples; valid: 1 to {_CHUNKS_MAX}")
    layout = _CHUNK_V1 if version else _CHUNK_V0
    end_s = -np.inf
    for _ in range(count):
        level, *rate_hz, begin_s, until_s, times = layout.unpack(file.read(layout.size))
        offset = file.tell()
        if (
            level > 1
            or not np.isfinite([begin_s, until_s]).all()
            or not end_s <= begin_s <= until_s
        ):
            raise InputError(f"{path}: damaged export: a level or time that cannot be")
        if 8 * times > size - offset:
            raise InputError(f"{path}: damaged export, it is cut off; export it again")
        yield _Chunk(level, rate_hz[0] if rate_hz else None, begin_s, until_s, times, offset)
        end_s = until_s
        file.seek(offset + 8 * times)


def _times(path: Path, chunk: _Chunk) -> Iterator[Times]:
    with path.open("rb") as file:
        file.seek(chunk.offset)
        for done in range(0, chunk.count, _TIMES_AT_ONCE):
            times = np.fromfile(file, "<f8", min(_TIMES_AT_ONCE, chunk.count - done))
            if not len(times):
                raise InputError(f"{path}: damaged export, it is cut off; export it again")
            if not np.isfinite(times).all():
                raise InputError(f"{path}: damaged export: a time that cannot be")
            yield times


def _stored_rate(path: Path, chunks: Sequence[_Chunk], given_hz: int | None) -> int:
    rates = {chunk.rate_hz for chunk in chunks}
    stored = rates.pop()
    if rates:
        raise InputError(f"{path}: sampled at several rates; capture it again at one")
    if stored is not None and not (1 <= stored <= RATE_MAX_HZ and stored == int(stored)):
        raise InputError(f"{path}: a sample rate of {stored:g} Hz; valid: 1 Hz to 1000 GHz")
    return chosen_rate(path, None if stored is None else int(stored), given_hz)


def _grid(path: Path, since_s: Times, rate_hz: int) -> Int64Array:
    """Return the samples of these times since the first one."""
    with np.errstate(over="ignore"):  # refused below
        samples = since_s * rate_hz
    if not np.all((samples > -1) & (samples < _SAMPLES_MAX)):
        raise InputError(f"{path}: damaged export: a time that cannot be")
    index = np.rint(samples)
    if np.max(np.abs(samples - index)) > _OFF_GRID_SAMPLES:
        raise InputError(
            f"{path}: its times are no multiples of the period of {rate_hz} Hz; give the rate that "
            "it was captured with as --sample-rate"
        )
    return index.astype(np.int64)


def _sample(path: Path, since_s: float, rate_hz: int) -> int:
    """Return the sample of a capture's begin or end, which may lie between two."""
    if not -1 < since_s * rate_hz < _SAMPLES_MAX:
        raise InputError(f"{path}: damaged export: a time that cannot be")
    return round(since_s * rate_hz)


def _identity(model: str, rate_hz: int, wanted: Sequence[str]) -> AnalyzerIdentity:
    return AnalyzerIdentity(
        driver="file",
        vendor="Saleae",
        model=model,
        library="",
        sample_rate_hz=rate_hz,
        channels=tuple(wanted),
    )


class SaleaeTable:
    """Reads a CSV table of levels as a capture_file.CaptureSource.

    Wanted channels are bits 0, 1, ... A row has a time and the level of each channel from then on:
    0, 1, or X without data.
    """

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Read the first line. Raises InputError for what is no usable table."""
        self._path = path
        with _text_file(path) as file:
            head = file.readline(_TEXT_BYTES)
        try:
            names = next(csv.reader([head.decode("utf-8", "replace").rstrip("\r\n")]))[1:]
        except csv.Error:
            names = []
        if not 1 <= len(names) <= _TABLE_CHANNELS_MAX or not all(map(str.isprintable, names)):
            raise InputError(f"{path}: no table of channels; valid: Time [s],Channel 0,...")
        by_name = {name: place for place, name in reversed([*enumerate(names)])}
        chosen = find_channels(path, by_name, range(len(names)), wanted)
        self._columns = (0, *(place + 1 for place in chosen))
        self._wanted = wanted
        self.identity = _identity(
            "Saleae CSV export", chosen_rate(path, None, sample_rate_hz), wanted
        )

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges of the wanted channels; a Loss for each that has no data for a while."""
        start, levels, unknown = 0, None, dict[str, int]()
        for index, rows in self._settled_rows():
            for place, name in enumerate(self._wanted):
                missing = np.flatnonzero(np.isnan(rows[:, place]))
                if len(missing):
                    unknown.setdefault(name, int(index[missing[0]]))
            if levels is None:
                levels = np.nan_to_num(rows[0]).astype(np.uint8)
            block, levels = _row_block(start, levels, index, rows)
            start = block.end_sample
            yield block
        for name, sample in sorted(unknown.items(), key=lambda item: item[1]):
            text = f"no data of {name} for a while; the level before was kept"
            yield Loss(LossKind.UNKNOWN_LEVEL, sample, text)
        if not start:
            raise InputError(f"{self._path}: the table holds no samples")
        yield CaptureEnd(start, asked=True)

    def _settled_rows(self) -> Iterator[tuple[Int64Array, Times]]:
        """Yield samples and levels; of rows within one sample the last one counts."""
        origin_s = None
        index, rows = np.empty(0, np.int64), np.empty((0, len(self._wanted)))
        for table in self._tables():
            origin_s = table[0, 0] if origin_s is None else origin_s
            more = _grid(self._path, table[:, 0] - origin_s, self.identity.sample_rate_hz)
            index = np.concatenate((index, more))
            rows = np.concatenate((rows, table[:, 1:]))
            if np.any(np.diff(index) < 0):
                raise InputError(f"{self._path}: damaged table, its times run backward")
            last = np.append(np.diff(index) > 0, False)
            if last.any():
                yield index[last], rows[last]
            index, rows = index[-1:], rows[-1:]
        if len(index):
            yield index, rows

    def _tables(self) -> Iterator[Times]:
        """Yield times and levels in pieces of the file; levels are 0, 1, or NaN without data."""
        with _text_file(self._path) as file:
            file.readline(_TEXT_BYTES)
            while data := file.read(_TEXT_BYTES):
                data += file.readline(_TEXT_BYTES)
                yield self._table(data)

    def _table(self, data: bytes) -> Times:
        lines = data.replace(b"X", b"nan").splitlines()
        try:
            table = np.loadtxt(lines, delimiter=",", usecols=self._columns, comments=None, ndmin=2)
        except ValueError:
            table = np.empty((0, 0))
        if not len(table) or not np.isfinite(table[:, 0]).all():
            raise InputError(
                f"{self._path}: a row is no time in seconds and levels; export it again, without "
                "ISO 8601 timestamps"
            )
        levels = table[:, 1:]
        if not np.all((levels == 0) | (levels == 1) | np.isnan(levels)):
            raise InputError(f"{self._path}: a level that is none; valid: 0, 1 and X")
        return table


def _row_block(
    start: int, before: npt.NDArray[np.uint8], index: Int64Array, rows: Times
) -> tuple[EdgeBlock, npt.NDArray[np.uint8]]:
    """Return the edges of some rows, and the levels behind them; a NaN leaves the level."""
    levels = np.empty((len(rows) + 1, rows.shape[1]), np.uint8)
    levels[0] = before
    known = np.vstack((np.ones(rows.shape[1], bool), ~np.isnan(rows)))
    levels[1:] = np.nan_to_num(rows)
    filled = np.maximum.accumulate(np.where(known, np.arange(len(levels))[:, None], 0), axis=0)
    levels = np.take_along_axis(levels, filled, axis=0)
    row, channel = np.nonzero(levels[1:] != levels[:-1])
    mask = sum(int(level) << bit for bit, level in enumerate(before))
    return EdgeBlock(
        start,
        int(index[-1]) + 1,
        index[row],
        channel.astype(np.uint8),
        levels[1:][row, channel],
        mask,
    ), levels[-1]


def _text_file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
