# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of a fixture's calibration, and the choice of the one that a run uses."""

from __future__ import annotations

import os
from pathlib import Path

from rig.config.calibration.file import calibration_file_text, parse_calibration
from rig.config.calibration.record import Calibration
from rig.config.fixture import Fixture
from rig.errors import InputError
from rig.resources import fixture_names

SUFFIX = ".calibration.toml"
NONE = "none"
"""Said in place of a file: use no calibration."""


def calibration_path(fixture: Fixture) -> Path:
    """Return the path beside the fixture's file; a built-in one's is in the user's data folder."""
    if fixture.source in fixture_names():
        return _data_home() / "latency-rig" / "calibration" / f"{fixture.name}.toml"
    file = Path(fixture.source)
    return file.with_name(file.stem + SUFFIX)


def chosen_text(fixture: Fixture, asked: str | None) -> str:
    """Text of the calibration that a run of this fixture uses; "" if there is none.

    `asked`: a file, NONE, or None for the fixture's own, should there be one. Raises InputError if
    the file cannot be used, or is of another fixture: an error of long ago must not go unseen.
    """
    if asked == NONE:
        return ""
    path = calibration_path(fixture) if asked is None else Path(asked)
    if asked is None and not (_has_place(fixture) and path.exists()):
        return ""
    text = calibration_file_text(path)
    require_fixture(parse_calibration(text, str(path)), fixture, str(path))
    return text


def require_fixture(calibration: Calibration, fixture: Fixture, source: str) -> None:
    """Raises InputError if it is of another fixture."""
    if calibration.fixture != fixture.name:
        raise InputError(
            f"{source}: is a calibration of fixture {calibration.fixture}, not of {fixture.name}; "
            "give one that is, or none"
        )


def _has_place(fixture: Fixture) -> bool:
    """A fixture that is only a text, such as that of a run file, has nothing beside it."""
    return fixture.source in fixture_names() or Path(fixture.source).is_file()


def _data_home() -> Path:
    """$XDG_DATA_HOME, as the XDG Base Directory Specification has it: absolute, or ignored."""
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return told if told.is_absolute() else Path.home() / ".local" / "share"
