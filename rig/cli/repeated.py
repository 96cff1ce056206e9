# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run CAMPAIGN --repeat N --every 12h`: a campaign made again and again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from rig.campaign.folder import locked
from rig.campaign.repetition import Repetition, folder_at, folders_of, is_left, next_due
from rig.cli.cancellation import interruptible
from rig.cli.streams import say
from rig.errors import RigError
from rig.session.results import INTERRUPTED_EXIT_CODE
from rig.shell_words import quoted


def repeat(place: Path, repetition: Repetition, once: Callable[[Path], int]) -> int:
    """Make the campaign as often as asked, in dated folders of `place`; go on where it was left.

    `once`: makes it in a folder and returns the exit code. What cannot be begun at one time is
    told, and tried again at the next. Returns the highest exit code; that of an interruption as
    soon as it comes.
    """
    worst, tried = 0, set[Path]()
    with locked(place):
        while True:
            folders = sorted({*folders_of(place), *tried})
            left = [folder for folder in folders if is_left(folder)]
            if repetition.count is not None and len(folders) - len(left) >= repetition.count:
                break
            last = folders[-1] if folders and folders[-1] in left else None
            folder = _waited(place, folders, repetition) if last in {None, *tried} else last
            if folder is None:
                say("the same command goes on where it was left")
                return INTERRUPTED_EXIT_CODE
            code = _made(folder, once)
            if code == INTERRUPTED_EXIT_CODE or (is_left(folder) and not repetition.every_s):
                return code
            tried.add(folder)
            worst = max(worst, code)
    say(f"history:  rig table {quoted(place)}/*/*.h5 --history -o history.html")
    return worst


def _waited(place: Path, folders: list[Path], repetition: Repetition) -> Path | None:
    """Wait for the next time; return its folder, None if it was interrupted meanwhile."""
    due, left_out = next_due(folders, repetition.every_s, datetime.now(UTC))
    if left_out:
        say(f"{left_out} left out: the one before took longer than the interval", error=True)
    wait_s = (due - datetime.now(UTC)).total_seconds()
    if wait_s > 0:
        say(f"next at {due.astimezone():%Y-%m-%d %H:%M:%S}", error=True, flush=True)
        with interruptible() as stop:
            if stop.wait(wait_s):
                return None
    return folder_at(place, due)


def _made(folder: Path, once: Callable[[Path], int]) -> int:
    try:
        return once(folder)
    except RigError as error:
        say(f"rig: {error}", error=True, flush=True)
        return error.exit_code
