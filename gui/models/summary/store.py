# SPDX-License-Identifier: GPL-3.0-or-later
"""Summaries kept from one look at a run to the next, in the user's cache folder.

Not in the run file: HDF5 takes changes in a copy only, and a copy of a long run is gigabytes; and
looking at a run is no reason to change it. Not beside it either: archives are read-only. What is
here can be deleted at any time. The name tells the run file, the header which state of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from gui.models.summary.rows import BUCKET, Rows, SummaryKind, row_count

MAGIC = b"LRSUMRY1"
_HEAD = struct.Struct("<8s8sQQQQ")
HEAD_BYTES = _HEAD.size
ROOM_BYTES = 1 << 30
"""The room of all summaries together; the ones not used for longest go first."""


@dataclass(frozen=True)
class SummarizedFile:
    """The state of a run file that a summary is of."""

    size: int
    modified_ns: int
    count: int
    """The number of events or edges."""


def source_of(path: Path, count: int) -> SummarizedFile:
    """Return the state of a run file. Raises OSError if the file is gone."""
    found = path.stat()
    return SummarizedFile(found.st_size, found.st_mtime_ns, count)


def cache_folder() -> Path:
    """Return the folder of summaries; XDG Base Directory Specification 0.8."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return root / "latency-rig" / "summaries"


def file_of(path: Path, kind: SummaryKind, folder: Path) -> Path:
    """Return the path of a run file's summary."""
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return folder / f"{name}.{kind.name}"


def header(kind: SummaryKind, source: SummarizedFile) -> bytes:
    """Return what a summary's file begins with."""
    return _HEAD.pack(MAGIC, kind.name.encode(), *astuple(source), BUCKET)


def stored_rows(file: Path, kind: SummaryKind, source: SummarizedFile) -> Rows | None:
    """Return all rows; None if the file is missing, not whole, or of another state of the run."""
    want = HEAD_BYTES + row_count(source.count) * kind.row.itemsize
    with contextlib.suppress(OSError), file.open("rb") as opened:
        if opened.read(HEAD_BYTES) == header(kind, source) and file.stat().st_size == want:
            os.utime(file)  # used
            return np.fromfile(opened, kind.row)
    return None


def rows_so_far(file: Path, kind: SummaryKind, first_row: int) -> Rows:
    """Return rows from this one on of a file still being written, whole ones only."""
    start = HEAD_BYTES + first_row * kind.row.itemsize
    with contextlib.suppress(OSError), file.open("rb") as opened:
        if opened.seek(0, os.SEEK_END) > start:
            opened.seek(start)
            return np.fromfile(opened, kind.row)
    return np.empty(0, kind.row)


def make_room(folder: Path, room_bytes: int = ROOM_BYTES) -> None:
    """Delete what was not used for longest until the rest fits."""
    with contextlib.suppress(OSError):
        files = [(path.stat(), path) for path in folder.iterdir() if path.is_file()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, path in sorted(files, key=lambda item: item[0].st_mtime_ns):
            if total <= room_bytes:
                break
            path.unlink(missing_ok=True)
            total -= stat.st_size
