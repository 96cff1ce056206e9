# SPDX-License-Identifier: GPL-3.0-or-later
"""Free space, looked at before it is needed.

HDF5 cannot recover from a write that fails for lack of space: the file is damaged and the process
crashes when it closes it. So a run stops in order while there is still room to finish its file.
"""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

from rig.errors import BenchError, InputError

RESERVE_BYTES = 32 << 20
"""Kept free for finishing a file: last chunks, log, figures."""
FINISH_BYTES = 8 << 20
"""Kept free while the log is stored, which uses up the rest of the reserve."""
EVENT_BYTES = 4
"""The least that an event takes: raw data twice, since figures are stored in a copy."""
SMALL_BYTES = 1 << 20
"""Asked for before minutes are spent on what goes to a file of some kilobytes."""


def require_space(path: Path, needed_bytes: int, *, new: bool = False) -> None:
    """Raises BenchError unless so much can be written to `path`, or to a `new` file beside it.

    HDF5 does not survive a write that fails: its process ends by SIGSEGV, when it closes the file
    at the latest. So there is always room before anything is written.
    """
    held_bytes = path.stat().st_size if path.exists() and not new else 0
    free_bytes, what = free_space(path.parent, held_bytes)
    if free_bytes < needed_bytes:
        raise BenchError(
            f"{path}: {what}, {free_bytes >> 20} MiB free of {needed_bytes >> 20} "
            "MiB needed; what was measured is kept, make room before the next run"
        )


def free_space(folder: Path, held_bytes: int = 0) -> tuple[int, str]:
    """Bytes that a file in this folder, which has `held_bytes`, can still take; and what ends them:
    the disk, or the limit on the size of a file (`ulimit -f`)."""
    free_bytes = shutil.disk_usage(folder).free
    limit_bytes = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    left_bytes = max(0, limit_bytes - held_bytes)
    if limit_bytes != resource.RLIM_INFINITY and left_bytes < free_bytes:
        return left_bytes, "the limit on the size of a file (ulimit -f) is nearly reached"
    return free_bytes, "the disk is nearly full"


def check_new_file(path: Path) -> None:
    """Raises InputError if a file cannot be begun at `path`: it exists, no folder, no room."""
    folder = path.parent
    if path.exists():
        raise InputError(
            f"{path}: exists already and is not overwritten; name another file with --out"
        )
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}; make it, or name another file")
    _check_writable(path, folder)
    free_bytes, what = free_space(folder)
    if free_bytes < 2 * RESERVE_BYTES:
        raise InputError(
            f"{path}: only {free_bytes >> 20} MiB free ({what}), {2 * RESERVE_BYTES >> 20} MiB are "
            "needed to begin with; make room or name another file"
        )


def check_room(path: Path, events: int) -> None:
    """Raises InputError if so many events and their figures surely find no room at `path`."""
    needed_bytes = events * EVENT_BYTES
    free_bytes, what = free_space(path.absolute().parent)
    if free_bytes < needed_bytes:
        raise InputError(
            f"{path}: {events:,} events need {needed_bytes >> 20:,} MiB at least until they are "
            f"evaluated, and {free_bytes >> 20:,} MiB are free ({what}); make room, name a file "
            "on another disk, or measure fewer (--count)"
        )


def check_kept_file(path: Path) -> None:
    """Raises InputError if a small file cannot be kept at `path`, be it there or not.

    Folders that are not there yet are made when it is written.
    """
    folder = next(parent for parent in path.absolute().parents if parent.is_dir())
    _check_writable(path, folder)
    free_bytes, what = free_space(folder)
    if free_bytes < SMALL_BYTES:
        raise InputError(
            f"{path}: only {free_bytes >> 10} KiB free ({what}), {SMALL_BYTES >> 10} KiB are "
            "needed; make room or name another file"
        )


def _check_writable(path: Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: no permission to write in {folder}; name another file")
