# SPDX-License-Identifier: GPL-3.0-or-later
"""One line of the table of runs: what a run file has of itself, without any computation."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

from gui.models.runs.vetting import vet_in_subprocess
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.report.tables.figures_index import FiguresIndex, IndexKind, stamps_of
from rig.session.settings_check import checked_settings
from rig.session.stored_results import stored_result
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_value
from rig.untrusted.toml_reader import toml_table

LIVE_S = 3.0
"""The silence after which a run without an end was killed: one that goes on writes more often."""

PATIENCE_S = 5.0
"""The time limit of a look at a file; the window may be about to close."""


@dataclass(frozen=True)
class FileState:
    """The attributes of a file that change when it does."""

    size: int
    modified_ns: int


@dataclass(frozen=True)
class RunFacts:
    """The facts that a run file has of itself."""

    created: str = ""
    """The time of creation in ISO 8601, UTC."""
    measurement: str = ""
    scenario: str = ""
    plan: str = ""
    fixture: str = ""
    state: str = ""
    verdict: str = ""
    """The verdict; "": no figures are stored yet."""
    stimuli: int | None = None
    latencies: int | None = None
    average_ns: float | None = None
    max_ns: float | None = None
    p99_ns: float | None = None
    edges: int = 0
    duration_s: float = 0.0
    """The duration of the capture, by the analyzer's clock."""


@dataclass(frozen=True, kw_only=True)
class RunEntry(RunFacts):
    """A run file at one moment."""

    path: Path
    stamp: FileState
    problem: str = ""
    """The reason why the file could not be read; "" if it could."""
    vetted: bool = True
    """Whether this process has looked at the file; else the facts are from the index."""

    @property
    def is_running(self) -> bool:
        """Whether the run has no end: it goes on, or was left by a crash."""
        return self.state == "running" and not self.problem


def stamp_of(path: Path) -> FileState:
    """Return the state of a file. Raises OSError if the file is gone."""
    found = path.stat()
    return FileState(found.st_size, found.st_mtime_ns)


def kept_entry(index: FiguresIndex, path: Path, stamp: FileState) -> RunEntry | None:
    """Return what was seen of an unchanged file before; None: it is to be looked at."""
    whole = path.absolute()
    text = index.find(IndexKind.ENTRY, stamps_of([whole])).get(whole)
    if text is None:
        return None
    try:
        facts = decoded(RunFacts, json_value(text))
    except (ValueError, TypeError):
        return None
    return RunEntry(**vars(facts), path=path, stamp=stamp, vetted=False)


def new_entry(index: FiguresIndex, path: Path, stamp: FileState) -> RunEntry:
    """Return `read_entry`, and keep it in the index if there is nothing wrong with the file."""
    whole = path.absolute()
    known_by = stamps_of([whole]).get(whole)
    entry = read_entry(path, stamp)
    if known_by is not None and not entry.problem and not entry.is_running:
        facts = {each.name: getattr(entry, each.name) for each in fields(RunFacts)}
        index.add(IndexKind.ENTRY, whole, known_by, json.dumps(facts, separators=(",", ":")))
    return entry


def read_entry(path: Path, stamp: FileState) -> RunEntry:
    """Look at a file that may be anybody's. Never raises: what is wrong with it is in the entry."""
    try:
        vet_in_subprocess(path, PATIENCE_S)
        with RunFile(path) as file:
            return _entry(file, stamp)
    except InputError as error:
        return RunEntry(path=path, stamp=stamp, problem=str(error))


def _entry(file: RunFile, stamp: FileState) -> RunEntry:
    settings = checked_settings(file)
    result = stored_result(file)
    facts = RunEntry(
        path=file.path,
        stamp=stamp,
        created=file.created,
        measurement=settings.measurement,
        scenario=settings.scenario,
        plan=_name(file.text("plan"), "plan"),
        fixture=_name(file.text("fixture"), "fixture"),
        state=file.state,
        edges=file.edge_count,
        duration_s=file.covered_samples / settings.sample_rate_hz,
    )
    if result is None:
        return facts
    figures = result.evaluation.figures
    return RunEntry(
        **{
            **vars(facts),
            "verdict": str(result.evaluation.verdict),
            "stimuli": result.evaluation.counts.n,
            "latencies": figures.n,
            "average_ns": figures.average_ns,
            "max_ns": figures.max_ns,
            "p99_ns": figures.p99_ns,
        }
    )


def _name(text: str, table: str) -> str:
    """Return the name that a plan or a fixture gives itself; "" if it has none."""
    try:
        name = toml_table(text)[table]["name"]
    except (ValueError, KeyError, TypeError):
        return ""
    return name if isinstance(name, str) else ""
