# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of tables kept from one time to the next, so that a folder of runs is not read again.

A database of the user's own, beside other caches: a folder of runs may be anybody's, and one that
brings its own figures could show what its files do not hold. Rows are known by the file's path, and
count only while device, inode, size and both times of the file are what they were. Nothing depends
on the database: where it cannot be written it is not, and where it is damaged it is made anew.
docs/decisions/0034 has the reasons.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple, Self

from rig import __version__
from rig.closing import Closing
from rig.report.tables.record import Record
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_value

LAYOUT: Final = 1
"""To be raised whenever a record is made of a file in another way."""
NAME: Final = "figures.sqlite3"
ROWS_MAX: Final = 100_000
PAGES_MAX: Final = 1 << 16
"""Of 4 KiB."""
RECORDS_MAX: Final = 64
"""Of one file."""
SETTLED_NS: Final = 2 * 10**9
"""A file changed later than this before it was read is not kept: within the resolution of a file
system's times it could change again and look the same."""
_WAIT_S: Final = 2.0
_TEXT_MAX: Final = 1 << 20
_TABLE: Final = (
    "CREATE TABLE figures (path BLOB PRIMARY KEY, stamp TEXT NOT NULL, records TEXT NOT NULL, "
    "digest BLOB NOT NULL, used_day INTEGER NOT NULL) WITHOUT ROWID"
)
_DAY_S: Final = 86_400


class Stamp(NamedTuple):
    """What a file is known by; any change to it changes one of them."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """Raises OSError."""
        found = path.stat()
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def is_settled(self) -> bool:
        """Its last change is so long ago that the next one will show."""
        return time.time_ns() - max(self.modified_ns, self.changed_ns) > SETTLED_NS


def index_path() -> Path:
    """In $XDG_CACHE_HOME, as the XDG Base Directory Specification has it: absolute, or ignored."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path("~/.cache").expanduser()
    return root / "latency-rig" / NAME


class FiguresIndex(Closing):
    """Records by files. Never raises: what cannot be had or stored is not."""

    def __init__(self, path: Path, note: Callable[[str], None]) -> None:
        """`note` gets a line if the database was damaged."""
        self._path, self._note = path, note
        self._new: list[tuple[bytes, str, str, bytes, int]] = []
        self._used: list[tuple[int, bytes]] = []
        self._today = int(time.time()) // _DAY_S
        self._database = self._opened()

    def find(self, files: Mapping[Path, Stamp]) -> dict[Path, list[Record]]:
        """Of those of these files that are as they were; paths are absolute."""
        found: dict[Path, list[Record]] = {}
        damaged = 0
        try:
            for path, stamp in files.items() if self._database is not None else ():
                key = os.fsencode(path)
                row = self._row(key)
                if row is None or row[0] != _stamp_text(stamp):
                    continue
                records = _records(key, *row[:3])
                if records is None:
                    damaged += 1
                    continue
                found[path] = records
                if row[3] != self._today:
                    self._used.append((self._today, key))
        except sqlite3.Error as error:
            self._give_up(error)
            return {}
        if damaged:
            self._note(f"{self._path}: {damaged} rows are damaged; these runs are read again")
        return found

    def add(self, path: Path, stamp: Stamp, records: list[Record]) -> None:
        """Remember a file's records, found while it had this stamp; stored by `close`."""
        with contextlib.suppress(OSError):
            if not stamp.is_settled or Stamp.of(path) != stamp or len(records) > RECORDS_MAX:
                return
            key, known = os.fsencode(path), _stamp_text(stamp)
            text = json.dumps([asdict(record) for record in records], separators=(",", ":"))
            if len(text) <= _TEXT_MAX:
                self._new.append((key, known, text, _digest(key, known, text), self._today))

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
            except (sqlite3.Error, ValueError):
                if turn == 0:
                    self._note(f"{self._path}: is damaged and made anew; runs are read again")
                self._remove()
            except OSError:
                return None
        return None

    def _connected(self) -> sqlite3.Connection:
        """Raises OSError, sqlite3.Error, ValueError if it is not as this file makes it."""
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
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * _TEXT_MAX)
            for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                database.execute(f"PRAGMA {setting}")
            database.execute(f"PRAGMA max_page_count = {PAGES_MAX}")
            _prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _row(self, key: bytes) -> tuple[str, str, bytes, object] | None:
        assert self._database is not None  # noqa: S101 - asked only while it is open
        row = self._database.execute(
            "SELECT stamp, records, digest, used_day FROM figures WHERE path = ?", (key,)
        ).fetchone()
        if row is None or not isinstance(row[2], bytes):
            return None
        return str(row[0]), str(row[1]), row[2], row[3]

    def _store(self, database: sqlite3.Connection) -> None:
        """All or nothing; the rows used longest ago go if there are too many."""
        database.execute("BEGIN IMMEDIATE")
        database.executemany("UPDATE figures SET used_day = ? WHERE path = ?", self._used)
        database.executemany("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?)", self._new)
        (count,) = database.execute("SELECT count(*) FROM figures").fetchone()
        if count > ROWS_MAX:
            database.execute(
                "DELETE FROM figures WHERE path IN "
                "(SELECT path FROM figures ORDER BY used_day LIMIT ?)",
                (count - ROWS_MAX,),
            )
        database.execute("COMMIT")

    def _give_up(self, error: sqlite3.Error) -> None:
        """Use it no more; one that is damaged is removed, and made anew the next time."""
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
    """Make the table of a new database. Raises ValueError for another table than that."""
    version = _version()
    found = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    (stored,) = database.execute("PRAGMA user_version").fetchone()
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
    """A number for this version of the rig and of the layout."""
    text = f"{LAYOUT} {__version__}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "little") >> 1


def _stamp_text(stamp: Stamp) -> str:
    return " ".join(map(str, stamp))


def _digest(key: bytes, stamp: str, text: str) -> bytes:
    """Over all of a row, so that a flipped bit shows no wrong figure."""
    parts = (key, stamp.encode(), text.encode())
    whole = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return hashlib.sha256(whole).digest()


def _records(key: bytes, stamp: str, text: str, digest: bytes) -> list[Record] | None:
    """None for a row that is not as `add` made it."""
    if _digest(key, stamp, text) != digest:
        return None
    try:
        return [decoded(Record, each) for each in json_value(text)]
    except (ValueError, TypeError):
        return None
