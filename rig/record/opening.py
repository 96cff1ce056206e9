# SPDX-License-Identifier: GPL-3.0-or-later
"""The opening of a run's HDF5 file: finished, still being written, or left by a crash.

HDF5 gives all who open a file in one process the same cache. What a first reader of a growing file
has in it a second one takes for the state of the file, and refreshing a dataset that is open twice
does not drop all of it: chunks that were written since read as zeros. So a process opens a growing
file once, and each dataset that grows once; all its readers share them.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

import h5py
from h5py._objects import phil

from rig.errors import InputError
from rig.record.unclosed_files import UnflaggedFile, bytes_cut_off, superblock_is_marked
from rig.shell_words import quoted

_CACHE_BYTES = 4 << 20
"""The cache for chunks of each dataset: two or three of the log's, which is read in shorter parts.
With HDF5's own 1 MiB each of those would be decompressed again for every stretch."""
_TURNS = 4
_TURN_S = 0.05
"""A file is between two states, and not readable, for milliseconds when its raw part is closed."""

Identity = tuple[int, int]


@dataclass
class OpenedFile:
    """A file, and the datasets of it that are held open."""

    file: h5py.File
    left_open: bool
    """Whether the file is still being written, or was left by a crash."""
    datasets: dict[str, h5py.Dataset] = field(default_factory=dict)
    users: int = 1

    @property
    def live(self) -> bool:
        """Whether rows may be added at any time."""
        return bool(self.file.swmr_mode)

    def dataset(self, name: str) -> h5py.Dataset:
        """Return the one open handle of a dataset that grows. Raises what h5py does."""
        with phil:  # the lock of h5py: not two of them, even for a moment
            if name not in self.datasets:
                self.datasets[name] = self.file[name]
            return self.datasets[name]


class _Shared:
    """The growing files that this process has open, by device and inode."""

    def __init__(self) -> None:
        self._files: dict[Identity, OpenedFile] = {}
        self._lock = Lock()
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self._lock = Lock()  # another thread may have held the parent's

    def taken(self, identity: Identity) -> OpenedFile | None:
        """Return the file of this identity if it is open, None else; it must be given back."""
        with self._lock:
            held = self._files.get(identity)
            if held is not None:
                held.users += 1
            return held

    def added(self, identity: Identity, opened: OpenedFile) -> OpenedFile:
        """Take this file, as `taken`, or the one that another thread has added before."""
        with self._lock:
            held = self._files.setdefault(identity, opened)
            if held is opened:
                return held
            held.users += 1
        _close(opened.file)
        return held

    def give_back(self, identity: Identity, held: OpenedFile) -> None:
        """Return a file that was taken; the last user closes it."""
        with self._lock:
            held.users -= 1
            if held.users:
                return
            del self._files[identity]
            # Still locked: who opens it now must not get what is about to be closed.
            held.datasets.clear()
            _close(held.file)


_shared = _Shared()


def open_to_read(path: Path, opened: contextlib.ExitStack) -> OpenedFile:
    """Open a file without a lock, as others may too. Raises InputError if it cannot be read."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; give the run file that `rig run` wrote")
    reason = ""
    for turn in range(_TURNS):
        if turn:
            sleep(_TURN_S)
        try:
            return _opened(path, opened)
        except (OSError, RuntimeError) as error:
            reason = error.__class__.__name__
    # Left by a crash while figures were stored in it, as earlier versions of the rig did.
    with contextlib.suppress(OSError, RuntimeError, OverflowError):
        return OpenedFile(_open_unflagged(path, opened), left_open=True)
    if missing := bytes_cut_off(path):
        raise InputError(
            f"{path}: damaged run file, its last {missing:,} bytes are missing, so none of it can "
            "be read; copy it again, whole, from where it was written"
        )
    raise InputError(
        f"{path}: not a readable run file ({reason}): it is another kind of file, damaged, or "
        "its run was killed before the first sample; give the file that `rig run` wrote"
    )


def settled(held: OpenedFile, path: Path, opened: contextlib.ExitStack) -> OpenedFile:
    """Return the file with a cache of its own, once its raw data are complete and have digests."""
    try:
        return OpenedFile(_open_unflagged(path, opened), held.left_open)
    except (OSError, RuntimeError, OverflowError):
        return held


def open_to_write(path: Path, opened: contextlib.ExitStack) -> OpenedFile:
    """Open a file for writing. Raises InputError if it cannot be written."""
    try:
        file = opened.enter_context(_h5(path, "r+", libver="latest"))
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"{path}: figures cannot be stored in it ({error}); it may be read-only or in use; "
            f"if a crash left it, `rig recover {quoted(path)}` makes a copy that takes them"
        ) from None
    return OpenedFile(file, left_open=False)


def _opened(path: Path, opened: contextlib.ExitStack) -> OpenedFile:
    found = path.stat()
    identity = found.st_dev, found.st_ino
    earlier = held = _shared.taken(identity)
    if held is None:
        with contextlib.suppress(OSError, RuntimeError):
            plain = _h5(path, "r", locking=False)
            if not plain.swmr_mode:
                return OpenedFile(opened.enter_context(plain), left_open=False)
            # HDF5 shares what this process has open already: it writes the file itself.
            held = _shared.added(identity, OpenedFile(plain, left_open=True))
    if held is None:
        # Still being written, or left open by a crash: readable all the same. Of any other file
        # that is damaged HDF5 waits in this mode for what is missing to be written.
        if not superblock_is_marked(path):
            raise OSError
        live = _h5(path, "r", libver="latest", swmr=True, locking=False)
        held = _shared.added(identity, OpenedFile(live, left_open=True))
    opened.callback(_shared.give_back, identity, held)
    if earlier is None or superblock_is_marked(path):
        return held
    # Closed since this process opened it: nothing changes any more, and HDF5 is not to share it.
    return OpenedFile(_open_unflagged(path, opened), left_open=False)


def _h5(source: Path | UnflaggedFile, mode: str, **options: Any) -> h5py.File:
    return h5py.File(source, mode, rdcc_nbytes=_CACHE_BYTES, **options)


def _open_unflagged(path: Path, opened: contextlib.ExitStack) -> h5py.File:
    with contextlib.ExitStack() as both:
        file = both.enter_context(_h5(both.enter_context(UnflaggedFile(path)), "r"))
        opened.push(both.pop_all())
        return file


def _close(file: h5py.File) -> None:
    """Close a file; that HDF5 may refuse to close a damaged one is ignored."""
    with contextlib.suppress(OSError, RuntimeError):
        file.close()
