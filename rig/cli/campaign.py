# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run CAMPAIGN --fixture FIXTURE`: many runs, kept in one folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final

from rich.table import Table

from rig.campaign.folder import locked, opened
from rig.campaign.index import Entry, Index, RunState, load_index
from rig.campaign.matrix import CampaignRun, cells_of
from rig.campaign.plan import CampaignPlan, load_campaign
from rig.campaign.repetition import Repetition, refuse_repeated, repetition_of
from rig.cli.cancellation import interruptible
from rig.cli.progress import progress_for
from rig.cli.repeated import repeat
from rig.cli.streams import say
from rig.config.fixture import REPLAY_PREFIX, Fixture, load_fixture
from rig.errors import BenchError, InputError, RefusedError, input_error
from rig.printable import json_text
from rig.report.console import SafeConsole
from rig.services.campaign import make_run, run_campaign, skipped_runs
from rig.services.duration import expected_s, in_words
from rig.services.series import RunOutcome
from rig.session.results import INTERRUPTED_EXIT_CODE
from rig.shell_words import quoted

_FAILED: Final = 3
_NOT_MEASURED: Final = RefusedError.exit_code
_WORST_FIRST: Final = (_FAILED, 4, _NOT_MEASURED, 1)


def command(options: argparse.Namespace, file: Path) -> int:
    """Make the campaign's runs that are not there yet; `file` is its plan.

    Returns the exit code: 0 if every run that was tried passed, and one was tried; else the worst.
    Raises RigError if nothing could be begun.
    """
    _refuse_foreign(options)
    campaign = load_campaign(file, options.count)
    fixture = load_fixture(options.fixture)
    place = options.out or Path("runs") / f"{campaign.name}-{fixture.name}"
    repetition = repetition_of(options.repeat, options.every)
    if options.junit is not None:
        from rig.report.junit import check_junit  # takes long to load

        check_junit(options.junit)
    once = partial(_once, options, campaign, fixture, repetition)
    if repetition is None:
        refuse_repeated(place)
    if repetition is None or options.dry_run:
        return once(place)
    return repeat(place, repetition, once)


def _once(
    options: argparse.Namespace,
    campaign: CampaignPlan,
    fixture: Fixture,
    repetition: Repetition | None,
    folder: Path,
) -> int:
    """Make the campaign in this folder, or show what would be made. Raises RigError."""
    cells = cells_of(campaign)
    skipped = skipped_runs(cells, fixture, _say_silence if options.dry_run else None)
    console = SafeConsole(stderr=options.json, quiet=options.quiet)
    left_s = _show_plan(console, campaign, cells, skipped, folder, fixture)
    if options.dry_run:
        if repetition is not None:
            _show_repetition(console, repetition, left_s)
        return 0
    with locked(folder):
        index = opened(folder, campaign, cells, fixture)
        index = _execute(options, folder, index, cells, skipped)
    if options.junit is not None:
        from rig.report.junit_campaign import write_campaign

        write_campaign(options.junit, folder, index)
    return _told(options, folder, index, interrupted=_left(index, folder))


def _execute(
    options: argparse.Namespace,
    folder: Path,
    index: Index,
    cells: Sequence[CampaignRun],
    skipped: dict[str, str],
) -> Index:
    quiet = options.quiet or options.json
    with interruptible() as stop:

        def make(cell: CampaignRun, path: Path) -> RunOutcome:
            with progress_for(quiet=quiet) as on_progress:
                bench, calibration = options.fixture, options.calibration
                return make_run(cell, path, bench, calibration, on_progress, stop)

        tell = _silent if quiet else partial(_tell_run, skipped)
        return run_campaign(folder, index, cells, skipped, make, tell, stop)


def _refuse_foreign(options: argparse.Namespace) -> None:
    """Check that no option is given that means nothing to a campaign."""
    for name in ("seed", "period", "timer"):
        if getattr(options, name, None) is not None:
            raise input_error(
                f"--{name}", None, "", "not for a campaign", "its plan's set and vary tables"
            )
    if options.repeat is not None or options.every is not None:
        for name in ("json", "junit"):
            if getattr(options, name):
                raise InputError(
                    f"--{name}: not with --repeat and --every; `rig table` reads what they leave"
                )
    if options.fixture.startswith(REPLAY_PREFIX):
        raise InputError("a campaign measures; a run that is replayed has nothing to be measured")


def _show_plan(
    console: SafeConsole,
    campaign: CampaignPlan,
    cells: Sequence[CampaignRun],
    skipped: dict[str, str],
    folder: Path,
    fixture: Fixture,
) -> float:
    """Print what will be made, what will not and why, and how long it takes; return that."""
    index = load_index(folder)
    done = {e.name for e in index.entries if e.state is RunState.DONE} if index else set()
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for head in ("run", "measures", "scenario", "events", "about"):
        table.add_column(head, justify="right" if head in ("events", "about") else "left")
    left_s = 0.0
    for cell in cells:
        about = "done" if cell.name in done else "-"
        if cell.plan is not None and cell.name not in done | skipped.keys():
            run_s = expected_s(cell.plan, fixture)
            left_s += run_s
            about = in_words(run_s)
        count = "-" if cell.plan is None else f"{cell.plan.count:,}"
        table.add_row(
            cell.name, cell.measurement, cell.scenario, count,
            "skipped" if cell.name in skipped else about,
        )  # fmt: skip
    console.print(f"{campaign.name}: {campaign.title}", highlight=False, markup=False)
    console.print(table)
    for name, reason in skipped.items():
        console.print(f"skipped {name}: {reason}", highlight=False, markup=False, soft_wrap=True)
    console.print(
        f"{len(cells)} runs: {len(done)} done, {len(skipped)} skipped, the others take about "
        f"{in_words(left_s)}; folder {folder}",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
    return left_s


def _show_repetition(console: SafeConsole, repetition: Repetition, once_s: float) -> None:
    """Print how often it is made, how long that takes, and whether it fits the interval."""
    count, every_s = repetition.count, repetition.every_s
    often = "until interrupted" if count is None else f"{count} times"
    text = f"{often}, {f'every {in_words(every_s)}' if every_s else 'one after the other'}"
    if count is not None:
        text += f": about {in_words((count - 1) * max(every_s, once_s) + once_s)} in all"
    console.print(text, highlight=False, markup=False)
    if 0 < every_s < once_s:
        console.print(
            f"once takes about {in_words(once_s)}, longer than {in_words(every_s)}: "
            "what is due meanwhile is left out",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip


def _tell_run(skipped: dict[str, str], index: Index, entry: Entry) -> None:
    """Print a line before and after each run; why runs are skipped was printed before."""
    if entry.name in skipped:
        return
    number = 1 + [each.name for each in index.entries].index(entry.name)
    what = entry.verdict or entry.state
    line = f"[{number}/{len(index.entries)}] {entry.name}: {what}"
    say(line + (f", {entry.reason}" if entry.reason else ""), error=True, flush=True)


def _left(index: Index, folder: Path) -> bool:
    """Return whether a run was not tried, or only in part, as the campaign was interrupted."""
    return any(
        entry.state in (RunState.PLANNED, RunState.RUNNING)
        or (entry.state is RunState.DONE and not (folder / entry.file).is_file())
        for entry in index.entries
    )


def _told(options: argparse.Namespace, folder: Path, index: Index, *, interrupted: bool) -> int:
    if options.json:
        sys.stdout.write(json_text({"folder": str(folder), **asdict(index)}, indent=2) + "\n")
    else:
        counts = (f"{index.state_count(state)} {state}" for state in RunState)
        say(", ".join(text for text in counts if not text.startswith("0 ")))
        if not index.state_count(RunState.DONE):
            say("nothing was measured")
        say(f"tables:   rig table {quoted(folder)}")
        if interrupted:
            say("the same command goes on where it was left")
    if interrupted:
        return INTERRUPTED_EXIT_CODE
    codes = {entry.exit_code for entry in index.entries if entry.state is RunState.DONE}
    if index.state_count(RunState.FAILED):
        codes.add(_FAILED)
    if index.state_count(RunState.REFUSED) or not codes:
        codes.add(_NOT_MEASURED)
    return next((code for code in _WORST_FIRST if code in codes), 0)


def _silent(_index: Index, _entry: Entry) -> None:
    """Print nothing."""


def _say_silence(error: BenchError) -> None:
    say(f"rig: not asked what it can do: {error}", error=True)
