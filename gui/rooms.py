# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pages there are, in the order of the navigation, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QSettings

from gui.pages.page import Page

RESULTS: Final = "gui.pages.results.page"
CALIBRATE: Final = "gui.pages.calibrate.page"
FIRST: Final = "run"


@dataclass(frozen=True)
class Room:
    """A page that is made when it is first entered."""

    name: str
    """Also of its icon."""
    title: Callable[[], str]
    """In the language in force."""
    make: Callable[[Path, QSettings], Page]
    """From the folder of runs and the settings."""


def _wire(_folder: Path, settings: QSettings) -> Page:
    from gui.pages.wire.page import WirePage

    return WirePage(settings)


def _run(folder: Path, settings: QSettings) -> Page:
    from gui.pages.run.page import RunPage

    return RunPage(folder, settings)


def _results(folder: Path, settings: QSettings) -> Page:
    if find_spec(RESULTS) is None:
        return _empty(
            "results",
            translated("`rig show FILE` shows a run, its report opens in a browser."),
        )
    page: Page = import_module(RESULTS).ResultsPage(folder, settings)
    return page


def _calibrate(folder: Path, settings: QSettings) -> Page:
    if find_spec("gui.pages.calibrate") is not None and find_spec(CALIBRATE) is not None:
        page: Page = import_module(CALIBRATE).CalibratePage(folder, settings)
        return page
    return _empty(
        "calibrate",
        translated(
            "There is no calibration to be made here yet: figures contain what the bench adds."
        ),
    )


def _empty(name: str, text: str) -> Page:
    from gui.pages.empty import EmptyPage

    room = next(room for room in ROOMS if room.name == name)
    return EmptyPage(room.title(), text)


ROOMS: Final = (
    Room("wire", lambda: translated("Wire"), _wire),
    Room("run", lambda: translated("Run"), _run),
    Room("results", lambda: translated("Results"), _results),
    Room("calibrate", lambda: translated("Calibrate"), _calibrate),
)


def translated(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("rooms", text)
