# SPDX-License-Identifier: GPL-3.0-or-later
"""Growing datasets that can be read, whole and in order, at every moment of their growth.

Each column has two datasets. The main one is compressed and takes whole chunks only: HDF5 cannot
give room back while others read, so a compressed chunk written three times takes room three times.
The rows after the last whole chunk go to the column's tail, uncompressed, a chunk long and written
over in place. The dataset `written` tells for each column how many rows count in the main dataset
and how many in all.

The order of writing makes that exact without a lock: rows are in the file before they count, and a
tail is written over only when the rows it had count in the main dataset. A reader that finds that
number unchanged after it read from a tail has read the rows it asked for. The size that HDF5 shows
for a dataset is not used: it can be ahead of the chunks.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from rig.errors import InputError
from rig.record.chunks import USUAL_FILTERS, Rows, StoredRows, filters_of, largest_stored
from rig.record.coded import CODES, CodedRows, CodedWriter, Encoder, appended
from rig.record.layout import (
    ALONG_EDGES,
    CHUNK,
    COLUMNS,
    DELTA,
    LONGER_BEFORE,
    PACKED,
    TAIL,
    TAIL_CHUNK,
    TAIL_CHUNKS,
    WRITTEN,
)
from rig.record.opening import OpenedFile
from rig.record.stamp_code import SamplesOf
from rig.record.stored import damage_told, damaged, is_plain


class _PlainWriter:
    """Appends rows to a compressed dataset."""

    def __init__(self, file: h5py.File, name: str, dtype: npt.DTypeLike, chunk: int) -> None:
        self._dataset = file.create_dataset(
            name, (0,), dtype, chunks=(chunk,), maxshape=(None,), shuffle=True,
            compression="gzip", compression_opts=1,
        )  # fmt: skip

    def append(self, rows: Rows, *, wait: bool) -> int:  # noqa: ARG002
        """Append rows as CodedWriter does; there is nothing to wait for."""
        appended(self._dataset, rows)
        return len(rows)


class _GrowingColumn:
    """One column being written: a buffer, the main rows, the tail."""

    def __init__(self, file: h5py.File, name: str, encoder: Encoder | None) -> None:
        dtype, chunk = COLUMNS[name]
        self._main = (
            CodedWriter(file, name, chunk, encoder)
            if encoder
            else _PlainWriter(file, name, dtype, chunk)
        )
        self._room = chunk * TAIL_CHUNKS.get(name, 1)
        self._tail = file.create_dataset(
            f"{TAIL}/{name}", (self._room,), dtype, chunks=(min(chunk, TAIL_CHUNK),)
        )
        self._chunk = chunk
        self._parts: list[Rows] = []
        self._buffered = 0
        self._in_tail = 0
        self.in_main = 0

    @property
    def rows(self) -> int:
        return self.in_main + self._buffered

    def append(self, rows: Rows) -> None:
        if len(rows):
            self._parts.append(rows)
            self._buffered += len(rows)
        if self.fills(0):
            whole = self._buffered // self._chunk * self._chunk
            self._write_main(whole, wait=self._buffered <= self._room)

    def fills(self, count: int) -> bool:
        """Return whether so many rows more make a whole chunk."""
        return self._buffered + count >= self._chunk

    def write_rest(self) -> None:
        """Write the last, incomplete chunk to the main rows; nothing may be appended after it."""
        if self._buffered:
            self._write_main(self._buffered, wait=False)

    def write_tail(self) -> None:
        if self._buffered > self._in_tail:
            new = self._joined()[self._in_tail :]
            self._tail[self._in_tail : self._buffered] = new
            self._in_tail = self._buffered

    def _write_main(self, count: int, *, wait: bool) -> None:
        rows = self._joined()
        count = self._main.append(rows[:count], wait=wait)
        if count:
            self._parts = [rows[count:].copy()] if len(rows) > count else []
            self._buffered -= count
            self._in_tail = 0
            self.in_main += count

    def _joined(self) -> Rows:
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


class ColumnsWriter:
    """All columns of a file being written. It must be created before the file enters SWMR mode."""

    def __init__(self, file: h5py.File, encoders: Mapping[str, Encoder]) -> None:
        """`encoders`: those of the columns that are to be coded."""
        self._file = file
        self._columns = {name: _GrowingColumn(file, name, encoders.get(name)) for name in COLUMNS}
        self._written = np.zeros((len(COLUMNS), 2), np.int64)
        file[WRITTEN] = self._written
        file[WRITTEN].attrs["columns"] = list(COLUMNS)

    def append(self, name: str, rows: Rows) -> None:
        """Append rows of the column's type. Whole chunks are written, the rest kept in memory."""
        self._columns[name].append(rows)

    def fills(self, name: str, count: int) -> bool:
        """Return whether so many rows more make a whole chunk of the column."""
        return self._columns[name].fills(count)

    def commit(self) -> None:
        """Write every row, and make all of them count."""
        self._publish_main()
        for column in self._columns.values():
            column.write_tail()
        self._file.flush()
        self._written[:, 1] = [column.rows for column in self._columns.values()]
        self._publish()

    def seal(self, *, along_edges: bool) -> None:
        """Write every row to the main datasets; nothing may be appended after it.

        First those of columns that are not `along_edges`: others refer to edges that count by then.
        """
        for name, column in self._columns.items():
            if (name in ALONG_EDGES) == along_edges:
                column.write_rest()
        self._publish_main()

    def _publish_main(self) -> None:
        self._file.flush()
        self._written[:, 0] = [column.in_main for column in self._columns.values()]
        self._written[:, 1] = self._written.max(axis=1)
        self._publish()

    def _publish(self) -> None:
        self._file[WRITTEN][...] = self._written
        self._file.flush()


class ColumnsReader:
    """All columns of a file that is finished, being written, or was left by a crash."""

    def __init__(self, held: OpenedFile, source: str, samples_of: SamplesOf) -> None:
        """Raises InputError, naming `source`, if the columns are not as this rig writes them.

        `samples_of`: gives the samples of edges that columns refer to.
        """
        self._held = held
        self._samples_of = samples_of
        self._source = source
        self._live = held.live
        self._chunks: dict[str, int] = {}
        self._numbers = {name: number for number, name in enumerate(COLUMNS)}
        self._settled: dict[str, tuple[int, int]] = {}
        """Counts of a file that nobody writes to."""
        with damage_told(source):
            self._written = self._checked_counts()
            self._mains = {name: self._checked_main(name) for name in COLUMNS}
            self._tails = {name: self._checked_tail(name) for name in COLUMNS}
            self._rows = {name: self._row_counts(name)[1] for name in COLUMNS}

    def _checked_counts(self) -> h5py.Dataset:
        counts = self._held.dataset(WRITTEN)
        shape = (len(COLUMNS), 2), np.int64, None
        if not is_plain(counts) or (counts.shape, counts.dtype, counts.chunks) != shape:
            raise self._damaged(f"{WRITTEN} is not as it should be")
        return counts

    def _checked_main(self, name: str) -> StoredRows | CodedRows:
        dtype, chunk = COLUMNS[name]
        self._chunks[name] = chunk
        main = self._held.dataset(name)
        if name in CODES and isinstance(main, h5py.Group):
            beside = self._packed if name == DELTA else self._samples
            return CodedRows(self._held, name, chunk, self._source, beside)
        if name in LONGER_BEFORE and is_plain(main) and main.chunks == (CHUNK,):
            self._chunks[name] = chunk = CHUNK
        self._check(main, name, (dtype, 1, (chunk,), USUAL_FILTERS))
        return StoredRows(main, self._source)

    def _samples(self, _first: int, _stop: int) -> SamplesOf:
        return self._samples_of

    def _packed(self, first: int, stop: int) -> Rows:
        """Channels and levels of edges of a chunk whose distances are in it."""
        main = self._mains[PACKED]
        if self._live:
            for dataset, _ in main.datasets(stop):
                dataset.refresh()
        return main.read(first, stop, stop)

    def _checked_tail(self, name: str) -> h5py.Dataset:
        dtype, chunk = COLUMNS[name][0], self._chunks[name]
        tail = self._held.dataset(f"{TAIL}/{name}")
        self._check(tail, name, (dtype, 1, (min(chunk, TAIL_CHUNK),), []))
        if tail.shape not in ((chunk,), (chunk * TAIL_CHUNKS.get(name, 1),)):
            raise self._damaged(f"{name} is not as it should be")
        return tail

    def _check(self, dataset: Any, name: str, kind: tuple[Any, ...]) -> None:
        """Check a dataset's type and chunk: it is read whole, and might not fit into memory."""
        if (
            not is_plain(dataset)
            or (dataset.dtype, dataset.ndim, dataset.chunks, filters_of(dataset)) != kind
        ):
            raise self._damaged(f"{name} is not as it should be")

    def rows(self, name: str) -> int:
        """Rows of a column that counted when the file was opened."""
        return self._rows[name]

    def read(self, name: str, first: int, stop: int) -> Rows:
        """Rows [first, stop) of a column, as far as they count."""
        stop = min(stop, self._rows[name])
        with damage_told(self._source):
            rows = self._read(name, first, stop)
        if len(rows) != max(stop - first, 0):
            raise self._damaged(f"{name} has {first + len(rows)} of {stop} rows")
        return rows

    def _read(self, name: str, first: int, stop: int) -> Rows:
        main, tail = self._mains[name], self._tails[name]
        while True:
            in_main, _ = self._row_counts(name)
            if self._live:
                tail.refresh()
                for dataset, _ in main.datasets(in_main):
                    dataset.refresh()
            rows = main.read(first, min(stop, in_main), in_main)
            if stop <= in_main:
                return rows
            start = max(first, in_main)
            rest = tail[start - in_main : max(stop, start) - in_main]
            if self._row_counts(name)[0] == in_main:
                return np.concatenate((rows, rest))

    def look_through(self) -> None:
        """Look at what the index says of every chunk. Raises InputError."""
        for name, main in self._mains.items():
            in_main, _ = self._row_counts(name)
            for dataset, rows in main.datasets(in_main):
                if self._live:
                    with damage_told(self._source):
                        dataset.refresh()  # the index is now at least as new as the count
                check_chunks(dataset, rows, self._source)
            check_chunks(self._tails[name], 0, self._source)

    def _row_counts(self, name: str) -> tuple[int, int]:
        """Return the numbers of a column's rows that count in the main dataset, and in all."""
        if self._live:
            self._written.refresh()
        elif name in self._settled:
            return self._settled[name]
        in_main, rows = (int(count) for count in self._written[self._numbers[name]])
        if self._live and rows < in_main:  # caught between the two
            rows = in_main
        chunk = self._chunks[name]
        whole = in_main % chunk == 0 or in_main == rows
        room = self._tails[name].shape[0]
        if not (0 <= in_main <= rows and whole) or (not self._live and rows - in_main > room):
            raise self._damaged(f"{name} has {in_main} of {rows} rows")
        if not self._live:
            self._settled[name] = in_main, rows
        return in_main, rows

    def _damaged(self, what: str) -> InputError:
        return damaged(self._source, what)


def check_chunks(dataset: h5py.Dataset, rows: int, source: str) -> None:
    """Refuse chunks that are not compressed as the writer does, overlapping, or missing."""
    stored: list[tuple[int, int]] = []
    with damage_told(source):
        name, filters = dataset.name, filters_of(dataset)
        dataset.id.chunk_iter(
            lambda chunk: stored.append((int(chunk.byte_offset), int(chunk.size)))
        )
    fits = max((size for _, size in stored), default=0) <= largest_stored(dataset)
    if not (filters in ([], USUAL_FILTERS) and fits and len(stored) * dataset.chunks[0] >= rows):
        raise damaged(source, f"{name} is not stored as it should be")
    if any(a + size > b for (a, size), (b, _) in pairwise(sorted(stored))):
        raise damaged(source, f"chunks of {name} overlap")
