# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign made again and again: a folder each time, named after the time when it was due.

The folders are all that is known of it, so the same command goes on wherever it was left.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from rig.campaign.index import NAME, RunState, load_index
from rig.errors import InputError, input_error
from rig.toml.units import UnitKind

INTERVAL: Final = UnitKind("interval", "s", {"s": 1, "min": 60, "h": 3600, "d": 86400}, "12 h")
INTERVAL_MAX_S: Final = 366 * 86400
COUNT_MAX: Final = 100_000
_STAMP: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Repetition:
    """How often a campaign is made, and at which interval."""

    count: int | None
    """The number of times; None: until it is interrupted."""
    every_s: int
    """The time from the begin of one to the begin of the next; 0: as soon as one has ended."""


def repetition_of(count: int | None, every: str | None) -> Repetition | None:
    """Return what the options ask for; None for a campaign made once. Raises InputError."""
    if count is None and every is None:
        return None
    if count is not None and not 1 <= count <= COUNT_MAX:
        raise input_error("--repeat", None, "", f"{count} is out of range", f"1 to {COUNT_MAX}")
    try:
        every_s = 0 if every is None else INTERVAL.parse(every)
    except ValueError as error:
        raise input_error("--every", None, "", str(error), f"such as {INTERVAL.example}") from None
    if every is not None and not 1 <= every_s <= INTERVAL_MAX_S:
        raise input_error("--every", None, "", f"{every} is out of range", "1 s to 366 d")
    return Repetition(count, every_s)


def folders_of(place: Path) -> list[Path]:
    """Return the folders of the times that it was made, oldest first.

    Raises InputError if the place is the folder of a campaign that was made once.
    """
    if (place / NAME).exists():
        raise InputError(
            f"{place}: is the folder of a campaign that was made once; name another with --out"
        )
    found = [path for path in place.iterdir() if _due(path) is not None] if place.is_dir() else []
    return sorted(found)


def refuse_repeated(place: Path) -> None:
    """Raises InputError if campaigns that are repeated lie there."""
    if place.is_dir() and any(_due(path) is not None for path in place.iterdir()):
        raise InputError(
            f"{place}: is the folder of campaigns that are repeated; give --repeat or --every as "
            "before, or name another with --out"
        )


def is_left(folder: Path) -> bool:
    """Return whether runs of a folder are still to be made. Raises InputError."""
    index = load_index(folder)
    return index is None or any(
        entry.state in (RunState.PLANNED, RunState.RUNNING) for entry in index.entries
    )


def next_due(folders: list[Path], every_s: int, now: datetime) -> tuple[datetime, int]:
    """Return when the next one is due, and how many were left out as others took too long.

    Times are an interval apart from the first on, however long one takes.
    """
    last = _due(folders[-1]) if folders else None
    if last is None or not every_s:
        return now.replace(microsecond=0), 0
    late = max(0, int((now - last).total_seconds()) // every_s - 1)
    return last + timedelta(seconds=(late + 1) * every_s), late


def folder_at(place: Path, due: datetime) -> Path:
    """Return the folder of the time that is due then."""
    return place / due.astimezone(UTC).strftime(_STAMP)


def _due(path: Path) -> datetime | None:
    try:
        return datetime.strptime(path.name, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
