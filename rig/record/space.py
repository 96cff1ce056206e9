# SPDX-License-Identifier: GPL-3.0-or-later
"""Free space, looked at before it is needed.

HDF5 cannot recover from a write that fails for lack of space: the file is damaged and the process
crashes when it closes it. So a run stops in order while there is still room to finish its file.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rig.errors import BenchError, InputError

RESERVE_BYTES = 32 << 20
"""Kept free for finishing a file: last chunks, log, figures."""
FINISH_BYTES = 8 << 20
"""Kept free while the log is stored, which uses up the rest of the reserve."""
SMALL_BYTES = 1 << 20
"""Asked for before minutes are spent on what goes to a file of some kilobytes."""


def require_space(path: Path, needed_bytes: int) -> None:
    """Raises BenchError if less than that is free where `path` lies."""
    free_bytes = shutil.disk_usage(path.parent).free
    if free_bytes < needed_bytes:
        raise BenchError(
            f"{path}: the disk is nearly full, {free_bytes >> 20} MiB free of {needed_bytes >> 20} "
            "MiB needed; what was measured is kept, free some space before the next run"
        )


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
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < 2 * RESERVE_BYTES:
        raise InputError(
            f"{path}: only {free_bytes >> 20} MiB free, a run needs {2 * RESERVE_BYTES >> 20} MiB "
            "to begin with; free some space or name another file"
        )


def check_kept_file(path: Path) -> None:
    """Raises InputError if a small file cannot be kept at `path`, be it there or not.

    Folders that are not there yet are made when it is written.
    """
    folder = next(parent for parent in path.absolute().parents if parent.is_dir())
    _check_writable(path, folder)
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < SMALL_BYTES:
        raise InputError(
            f"{path}: only {free_bytes >> 10} KiB free, {SMALL_BYTES >> 10} KiB are needed; "
            "free some space or name another file"
        )


def _check_writable(path: Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: no permission to write in {folder}; name another file")
