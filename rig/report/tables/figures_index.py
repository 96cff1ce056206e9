# SPDX-License-Identifier: GPL-3.0-or-later
"""Index of what is shown of run files, by which a folder of them is not read again each time.

It is a database of the user's own, as other caches: a folder of runs may be anybody's, and one that
brings its own figures could show what its files do not hold. Rows are known by the file's path and
by what was made of it, and count only while device, inode, size and both times of the file are what
they were. Nothing depends on the database: where it cannot be written it is not, and where it is
damaged it is made anew. docs/decisions/0034 has the reasons.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Self

from rig import __version__
from rig.closing import Closing

LAYOUT: Final = 5
"""Version of the texts, to be raised whenever they are made of a file in another way."""
NAME: Final = "figures.sqlite3"
ROWS_MAX: Final = 100_000
PAGES_MAX: Final = 1 << 16
"""Largest number of pages of 4 KiB."""
SETTLED_NS: Final = 2 * 10**9
"""A file changed later than this before it was read is not kept: within the resolution of a file
system's times it could change again and look the same."""
_WAIT_S: Final = 2.0
TEXT_MAX: Final = 1 << 16
"""Longest text that is kept of one file; what is longer is made again each time."""
_TABLE: Final = (
    "CREATE TABLE figures (path BLOB NOT NULL, kind TEXT NOT NULL, stamp TEXT NOT NULL, "
    "made TEXT NOT NULL, digest BLOB NOT NULL, used_day INTEGER NOT NULL, "
    "PRIMARY KEY (path, kind)) WITHOUT ROWID"
)
_DAY_S: Final = 86_400


class IndexKind(StrEnum):
    """The kind of text that is made of a run file."""

    RECORDS = "records"
    """Rows of tables."""
    RIDGE = "ridge"
    """The run's histogram, for the history of a system."""
    ENTRY = "entry"
    """The run's line in the window's list of runs."""


class _OutdatedError(Exception):
    """The database is of another version of the rig."""


class FileIdentity(NamedTuple):
    """The identity of a file's content; any change to the file changes one of its values."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the identity of a file. Raises OSError."""
        found = path.stat()
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def is_settled(self) -> bool:
        """Whether the last change is so long ago that the next one will show."""
        return time.time_ns() - max(self.modified_ns, self.changed_ns) > SETTLED_NS


def stamps_of(paths: Iterable[Path]) -> dict[Path, FileIdentity]:
    """Return the identities of those files that exist; whoever opens others gets the error."""
    stamps = {}
    for path in paths:
        with contextlib.suppress(OSError):
            stamps[path] = FileIdentity.of(path)
    return stamps


def index_path() -> Path:
    """Return the index's path in $XDG_CACHE_HOME if that is absolute, as XDG asks, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path("~/.cache").expanduser()
    return root / "latency-rig" / NAME


class FiguresIndex(Closing):
    """Texts by files and kinds. It never raises: what cannot be read or stored is left out."""

    def __init__(self, path: Path, note: Callable[[str], None]) -> None:
        """Open the database; `note` gets a line if it was damaged."""
        self._path, self._note = path, note
        self._new: list[tuple[bytes, str, str, str, bytes, int]] = []
        self._used: list[tuple[int, bytes, str]] = []
        self._today = int(time.time()) // _DAY_S
        self._database = self._opened()

    def find(self, kind: IndexKind, files: Mapping[Path, FileIdentity]) -> dict[Path, str]:
        """Return the texts of those of these files that are unchanged; paths are absolute.

        The caller must decode the texts as untrusted ones.
        """
        found: dict[Path, str] = {}
        damaged = 0
        try:
            for path, stamp in files.items() if self._database is not None else ():
                key = os.fsencode(path)
                row = self._row(key, kind)
                if row is None or row[0] != _stamp_text(stamp):
                    continue
                if _digest(key, kind, *row[:2]) != row[2]:
                    damaged += 1
                    continue
                found[path] = row[1]
                if row[3] != self._today:
                    self._used.append((self._today, key, kind))
        except sqlite3.Error as error:
            self._give_up(error)
            return {}
        if damaged:
            self._note(f"{self._path}: {damaged} rows are damaged; these runs are read again")
        return found

    def add(self, kind: IndexKind, path: Path, stamp: FileIdentity, made: str) -> None:
        """Remember what was made of a file while it had this stamp; stored by `close`."""
        with contextlib.suppress(OSError):
            if len(made) > TEXT_MAX or not stamp.is_settled or FileIdentity.of(path) != stamp:
                return
            key, known = os.fsencode(path), _stamp_text(stamp)
            digest = _digest(key, kind, known, made)
            self._new.append((key, kind, known, made, digest, self._today))

    def close(self) -> None:
        """Store what is new; may be called twice."""
        database, self._database = self._database, None
        if database is None:
            return
        with contextlib.closing(database), contextlib.suppress(sqlite3.Error):
            if self._new or self._used:
                self._store(database)

    # --- the database -----------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection | None:
        for turn in range(2):
            try:
                return self._connected()
            except sqlite3.OperationalError:  # locked, read-only, no room: all the same
                return None
            except _OutdatedError:
                self._remove()
            except (sqlite3.Error, ValueError):
                if turn == 0:
                    self._note(f"{self._path}: is damaged and made anew; runs are read again")
                self._remove()
            except OSError:
                return None
        return None

    def _connected(self) -> sqlite3.Connection:
        """Open the file. Raises OSError, sqlite3.Error, _OutdatedError, ValueError for another."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            own = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if not stat.S_ISREG(own.st_mode) or own.st_uid != os.geteuid():
            raise PermissionError(f"{self._path} is another user's")
        database = sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)
        try:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * TEXT_MAX)
            for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                database.execute(f"PRAGMA {setting}")
            database.execute(f"PRAGMA max_page_count = {PAGES_MAX}")
            _prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _row(self, key: bytes, kind: IndexKind) -> tuple[str, str, bytes, object] | None:
        assert self._database is not None  # noqa: S101 - asked only while it is open
        row = self._database.execute(
            "SELECT stamp, made, digest, used_day FROM figures WHERE path = ? AND kind = ?",
            (key, kind),
        ).fetchone()
        if row is None or not isinstance(row[2], bytes):
            return None
        return str(row[0]), str(row[1]), row[2], row[3]

    def _store(self, database: sqlite3.Connection) -> None:
        """Store all rows or none; those used longest ago are removed if there are too many."""
        database.execute("BEGIN IMMEDIATE")
        database.executemany(
            "UPDATE figures SET used_day = ? WHERE path = ? AND kind = ?", self._used
        )
        database.executemany("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?, ?)", self._new)
        (count,) = database.execute("SELECT count(*) FROM figures").fetchone()
        if count > ROWS_MAX:
            database.execute(
                "DELETE FROM figures WHERE (path, kind) IN "
                "(SELECT path, kind FROM figures ORDER BY used_day LIMIT ?)",
                (count - ROWS_MAX,),
            )
        database.execute("COMMIT")

    def _give_up(self, error: sqlite3.Error) -> None:
        """Use the database no more; a damaged one is removed, and made anew the next time."""
        database, self._database = self._database, None
        if database is not None:
            database.close()
        if not isinstance(error, sqlite3.OperationalError):
            self._note(f"{self._path}: is damaged and removed; runs are read again")
            self._remove()

    def _remove(self) -> None:
        for name in (NAME, f"{NAME}-journal"):
            with contextlib.suppress(OSError):
                self._path.with_name(name).unlink()


def _prepare(database: sqlite3.Connection) -> None:
    """Make the table of a new database. Raises _OutdatedError, ValueError for another table."""
    version = _version()
    found = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    (stored,) = database.execute("PRAGMA user_version").fetchone()
    if found and stored not in (0, version):
        raise _OutdatedError
    if found and found != [("table", "figures", _TABLE)]:
        raise ValueError("another table")
    if found and stored == version:
        (checked,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if checked != "ok":
            raise ValueError(checked)
        return
    database.execute("BEGIN IMMEDIATE")
    database.execute("DROP TABLE IF EXISTS figures")
    database.execute(_TABLE)
    database.execute(f"PRAGMA user_version = {version}")
    database.execute("COMMIT")


def _version() -> int:
    """Return a number for this version of the rig and of the layout."""
    text = f"{LAYOUT} {__version__}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "little") >> 1


def _stamp_text(stamp: FileIdentity) -> str:
    return " ".join(map(str, stamp))


def _digest(key: bytes, kind: str, stamp: str, made: str) -> bytes:
    """Return the digest of all of a row, so that a flipped bit shows no wrong figure."""
    parts = (key, kind.encode(), stamp.encode(), made.encode())
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return hashlib.sha256(whole).digest()
