# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a compressed dataset, each chunk inflated into the room that its type says and no more.

HDF5's own filter inflates whatever it finds: a made-up chunk of one megabyte becomes a thousand.
It also gives zeros for a chunk that is not there. Here both are damage.
"""

from __future__ import annotations

import zlib
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from rig.record.stored import damaged

Rows = npt.NDArray[Any]
USUAL_FILTERS = [h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE]
_NO_SHUFFLE, _NO_DEFLATE = 1, 2
"""The bits of a chunk's mask: filters that were left out, by their number in the pipeline."""
_FEW_PLANES = 3
_KEPT_BYTES = 4 << 20
"""Inflated chunks kept for each dataset: more than any part of an analysis reads at a time."""


def filters_of(dataset: h5py.Dataset) -> list[int]:
    """Return the filters' registered numbers, in the pipeline's order. Raises what h5py does."""
    settings = dataset.id.get_create_plist()
    return [settings.get_filter(number)[0] for number in range(settings.get_nfilters())]


def largest_stored(dataset: h5py.Dataset) -> int:
    """Return the most bytes that a chunk can take: what cannot be compressed grows a little."""
    full = dataset.chunks[0] * dataset.dtype.itemsize
    return int(full + full // 100 + 64)


class StoredRows:
    """One dataset of shape (n,) with chunks and the usual filters."""

    def __init__(self, dataset: h5py.Dataset, source: str, kept_bytes: int = _KEPT_BYTES) -> None:
        self._dataset, self._source, self._kept_bytes = dataset, source, kept_bytes
        self._chunk: int = dataset.chunks[0]
        self._dtype = dataset.dtype
        self._full = self._chunk * self._dtype.itemsize
        self._room = bytearray()
        """The memory for a chunk as it is stored, made once."""
        self._kept: dict[int, Rows] = {}

    def datasets(self, rows: int) -> list[tuple[h5py.Dataset, int]]:
        """Return the column's datasets, each with the rows it has if the column has `rows`."""
        return [(self._dataset, rows)]

    def read(self, first: int, stop: int, rows: int = 0) -> Rows:  # noqa: ARG002
        """Read rows [first, stop). Raises InputError for damaged chunks, or what h5py does.

        Not to be written to: those of one chunk are the ones that are kept. `rows`: as of
        CodedRows, of no account here.
        """
        parts = []
        for number in range(first // self._chunk, -(-stop // self._chunk)):
            begin = number * self._chunk
            parts.append(self._rows_of(number)[max(first - begin, 0) : stop - begin])
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0, self._dtype)

    def _rows_of(self, number: int) -> Rows:
        """All rows of a chunk, which are never written again; the last ones used are kept."""
        rows = self._kept.pop(number, None)
        if rows is None:
            rows = self._inflated(number)
            rows.flags.writeable = False
        self._kept[number] = rows
        while len(self._kept) * rows.nbytes > self._kept_bytes:
            self._kept.pop(next(iter(self._kept)), None)
        return rows

    def _inflated(self, number: int) -> Rows:
        at = (number * self._chunk,)
        try:
            # Not asked for its size beforehand: HDF5 would go through all chunks before it.
            self._room = self._room or bytearray(largest_stored(self._dataset))
            mask, data = self._dataset.id.read_direct_chunk(at, out=self._room)
        except (RuntimeError, ValueError):
            raise self._damaged(number, "is missing or too large") from None
        width, full = self._dtype.itemsize, self._full
        if mask & _NO_DEFLATE:
            data = bytes(data)  # the room is for the next chunk
        else:
            inflater = zlib.decompressobj()
            try:
                data = inflater.decompress(data, full + 1)
            except zlib.error:
                raise self._damaged(number, "cannot be inflated") from None
        if len(data) != full:
            raise self._damaged(number, f"does not have {full:,} bytes")
        if width > 1 and not mask & _NO_SHUFFLE:
            return _joined(np.frombuffer(data, np.uint8).reshape(width, self._chunk), self._dtype)
        return np.frombuffer(data, self._dtype)

    def _damaged(self, number: int, what: str) -> Exception:
        name = str(self._dataset.name).lstrip("/")
        return damaged(self._source, f"chunk {number} of {name} {what}")


def _joined(planes: npt.NDArray[np.uint8], dtype: np.dtype[Any]) -> Rows:
    """Rows whose bytes lie in planes, shape (bytes of a row, rows): what the shuffle filter does.

    Of small integers most planes are zeros, and the few others are quickly put together.
    """
    used = len(planes)
    if dtype.kind in "iu":
        words = planes.view(np.uint64) if planes.shape[1] % 8 == 0 else planes
        half = used // 2
        used = used if words[half:].any() else half
        while used and not words[used - 1].any():
            used -= 1
    if used > _FEW_PLANES:
        return np.frombuffer(np.ascontiguousarray(planes.T), dtype)
    rows: Rows = planes[0].astype(dtype)
    for number in range(1, used):
        rows |= planes[number].astype(dtype) << dtype.type(8 * number)
    return rows
