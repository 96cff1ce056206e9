# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's folder while runs are made: begun or gone on with, by one process at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rig.campaign.index import NAME, Index, entries_of, load_index, store_index
from rig.campaign.matrix import CampaignRun
from rig.campaign.plan import CampaignPlan
from rig.config.fixture import Fixture
from rig.errors import InputError

LOCK: Final = "campaign.lock"
TRIES_MAX: Final = 1000


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder if need be, and keep other campaigns out of it. Raises InputError.

    The lock ends with the process, however that ends.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise InputError(f"{folder}: no folder for a campaign ({error.strerror})") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{folder}: another campaign is running in it; wait for it") from None
        yield
    finally:
        os.close(lock)


def opened(
    folder: Path, campaign: CampaignPlan, cells: Sequence[CampaignRun], fixture: Fixture
) -> Index:
    """The folder's index, begun if it has none.

    Raises InputError if it is another campaign's, of other runs or another bench: nothing that was
    measured is mixed up, and nothing overwritten.
    """
    fingerprint = hashlib.sha256(fixture.text.encode()).hexdigest()
    new = Index(
        campaign.name,
        campaign.title,
        fixture.name,
        fingerprint,
        campaign.text,
        entries_of(cells, fixture),
    )
    old = load_index(folder)
    if old is None:
        store_index(folder, new)
        return new
    differs = _difference(old, new)
    if differs:
        raise InputError(f"{folder / NAME}: {differs}; name another folder with --out")
    return old


def _difference(old: Index, new: Index) -> str:
    if old.name != new.name:
        return f"is that of campaign {old.name}, not {new.name}"
    if (old.fixture, old.fixture_fingerprint) != (new.fixture, new.fixture_fingerprint):
        changed = "as it was before it was changed" if old.fixture == new.fixture else ""
        return f"was made on fixture {old.fixture} {changed}".rstrip()
    before = {entry.name: entry.fingerprint for entry in old.entries}
    for entry in new.entries:
        if before.pop(entry.name, None) != entry.fingerprint:
            return f"was begun with another plan for run {entry.name}"
    return f"was begun with a run {next(iter(before))}, which is none any more" if before else ""


def free_file(folder: Path, name: str) -> Path:
    """A run file's name in the folder that none of its files has had. Raises InputError."""
    taken = {path.name.partition(".")[0] for path in folder.iterdir()}
    for number in range(1, TRIES_MAX):
        stem = name if number == 1 else f"{name}-{number}"
        if stem not in taken:
            return folder / f"{stem}.h5"
    raise InputError(f"{folder}: run {name} was tried {TRIES_MAX} times; name another folder")
