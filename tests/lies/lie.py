# SPDX-License-Identifier: GPL-3.0-or-later
"""A lie, and how it is handed to the lying virtual bench: by a file that the bench reads."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = "RIG_LIES"
"""Environment variable with the folder where the lie is, and where the truth goes."""
_LIE, _TRUTH = "lie.json", "truth.npy"


@dataclass(frozen=True)
class Told:
    """What a part of the bench does wrong in the next run."""

    liar: str = ""
    """`agent`, `analyzer` or `firmware`; "": nobody."""
    name: str = ""
    size: int = 0
    """In the unit of this lie."""
    sample_rate_hz: int = 24_000_000
    once_samples: int = 0
    """When an analyzer tells what it tells once: so many samples behind the first edge."""

    @property
    def unstated(self) -> bool:
        """It is told on a bench of whose analyzer's clock nothing is known."""
        return self.name == "rate_unstated"


def folder() -> Path:
    """Where lie and truth are."""
    return Path(os.environ[FOLDER])


def truth_path(where: Path) -> Path:
    """The rows (dtype rig.virtual.truth.TRUTH) of the last run that was stopped."""
    return where / _TRUTH


def tell(told: Told, where: Path) -> None:
    """For the next run."""
    (where / _LIE).write_text(json.dumps(asdict(told)), encoding="utf-8")


def told(liar: str) -> Told:
    """What this part is to do wrong now; nothing if another one lies."""
    now = Told(**json.loads((folder() / _LIE).read_text(encoding="utf-8")))
    return now if now.liar == liar else Told()
