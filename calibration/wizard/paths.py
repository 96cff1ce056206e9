# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of the files of wizards that were begun."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from rig.config.calibration.paths import SUFFIX
from rig.errors import InputError

STATE_NAME = "state.json"


@dataclass(frozen=True)
class WizardPaths:
    """The files of one wizard, side by side."""

    state: Path

    @property
    def fixture(self) -> Path:
        """The fixture as far as it is known, until it is saved where the user wants it."""
        return self.state.with_name(f"{self._stem}.toml")

    @property
    def calibration(self) -> Path:
        """The fixture's own calibration."""
        return self.state.with_name(self._stem + SUFFIX)

    @property
    def outdated(self) -> Path:
        """A calibration of wires that have been changed since."""
        return self.state.with_name(f"{self._stem}.outdated{SUFFIX}")

    @property
    def as_found(self) -> Path:
        """The wiring as found, while it is on other channels than the fixture's."""
        return self.state.with_name(f"{self._stem}.as-found")

    @property
    def _stem(self) -> str:
        """The name without suffix; it keeps a state from being mistaken for a fixture."""
        return "bench" if self.state.name == STATE_NAME else f"{self.state.stem}-bench"

    def clear(self) -> None:
        """Remove the files, as all is saved elsewhere."""
        for path in (self.state, self.fixture, self.calibration, self.outdated, self.as_found):
            path.unlink(missing_ok=True)
        if self.state.name == STATE_NAME:
            try:
                self.state.parent.rmdir()
            except OSError:
                return  # somebody else's files are in it


def place_of(name: str) -> WizardPaths:
    """Return the paths of this bench's wizard, in the user's own folder for such things."""
    return WizardPaths(_home() / name / STATE_NAME)


def unfinished() -> tuple[str, ...]:
    """Return the names of the benches whose wizards were begun, sorted."""
    try:
        return tuple(sorted(file.parent.name for file in _home().glob(f"*/{STATE_NAME}")))
    except OSError as error:
        raise InputError(f"{_home()}: cannot be read ({error.strerror})") from None


def _home() -> Path:
    """Return the folder of wizards in $XDG_STATE_HOME: that is absolute, or ignored."""
    told = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = told if told.is_absolute() else Path.home() / ".local" / "state"
    return base / "latency-rig" / "wizard"
