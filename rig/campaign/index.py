# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's folder: run files, and an index that says what became of each run.

The index is replaced as a whole after each change, so it is whole after any kill. It may come from
elsewhere: it is checked when read, and names of files in it lead nowhere but into its folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from rig.campaign.matrix import RUNS_MAX, Cell
from rig.errors import InputError

NAME: Final = "campaign.json"
FORMAT: Final = "latency-rig campaign"
VERSION: Final = 1
MAX_BYTES: Final = 64 << 20
TEXT_MAX: Final = 2000
_FILE = re.compile(r"[a-z0-9][a-z0-9-]{0,80}\.h5")


class State(StrEnum):
    """What became of a run."""

    PLANNED = "planned"
    RUNNING = "running"
    """Or its process was killed: it is made again, as another file."""
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Entry:
    """One run of the matrix."""

    name: str
    measurement: str
    scenario: str
    fingerprint: str
    """Of its plan, see Cell."""
    state: State = State.PLANNED
    file: str = ""
    """Its run file; of a failed or half run the last one."""
    verdict: str = ""
    exit_code: int | None = None
    """As `rig run` would have ended; None unless it is done."""
    reason: str = ""
    """Why it failed or was skipped."""
    half: tuple[str, ...] = ()
    """Files of earlier tries, which did not get to their end."""


@dataclass(frozen=True)
class Index:
    """All runs of a campaign in their order."""

    name: str
    title: str
    fixture: str
    fixture_fingerprint: str
    text: str
    """Of the campaign's plan."""
    entries: tuple[Entry, ...] = field(default=())

    def with_entry(self, entry: Entry) -> Index:
        """The same with this one in place of that of its name."""
        return replace(
            self, entries=tuple(entry if e.name == entry.name else e for e in self.entries)
        )

    def state_count(self, state: State) -> int:
        return sum(entry.state is state for entry in self.entries)


def entries_of(cells: Iterable[Cell]) -> tuple[Entry, ...]:
    """Before anything is measured."""
    return tuple(Entry(c.name, c.measurement, c.scenario, c.fingerprint) for c in cells)


def store_index(folder: Path, index: Index) -> None:
    """Replace the folder's index. Raises InputError if it cannot be written."""
    path, new = folder / NAME, folder / f"{NAME}.new"
    document = {"format": FORMAT, "version": VERSION, **asdict(index)}
    try:
        with new.open("w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); runs that are done are kept: "
            "free some space or mend the folder, then give the same command again"
        ) from None


def load_index(folder: Path) -> Index | None:
    """None if the folder has none. Raises InputError if it is not one of this rig's."""
    path = folder / NAME
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"over {MAX_BYTES >> 20} MiB")
        return _index(json.loads(data))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path}: is no index of a campaign ({what[:200]})") from None


def _index(document: Any) -> Index:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"format is not {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"version {document.get('version')!r:.20}, this rig reads {VERSION}: update latency-rig"
        )
    entries = document["entries"]
    if not isinstance(entries, list) or len(entries) > RUNS_MAX:
        raise ValueError("entries are no list of runs")
    head = {
        key: _text(document, key, MAX_BYTES)
        for key in ("name", "title", "fixture", "fixture_fingerprint", "text")
    }
    found = tuple(map(_entry, entries))
    if len({entry.name for entry in found}) < len(found):
        raise ValueError("two runs of one name")
    return Index(**head, entries=found)


def _entry(values: Any) -> Entry:
    if not isinstance(values, dict):
        raise TypeError("a run is no object")
    half, code = values["half"], values["exit_code"]
    if not isinstance(half, list) or len(half) > RUNS_MAX:
        raise ValueError("half is no list of files")
    if code is not None and type(code) is not int:
        raise ValueError(f"exit_code is {code!r:.20}")
    file = _text(values, "file")
    return Entry(
        **{
            key: _text(values, key)
            for key in ("name", "measurement", "scenario", "fingerprint", "verdict", "reason")
        },
        state=State(values["state"]),
        file=_file(file) if file else "",
        exit_code=code,
        half=tuple(map(_file, half)),
    )


def _text(values: Mapping[str, Any], key: str, length_max: int = TEXT_MAX) -> str:
    value = values[key]
    if not isinstance(value, str) or len(value) > length_max:
        raise ValueError(f"{key} is {value!r:.40}")
    return value


def _file(name: object) -> str:
    if not isinstance(name, str) or not _FILE.fullmatch(name):
        raise ValueError(f"{name!r:.40} is no run file's name")
    return name
