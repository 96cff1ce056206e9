# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's folder: run files, and an index with the state of each run.

The index is replaced as a whole after each change, so it is whole after any kill. It may come from
elsewhere: it is checked when read, and names of files in it lead nowhere but into its folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from rig.campaign.matrix import RUNS_MAX, CampaignRun
from rig.config.fixture import Fixture
from rig.errors import InputError
from rig.files import replace_atomically
from rig.measurements.registry import measurement_of
from rig.session.settings import settings_of
from rig.untrusted.decode import Length, NumberRange, decoded
from rig.untrusted.json_reader import BYTES_MAX, found, json_object

NAME: Final = "campaign.json"
FORMAT: Final = "latency-rig campaign"
VERSION: Final = 1
_OLDER_PARTIAL_FILES: Final = "half"
"""The key of `partial_files` in indexes that earlier rigs wrote."""
PLAN_MAX: Final = 1 << 20
REASON_MAX: Final = 2000
ROWS_MAX: Final = 100
Text = Annotated[str, Length(REASON_MAX)]
_FILE = re.compile(r"[a-z0-9][a-z0-9-]{0,80}\.h5")


class RunState(StrEnum):
    """The state of a run."""

    PLANNED = "planned"
    RUNNING = "running"
    """The run goes on, or its process was killed: it is made again, as another file."""
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The run was not tried: it is known beforehand that the bench cannot make it."""
    REFUSED = "refused"
    """The run was tried, and the target refused it before anything was measured."""
    LEFT_OUT = "left out"
    """The series ended before the run; a campaign has none of these, its runs stay planned."""


@dataclass(frozen=True)
class RowName:
    """The names of a row that a run has in tables."""

    subject: Text
    variant: Text = ""
    by: Text = ""


@dataclass(frozen=True)
class Entry:
    """One run of the matrix."""

    name: Text
    measurement: Text
    scenario: Text
    fingerprint: Text
    """The fingerprint of its plan, see CampaignRun."""
    state: RunState = RunState.PLANNED
    file: Text = ""
    """The run file; of a failed or partial run the last one."""
    verdict: Text = ""
    exit_code: Annotated[int, NumberRange(0, 255)] | None = None
    """The exit code with which `rig run` would have ended; None unless it is done."""
    reason: Text = ""
    """The reason why it failed, was refused or was skipped."""
    partial_files: Annotated[tuple[Text, ...], Length(RUNS_MAX)] = ()
    """The files of earlier tries, which did not get to their end."""
    rows: Annotated[tuple[RowName, ...], Length(ROWS_MAX)] = ()
    """The rows that it has in tables, whether it is made or not; none of an unknown measurement."""

    def __post_init__(self) -> None:
        """Check the files. Raises ValueError for one that is not in the campaign's folder."""
        for name in filter(None, (self.file, *self.partial_files)):
            if not _FILE.fullmatch(name):
                raise ValueError(f"{found(name)} is no run file's name")


@dataclass(frozen=True)
class Index:
    """All runs of a campaign in their order."""

    name: Text
    title: Text
    fixture: Text
    fixture_fingerprint: Text
    text: Annotated[str, Length(PLAN_MAX)]
    """The text of the campaign's plan."""
    entries: Annotated[tuple[Entry, ...], Length(RUNS_MAX)] = field(default=())

    def with_entry(self, entry: Entry) -> Index:
        """Return the index with this entry in place of that of its name."""
        return replace(
            self, entries=tuple(entry if e.name == entry.name else e for e in self.entries)
        )

    def state_count(self, state: RunState) -> int:
        return sum(entry.state is state for entry in self.entries)


def entries_of(cells: Iterable[CampaignRun], fixture: Fixture) -> tuple[Entry, ...]:
    """Return the entries before anything is measured."""
    return tuple(
        Entry(c.name, c.measurement, c.scenario, c.fingerprint, rows=_rows_of(c, fixture))
        for c in cells
    )


def _rows_of(cell: CampaignRun, fixture: Fixture) -> tuple[RowName, ...]:
    """Return the rows that a run will have in tables; none if they cannot be known."""
    if cell.plan is None:
        return ()
    rate_hz, clock_hz = fixture.analyzer.sample_rate_hz, fixture.stimulus.chip.clock_hz
    try:
        settings = settings_of(cell.plan, fixture, rate_hz, clock_hz)
    except (InputError, ValueError):
        return ()  # plan and fixture do not fit: it is skipped
    measurement = measurement_of(settings.measurement)
    variant = measurement.variant(settings)
    return tuple(
        RowName(row.subject, f"{row.part} {variant}".strip(), row.by)
        for row in measurement.unmade_rows(settings)
    )


def store_index(folder: Path, index: Index) -> None:
    """Replace the folder's index. Raises InputError if it cannot be written."""
    path = folder / NAME
    document = {"format": FORMAT, "version": VERSION, **asdict(index)}
    try:
        with replace_atomically(path) as new:
            new.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); runs that are done are kept: "
            "free some space or mend the folder, then give the same command again"
        ) from None


def load_index(folder: Path) -> Index | None:
    """Read the folder's index, None if it has none. Raises InputError if it is not this rig's."""
    path = folder / NAME
    try:
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return _index(json_object(data))
    except ValueError as error:
        raise InputError(f"{path}: is no index of a campaign: {error}") from None


def _index(document: dict[str, Any]) -> Index:
    if document.get("format") != FORMAT:
        raise ValueError(f"format is not {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"version {found(document.get('version'))}, this rig reads {VERSION}: "
            "update latency-rig"
        )
    entries = document.get("entries")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and _OLDER_PARTIAL_FILES in entry:
            entry["partial_files"] = entry.pop(_OLDER_PARTIAL_FILES)
    index = decoded(Index, document, ignore_unknown=True)
    if len({entry.name for entry in index.entries}) < len(index.entries):
        raise ValueError("two runs of one name")
    return index
