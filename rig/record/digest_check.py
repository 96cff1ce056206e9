# SPDX-License-Identifier: GPL-3.0-or-later
"""The check, at every opening, that a run file is as it was when it was closed, by its digests.

A long file takes a second a gigabyte. So a process remembers the files that it found whole, by what
the file system says of them, and looks again when that has changed.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from pathlib import Path

import h5py

from rig.errors import InputError
from rig.record.digest import (
    differing,
    figures_parts,
    raw_parts,
    stored_figures,
    stored_raw,
    whole_digest,
)
from rig.record.layout import DIGESTS_SINCE
from rig.record.stored import as_line
from rig.shell_words import quoted

_REMEMBERED_MAX = 20_000
_SETTLED_NS = 100_000_000
"""A file changed less than this before it was looked at may change again unseen: the file system's
clock goes in steps of some milliseconds."""
_NAMED_MAX = 5
_SLOWEST_BYTES_S = 25e6

Stamp = tuple[int, int, int, int, int]
_whole: OrderedDict[Stamp, None] = OrderedDict()


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp that changes when a file does; None if it changed just now, or is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    if time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < _SETTLED_NS:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def remember(path: Path, stamp: Stamp | None) -> None:
    """Remember that the file was found whole, and had this stamp before that."""
    if stamp is None or stamp_of(path) != stamp:
        return
    _whole[stamp] = None
    if len(_whole) > _REMEMBERED_MAX:
        _whole.popitem(last=False)


def hashing_s(path: Path) -> float:
    """Return the time that the digests of a file may take on a slow and busy machine."""
    try:
        return path.stat().st_size / _SLOWEST_BYTES_S
    except OSError:
        return 0.0


def check_digests(file: h5py.File, path: Path, version: int, *, figures: bool = True) -> None:
    """Check that a closed file is as it was then. Raises InputError, naming the parts, if not.

    `figures` False: the raw data alone.
    """
    stamp = stamp_of(path)
    if version < DIGESTS_SINCE or (stamp is not None and stamp in _whole):
        return
    check_raw(file, path)
    if figures:
        check_figures(file, path)
        remember(path, stamp)


def check_raw(file: h5py.File, path: Path) -> None:
    """Check the digests of the raw data alone."""
    stored = stored_raw(file, str(path))
    if not stored:
        raise InputError(
            f"{path}: was closed and has no digests: they were removed, or it was made up; "
            "use an unchanged copy"
        )
    wrong = differing(stored, raw_parts(file, str(path)))
    if wrong:
        raise InputError(
            f"{path}: {_listed(wrong)} changed after the run: not what the digest in the file "
            f"says; use an unchanged copy (`rig verify {quoted(path)}` shows every part)"
        )


def check_figures(file: h5py.File, path: Path) -> None:
    """Check the digests of the computed groups alone, if there are any."""
    of_raw, stored = stored_figures(file, str(path))
    found = figures_parts(file, str(path))
    wrong = differing(stored, found)
    if wrong:
        raise InputError(
            f"{path}: stored figures ({_listed(wrong)}) changed after they were computed; "
            f"`rig analyze {quoted(path)}` computes them again from the raw data"
        )
    if found and of_raw != whole_digest(stored_raw(file, str(path))):
        raise InputError(
            f"{path}: the stored figures were computed from other raw data; "
            f"`rig analyze {quoted(path)}` computes them again from what is in the file"
        )


def _listed(names: list[str]) -> str:
    shown = [as_line(name.encode(errors="replace")) for name in names[:_NAMED_MAX]]
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return ", ".join(shown) + more
