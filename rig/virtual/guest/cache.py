# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of things that take long to make, shared by all runs of a user."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rig.errors import InputError

_MAKING = "making-"


class Cache:
    """Entries are folders that are there whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls) -> Cache:
        """As the XDG base directory specification has it."""
        base = os.environ.get("XDG_CACHE_HOME", "")
        root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
        return cls(root / "latency-rig" / "guest")

    def entry(self, name: str, make: Callable[[Path], None]) -> Path:
        """The folder of this name; if there is none, `make` fills a new one first.

        Raises InputError if the cache cannot be written, and whatever `make` raises: then nothing
        of it stays.
        """
        entry = self.folder / name
        if entry.is_dir():
            return entry
        with self._alone():
            if not entry.is_dir():  # else another run has made it meanwhile
                self._make(entry, make)
        return entry

    def _make(self, entry: Path, make: Callable[[Path], None]) -> None:
        making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self.folder))
        try:
            make(making)
            making.chmod(0o755)
            making.rename(entry)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One run at a time makes entries; the lock ends with its process."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("a")
        except OSError as error:
            raise InputError(
                f"{self.folder}: the guest's cache cannot be written ({error.strerror}); "
                "set XDG_CACHE_HOME to a folder that can"
            ) from None
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_halves()
            yield

    def _remove_halves(self) -> None:
        """What a killed run has left: with the lock held, nobody is at work on it."""
        for half in self.folder.glob(f"{_MAKING}*"):
            shutil.rmtree(half, ignore_errors=True)
