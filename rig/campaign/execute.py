# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the runs of a campaign, one after the other, and keeps the index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rig.campaign.folder import free_file
from rig.campaign.index import REASON_MAX, Entry, Index, State, store_index
from rig.campaign.matrix import Cell
from rig.errors import RefusedError, RigError


@dataclass(frozen=True)
class Made:
    """What came of one run that was begun."""

    verdict: str = ""
    exit_code: int | None = None
    """As `rig run` would have ended; None if it failed."""
    failure: RigError | None = None


MakeRun = Callable[[Cell, Path], Made]
"""Makes a run and leaves its file. Raises RigError if nothing could be begun."""
OnRun = Callable[[Index, Entry], None]
"""Told before and after each run."""


def execute(
    folder: Path,
    index: Index,
    cells: Sequence[Cell],
    skipped: dict[str, str],
    make: MakeRun,
    on_run: OnRun,
    stop: threading.Event,
) -> Index:
    """Make all runs that are not done yet; returns the index at the end.

    `skipped`: name of a run to the reason why it is not tried.
    `stop`: the run that is under way ends in order and counts as half.
    Raises InputError if the index cannot be written.
    """
    for cell in cells:
        if stop.is_set():
            break
        entry = next(entry for entry in index.entries if entry.name == cell.name)
        if entry.state is State.DONE and (folder / entry.file).is_file():
            continue
        reason = skipped.get(cell.name, "")
        if reason:
            ended = replace(entry, state=State.SKIPPED, reason=reason[:REASON_MAX])
        else:
            begun = _begun(entry, folder)
            index = index.with_entry(begun)
            store_index(folder, index)
            on_run(index, begun)
            ended = _made(begun, cell, folder, make, stop)
        index = index.with_entry(ended)
        store_index(folder, index)
        on_run(index, ended)
    return index


def _begun(entry: Entry, folder: Path) -> Entry:
    """What an earlier try has left is kept, and named as half."""
    left = entry.file and (folder / entry.file).exists()
    half = (*entry.half, entry.file) if left else entry.half
    file = free_file(folder, entry.name).name
    return Entry(
        entry.name, entry.measurement, entry.scenario, entry.fingerprint, State.RUNNING, file,
        half=half,
    )  # fmt: skip


def _made(begun: Entry, cell: Cell, folder: Path, make: MakeRun, stop: threading.Event) -> Entry:
    path = folder / begun.file
    try:
        made = make(cell, path)
    except RigError as error:
        made = Made(failure=error)
    file = begun.file if path.exists() else ""
    if stop.is_set():
        return replace(begun, file=file, reason="interrupted")
    if made.failure is None:
        return replace(
            begun, state=State.DONE, file=file, verdict=made.verdict, exit_code=made.exit_code
        )
    cannot = isinstance(made.failure, RefusedError)
    return replace(
        begun,
        state=State.SKIPPED if cannot else State.FAILED,
        file=file,
        reason=str(made.failure)[:REASON_MAX],
    )
