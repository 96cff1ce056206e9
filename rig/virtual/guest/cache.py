# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of things that take long to make, shared by all runs of a user."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rig.errors import BenchError, InputError

KEEP = 8
"""The number of entries kept of a kind, those used last: all fixtures' kernels, a few older."""
KEEP_S = 3600
"""The time for which an entry stays in any case: a run may be about to open it."""

_MAKING = "making-"
_KIND = re.compile(r"[^0-9_]*")
_LOOK_S = 0.1


class Cache:
    """A cache whose entries are folders that are there whole or not at all."""

    def __init__(self, folder: Path, stop: threading.Event | None = None) -> None:
        """`stop` ends the wait for another run that makes an entry."""
        self.folder = folder
        self._stop = threading.Event() if stop is None else stop

    @classmethod
    def of_user(cls, stop: threading.Event | None = None) -> Cache:
        """Return the user's cache, placed as in the XDG base directory specification."""
        base = os.environ.get("XDG_CACHE_HOME", "")
        root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
        return cls(root / "latency-rig" / "guest", stop)

    def entry(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the folder of this name; if there is none, `make` fills a new one first.

        What its name begins with, up to a digit or `_`, is its kind: of each kind the entries used
        last are kept. Raises InputError if the cache cannot be written, BenchError if the bench
        ends meanwhile, and whatever `make` raises: then nothing of it stays.
        """
        entry = self.folder / name
        if _use(entry):
            return entry
        with self._alone():
            if not _use(entry):  # else another run has made it meanwhile
                self._make(entry, make)
                self._remove_old()
        return entry

    def _make(self, entry: Path, make: Callable[[Path], None]) -> None:
        making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self.folder))
        try:
            make(making)
            making.chmod(0o755)
            os.utime(making)
            making.rename(entry)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock by which one run at a time makes entries; it ends with its process."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("a")
        except OSError as error:
            raise InputError(
                f"{self.folder}: the guest's cache cannot be written ({error.strerror}); "
                "set XDG_CACHE_HOME to a folder that can"
            ) from None
        with lock:
            self._wait_for(lock)
            self._remove_halves()
            yield

    def _wait_for(self, lock: IO[str]) -> None:
        """Wait for another run, perhaps minutes; a wait inside the kernel would not see `stop`."""
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if self._stop.wait(_LOOK_S):
                raise BenchError(
                    "the virtual bench was ended while it waited for another run to fill "
                    f"{self.folder}"
                )

    def _remove_halves(self) -> None:
        """Remove what killed runs have left: with the lock held, nobody is at work on it."""
        for half in self.folder.glob(f"{_MAKING}*"):
            shutil.rmtree(half, ignore_errors=True)

    def _remove_old(self) -> None:
        kinds = defaultdict(list)
        for entry in self.folder.iterdir():
            if entry.is_dir():
                kinds[_kind(entry.name)].append((entry.stat().st_mtime, entry))
        for entries in kinds.values():
            for used, entry in sorted(entries)[:-KEEP]:
                if time.time() - used > KEEP_S:
                    self._remove(entry)

    def _remove(self, entry: Path) -> None:
        """Remove an entry in one step for everyone else: it is never there in part."""
        going = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self.folder))
        with contextlib.suppress(OSError):
            entry.rename(going / entry.name)
        shutil.rmtree(going, ignore_errors=True)


def _kind(name: str) -> str:
    found = _KIND.match(name)
    return found[0] if found else ""


def _use(entry: Path) -> bool:
    """Return whether an entry is there; if so, it counts as used now."""
    with contextlib.suppress(PermissionError):  # another user's: it can be read all the same
        try:
            os.utime(entry)
        except (FileNotFoundError, NotADirectoryError):
            return False
    return entry.is_dir()
