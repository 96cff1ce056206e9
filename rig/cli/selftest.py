# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig selftest --fixture F --save DIR`: the first-day protocol, packed for a bug report."""

from __future__ import annotations

import argparse
import threading
from datetime import datetime
from pathlib import Path

from rig import __version__
from rig.cli.cancellation import interruptible
from rig.cli.findings import finding_lines, is_missing
from rig.cli.progress import progress_for
from rig.cli.streams import say
from rig.config.fixture import REPLAY_PREFIX, load_fixture
from rig.errors import BenchError, InputError
from rig.services.selftest import SOAK, TRIALS, Trial, begun, chapters, packed, tried

SUMMARY = "summary.txt"
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument(
        "--fixture",
        metavar="FIXTURE",
        required=True,
        help="a built-in fixture (`rig fixtures`) or a TOML file",
    )
    parser.add_argument(
        "--save",
        metavar="DIR",
        type=Path,
        required=True,
        help="a new folder for run files, reports and summary; DIR.tar.gz has all of it",
    )
    parser.add_argument(
        "--soak", action="store_true", help=f"a million interrupts too: {SOAK.shows}"
    )


class _Summary:
    """What is printed, and kept line by line in a file, as the next step may be the last one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.codes: list[int] = []

    def say(self, *lines: str) -> None:
        """Print lines and keep them."""
        for line in lines:
            _keep(self._path, line + "\n")
            say(line, flush=True)


def _keep(path: Path, text: str) -> None:
    """Put text at the end of a file. Raises InputError if it cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); make room, or name another folder"
        ) from None


def command(options: argparse.Namespace) -> int:
    """Carry the protocol out; returns the exit code of the first step that did not succeed."""
    if options.fixture.startswith(REPLAY_PREFIX):
        raise InputError("a selftest needs a bench; a run file that is replayed has none")
    fixture = load_fixture(options.fixture)
    archive = begun(options.save)
    summary = _Summary(options.save / SUMMARY)
    _keep(options.save / "fixture.toml", fixture.text)
    today = datetime.now().astimezone().isoformat(timespec="seconds")
    summary.say(f"latency-rig {__version__}, fixture {fixture.name}, {today}", "")
    for title, found in chapters(fixture):
        findings = found()
        summary.say(title, *(f"  {line}" for line in finding_lines(findings)), "")
        summary.codes.append(BenchError.exit_code if is_missing(findings) else 0)
    with interruptible() as stop:
        for trial in (*TRIALS, *([SOAK] if options.soak else [])):
            if not stop.is_set():
                _try(trial, options, stop, summary)
    packed(options.save, archive)
    say(f"archive:  {archive}")
    say("          it names this computer's and the target's hardware, and hosts of the fixture:")
    say("          look through it before you send it to others")
    if stop.is_set():
        return INTERRUPTED
    return next((code for code in summary.codes if code), 0)


def _try(
    trial: Trial, options: argparse.Namespace, stop: threading.Event, summary: _Summary
) -> None:
    with progress_for(quiet=False) as on_progress:
        outcome = tried(
            trial, options.fixture, options.save, on_progress, stop,
            lambda text: say(text, error=True, flush=True),
        )  # fmt: skip
    summary.say(
        f"{outcome.verdict.upper():<12}  {trial.plan}, {trial.count:,} events   ({trial.shows})",
        *(f"              - {line}" for line in outcome.details),
    )
    summary.codes.append(outcome.exit_code)
