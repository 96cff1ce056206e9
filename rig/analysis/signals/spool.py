# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one pass over a run that further passes need: the first in memory, the rest in a file.

So memory does not grow with the run, and no pass reads again what another has read. The file has no
name, lies where temporary files do, and goes with the process.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.closing import Closing

MEMORY_BYTES = 1 << 24
FILE_BYTES = 1 << 32
"""Largest file: some 200 million events."""

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Kept:
    """One array, in memory or at an offset of a file."""

    _values: Array
    """The array as it was, or an empty one of the same type."""
    _file: int | None = None
    _offset: int = 0
    _size: int = 0

    def values(self) -> Array:
        """Return the array as it was kept; not to be written to. Raises OSError."""
        if self._file is None:
            return self._values
        read = os.pread(self._file, self._size, self._offset)
        while len(read) < self._size:
            more = os.pread(self._file, self._size - len(read), self._offset + len(read))
            if not more:
                raise OSError(f"{self._size - len(read)} bytes of a temporary file are gone")
            read += more
        return np.frombuffer(read, self._values.dtype)


class Spool(Closing):
    """Arrays kept in the order in which they come."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES, file_bytes: int = FILE_BYTES) -> None:
        """Begin without arrays; `file_bytes` 0: there is no file."""
        self._memory_bytes, self._file_bytes = memory_bytes, file_bytes
        self._file: int | None = None
        self._written = 0

    def keep(self, values: Array) -> Kept | None:
        """Keep an array, a view as a view; None if there is no room, or no file can be written."""
        if values.nbytes <= self._memory_bytes:
            self._memory_bytes -= values.nbytes
            return Kept(values)
        if self._written + values.nbytes > self._file_bytes:
            return None
        try:
            return self._keep_in_file(values)
        except OSError:  # such as a full disk: what is there stays, nothing more comes to it
            self._file_bytes = 0
            return None

    def _keep_in_file(self, values: Array) -> Kept:
        if self._file is None:
            with tempfile.TemporaryFile() as file:
                self._file = os.dup(file.fileno())
        offset, rest = self._written, np.ascontiguousarray(values).view(np.uint8)
        while len(rest):
            count = os.pwrite(self._file, rest.data, self._written)
            self._written += count
            rest = rest[count:]
        # Not a slice of it: that would hold all of it in memory.
        return Kept(np.empty(0, values.dtype), self._file, offset, values.nbytes)

    def close(self) -> None:
        """Discard all that is in the file; may be called twice."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
        self._file, self._file_bytes = None, 0
