# SPDX-License-Identifier: GPL-3.0-or-later
"""Every part of a run file beside the digest that was stored of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rig.record.digest import (
    Parts,
    figures_parts,
    raw_parts,
    stored_figures,
    whole_digest,
)
from rig.record.layout import DIGESTS_SINCE
from rig.record.reader import RunFile


class Held(StrEnum):
    """The result of comparing a file with its digests."""

    HOLDS = "holds"
    DIFFERS = "differs"
    NOT_CLOSED = "not closed"
    """The file has no digest yet: it is being written, or a crash left it."""
    NO_DIGEST = "no digest"
    """The file is of a format version that had no digests."""


@dataclass(frozen=True)
class FilePart:
    """One part of a file; a digest that is missing is ""."""

    name: str
    stored: str
    found: str

    @property
    def holds(self) -> bool:
        """Whether the part is as it was stored."""
        return self.stored == self.found


@dataclass(frozen=True)
class Examined:
    """A run file and all its parts."""

    path: Path
    held: Held
    digest: str
    """The digest of all raw data as they are now; "" if none was stored."""
    raw: tuple[FilePart, ...]
    figures: tuple[FilePart, ...]
    figures_of_raw: bool
    """Whether the stored figures, if any, were computed from these raw data."""


def examine(path: Path) -> Examined:
    """Compare a file with its digests. Raises InputError for what cannot be read as a run file."""
    with RunFile(path, checked=False) as run:
        stored = run.digests
        if not stored and run.format_version < DIGESTS_SINCE:
            return Examined(path, Held.NO_DIGEST, "", (), (), figures_of_raw=True)
        if not stored and run.left_open:
            return Examined(path, Held.NOT_CLOSED, "", (), (), figures_of_raw=True)
        file = run.stored
        found = raw_parts(file, str(path))
        of_raw, figures = stored_figures(file, str(path))
        computed = figures_parts(file, str(path))
    digest = whole_digest(found)
    fits = not computed or of_raw == digest
    raw_rows, figures_rows = _beside(stored, found), _beside(figures, computed)
    holds = fits and all(part.holds for part in (*raw_rows, *figures_rows))
    held = Held.HOLDS if holds else Held.DIFFERS
    return Examined(path, held, digest, raw_rows, figures_rows, figures_of_raw=fits)


def _beside(stored: Parts, found: Parts) -> tuple[FilePart, ...]:
    names = sorted(stored.keys() | found.keys())
    return tuple(FilePart(name, stored.get(name, ""), found.get(name, "")) for name in names)
