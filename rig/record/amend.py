# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores computed groups in a run file so that a crash costs them only, never the raw data.

HDF5 writes its own structures back in no safe order: a file whose writer is killed outside of SWMR
mode may be unreadable, and it is for whoever looks at it meanwhile. So they are stored in a copy,
which takes the file's place when it is whole.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rig.errors import InputError
from rig.record.digest_check import check_raw
from rig.record.free_space import require_space
from rig.record.layout import DIGESTS_SINCE
from rig.record.reader import RunFile
from rig.shell_words import quoted

SUFFIX = ".new"


@contextmanager
def amended(path: Path, more_bytes: int) -> Iterator[RunFile]:
    """A run file opened for writing; what was stored is in `path` once the block ends well.

    If it does not, the file is as it was. Readers keep what they have open. A crash leaves the copy
    beside it, `path` with SUFFIX; it is of no use. `more_bytes`: room for what will be stored.
    Raises InputError if nothing can be stored, BenchError if the disk has no room for the copy.
    """
    with RunFile(path, figures=False) as file:
        if file.left_open:
            raise InputError(
                f"{path}: figures cannot be stored in it: its run is going on, or a crash left it; "
                f"then `rig recover {quoted(path)}` makes a copy that takes them"
            )
    require_space(path, path.stat().st_size + more_bytes, new=True)
    with contextlib.ExitStack() as stack:
        copy = _copied(path)
        stack.callback(copy.unlink, missing_ok=True)
        with RunFile(copy, write=True) as file:
            file.path = path  # the one that errors are to name
            yield file
            _finished(file, path)
        _put_in_place(copy, path)


def _copied(path: Path) -> Path:
    real = path.resolve()  # of a link, the file it leads to is replaced
    try:
        descriptor, name = tempfile.mkstemp(SUFFIX, f"{real.name}.", real.parent)
    except OSError as error:
        raise _not_stored(path, error) from None
    copy = Path(name)
    try:
        os.close(descriptor)
        shutil.copy2(real, copy)
    except OSError as error:
        copy.unlink()
        raise _not_stored(path, error) from None
    return copy


def _finished(file: RunFile, path: Path) -> None:
    """Close what was written; only then is all of it in the file, or known not to be.

    The copy's raw data must be those of the original, by its digests.
    """
    stored = file.writable()
    try:
        if file.format_version >= DIGESTS_SINCE:
            stored.flush()
            check_raw(stored, path)
        stored.close()
    except (OSError, RuntimeError) as error:
        raise _not_stored(path, error) from None


def _put_in_place(copy: Path, path: Path) -> None:
    try:
        with copy.open("rb+") as file:
            os.fsync(file.fileno())  # before its name changes, or a power cut could cost both
        copy.replace(path.resolve())
    except OSError as error:
        raise _not_stored(path, error) from None


def _not_stored(path: Path, error: OSError | RuntimeError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        f"{path}: figures cannot be stored in it ({reason}), it is as it was; "
        "make it and its folder writable or copy it to where you may write"
    )
