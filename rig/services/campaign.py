# SPDX-License-Identifier: GPL-3.0-or-later
"""The making of a campaign's runs, one after the other, and of its index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rig.campaign.folder import free_file
from rig.campaign.index import REASON_MAX, Entry, Index, RunState, store_index
from rig.campaign.matrix import CampaignRun
from rig.campaign.skipping import Abilities, why_not
from rig.config.fixture import Fixture
from rig.errors import BenchError, RefusedError, RigError
from rig.services.abilities import abilities_of
from rig.services.measure import finish, measure, request_of
from rig.services.series import RunOutcome, RunSeries
from rig.session.run import OnProgress
from rig.target.scenario import LOADS

MakeRun = Callable[[CampaignRun, Path], RunOutcome]
"""The function that makes a run and leaves its file. Raises RigError if nothing could be begun."""
OnRun = Callable[[Index, Entry], None]
"""The function that is called before and after each run."""


def skipped_runs(
    cells: Sequence[CampaignRun], fixture: Fixture, on_silence: Callable[[BenchError], None] | None
) -> dict[str, str]:
    """Return the reason for each run that cannot be made, by the run's name.

    `on_silence`: gets why the target could not be asked, which is then taken to be able to do all;
    None: BenchError is raised.
    """
    try:
        abilities = abilities_of(fixture)
    except BenchError as error:
        if on_silence is None:
            raise
        on_silence(error)
        abilities = Abilities(loads=frozenset(LOADS), commands=True)
    reasons = {cell.name: why_not(cell, fixture, abilities) for cell in cells}
    return {name: reason for name, reason in reasons.items() if reason}


def make_run(
    cell: CampaignRun,
    path: Path,
    bench: str,
    calibration: str | None,
    on_progress: OnProgress,
    stop: threading.Event,
) -> RunOutcome:
    """Make a run of the matrix, as `rig run` does; one whose bench fails is left without figures.

    Returns and raises as rig.session.run.run does; the cell has a plan.
    """
    if cell.plan is None:
        raise RefusedError(f"not available: {cell.missing}")
    request = request_of(cell.plan, bench, calibration)
    failure = measure(request, path, on_progress, stop, lambda _text: None)
    if failure is not None:
        return _failed(failure)
    result = finish(path).result
    return RunOutcome(str(result.evaluation.verdict), result.exit_code)


def run_campaign(
    folder: Path,
    index: Index,
    cells: Sequence[CampaignRun],
    skipped: dict[str, str],
    make: MakeRun,
    on_run: OnRun,
    stop: threading.Event,
) -> Index:
    """Make all runs that are not done yet; return the index at the end.

    `skipped`: name of a run to the reason why it is not tried.
    `stop`: the run that is under way ends in order and counts as half.
    Raises InputError if the index cannot be written.
    """
    entries = {entry.name: entry for entry in index.entries}
    left = [cell for cell in cells if not _is_done(entries[cell.name], folder)]
    series = RunSeries((cell, skipped.get(cell.name, "")) for cell in left)

    def keep(entry: Entry) -> None:
        nonlocal index
        index = index.with_entry(entry)
        store_index(folder, index)
        on_run(index, entry)

    for part in series.parts:
        if stop.is_set():
            break
        entry = entries[part.item.name]
        if part.state is RunState.SKIPPED:
            keep(replace(entry, state=RunState.SKIPPED, reason=part.reason[:REASON_MAX]))
            continue
        series.start_next()
        begun = _begun(entry, folder)
        keep(begun)
        path = folder / begun.file
        try:
            outcome = make(part.item, path)
        except RigError as error:
            outcome = _failed(error)
        series.end(outcome)
        ended = replace(begun, file=begun.file if path.exists() else "")
        keep(_half(ended) if stop.is_set() else _ended(ended, outcome))
    return index


def _is_done(entry: Entry, folder: Path) -> bool:
    return entry.state is RunState.DONE and (folder / entry.file).is_file()


def _begun(entry: Entry, folder: Path) -> Entry:
    """Return the entry of a run that begins; the file of an earlier try is kept, as partial."""
    left = entry.file and (folder / entry.file).exists()
    partial_files = (*entry.partial_files, entry.file) if left else entry.partial_files
    file = free_file(folder, entry.name).name
    return replace(
        entry,
        state=RunState.RUNNING,
        file=file,
        verdict="",
        exit_code=None,
        reason="",
        partial_files=partial_files,
    )


def _half(begun: Entry) -> Entry:
    """Return the entry of an interrupted run, which is made again when the campaign goes on."""
    return replace(begun, reason="interrupted")


def _ended(begun: Entry, outcome: RunOutcome) -> Entry:
    return replace(
        begun,
        state=outcome.state,
        verdict=outcome.verdict,
        exit_code=outcome.exit_code,
        reason=outcome.failure[:REASON_MAX],
    )


def _failed(error: RigError) -> RunOutcome:
    return RunOutcome(failure=str(error), refused=isinstance(error, RefusedError))
