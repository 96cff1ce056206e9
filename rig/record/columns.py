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

from itertools import pairwise

import h5py
import numpy as np
import numpy.typing as npt

from rig.errors import InputError
from rig.record.chunks import USUAL_FILTERS, Rows, StoredRows, filters_of, largest_stored
from rig.record.layout import CHUNK, COLUMNS, LONGER_BEFORE, TAIL, TAIL_CHUNK, WRITTEN
from rig.record.opening import OpenedFile
from rig.record.stored import damage_told, damaged, is_plain


class _GrowingColumn:
    """One column being written: a buffer, the main dataset, the tail."""

    def __init__(self, file: h5py.File, name: str, dtype: npt.DTypeLike, chunk: int) -> None:
        self._main = file.create_dataset(
            name, (0,), dtype, chunks=(chunk,), maxshape=(None,), shuffle=True,
            compression="gzip", compression_opts=1,
        )  # fmt: skip
        self._tail = file.create_dataset(
            f"{TAIL}/{name}", (chunk,), dtype, chunks=(min(chunk, TAIL_CHUNK),)
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
        if self._buffered >= self._chunk:
            self._write_main(self._buffered // self._chunk * self._chunk)

    def write_rest(self) -> None:
        """Write what is no whole chunk to the main dataset; nothing may be appended after it."""
        if self._buffered:
            self._write_main(self._buffered)

    def write_tail(self) -> None:
        if self._buffered > self._in_tail:
            new = self._joined()[self._in_tail :]
            self._tail[self._in_tail : self._buffered] = new
            self._in_tail = self._buffered

    def _write_main(self, count: int) -> None:
        rows = self._joined()
        self._main.resize((self.in_main + count,))
        self._main[self.in_main :] = rows[:count]
        self._parts = [rows[count:].copy()] if len(rows) > count else []
        self._buffered -= count
        self._in_tail = 0
        self.in_main += count

    def _joined(self) -> Rows:
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


class ColumnsWriter:
    """All columns of a file being written. To be made before the file enters SWMR mode."""

    def __init__(self, file: h5py.File) -> None:
        self._file = file
        self._columns = {
            name: _GrowingColumn(file, name, dtype, chunk)
            for name, (dtype, chunk) in COLUMNS.items()
        }
        self._written = np.zeros((len(COLUMNS), 2), np.int64)
        file[WRITTEN] = self._written
        file[WRITTEN].attrs["columns"] = list(COLUMNS)

    def append(self, name: str, rows: Rows) -> None:
        """Append rows of the column's type. Whole chunks are written, the rest kept in memory."""
        self._columns[name].append(rows)

    def commit(self) -> None:
        """Write every row, and make all of them count."""
        self._publish_main()
        for column in self._columns.values():
            column.write_tail()
        self._file.flush()
        self._written[:, 1] = [column.rows for column in self._columns.values()]
        self._publish()

    def seal(self) -> None:
        """Write every row to the main datasets; nothing may be appended after it."""
        for column in self._columns.values():
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

    def __init__(self, held: OpenedFile, source: str) -> None:
        """Raises InputError, naming `source`, if the columns are not as this rig writes them."""
        self._held = held
        self._source = source
        self._live = held.live
        self._chunks: dict[str, int] = {}
        self._numbers = {name: number for number, name in enumerate(COLUMNS)}
        self._settled: dict[str, tuple[int, int]] = {}
        """Counts of a file that nobody writes to."""
        with damage_told(source):
            self._written = self._checked_counts()
            self._datasets = {name: self._checked(name) for name in COLUMNS}
            self._stored = {
                name: StoredRows(main, source) for name, (main, _) in self._datasets.items()
            }
            self._rows = {name: self._row_counts(name)[1] for name in COLUMNS}

    def _checked_counts(self) -> h5py.Dataset:
        counts = self._held.dataset(WRITTEN)
        shape = (len(COLUMNS), 2), np.int64, None
        if not is_plain(counts) or (counts.shape, counts.dtype, counts.chunks) != shape:
            raise self._damaged(f"{WRITTEN} is not as it should be")
        return counts

    def _checked(self, name: str) -> tuple[h5py.Dataset, h5py.Dataset]:
        """Main dataset and tail of a column."""
        dtype, chunk = COLUMNS[name]
        main, tail = self._held.dataset(name), self._held.dataset(f"{TAIL}/{name}")
        if name in LONGER_BEFORE and is_plain(main) and main.chunks == (CHUNK,):
            chunk = CHUNK
        self._chunks[name] = chunk
        for dataset, rows in ((main, chunk), (tail, min(chunk, TAIL_CHUNK))):
            # A chunk is read whole: one of another size might not fit into memory.
            if (
                not is_plain(dataset)
                or (dataset.dtype, dataset.ndim, dataset.chunks) != (dtype, 1, (rows,))
                or filters_of(dataset) != (USUAL_FILTERS if dataset is main else [])
                or (dataset is tail and tail.shape != (chunk,))
            ):
                raise self._damaged(f"{name} is not as it should be")
        return main, tail

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
        main, tail = self._datasets[name]
        while True:
            in_main, _ = self._row_counts(name)
            for dataset in (main, tail) if self._live else ():
                dataset.refresh()
            rows = self._stored[name].read(first, min(stop, in_main))
            if stop <= in_main:
                return rows
            start = max(first, in_main)
            rest = tail[start - in_main : max(stop, start) - in_main]
            if self._row_counts(name)[0] == in_main:
                return np.concatenate((rows, rest))

    def look_through(self) -> None:
        """Look at what the index says of every chunk. Raises InputError."""
        for name, (main, tail) in self._datasets.items():
            in_main, _ = self._row_counts(name)
            if self._live:
                with damage_told(self._source):
                    main.refresh()  # the index is now at least as new as the count
            check_chunks(main, in_main, self._source)
            check_chunks(tail, 0, self._source)

    def _row_counts(self, name: str) -> tuple[int, int]:
        """How many rows of a column count in the main dataset, and in all."""
        if self._live:
            self._written.refresh()
        elif name in self._settled:
            return self._settled[name]
        in_main, rows = (int(count) for count in self._written[self._numbers[name]])
        if self._live and rows < in_main:  # caught between the two
            rows = in_main
        chunk = self._chunks[name]
        whole = in_main % chunk == 0 or in_main == rows
        if not (0 <= in_main <= rows and whole) or (not self._live and rows - in_main > chunk):
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
