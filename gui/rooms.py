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
FIRST: Final = "run"


@dataclass(frozen=True)
class Room:
    """A page that is made when it is first entered."""

    name: str
    """Also of its icon."""
    title: str
    """In English; `translated` gives it in the language in force."""
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
        return _empty("Results", "`rig show FILE` shows a run, its report opens in a browser.")
    page: Page = import_module(RESULTS).ResultsPage(folder, settings)
    return page


def _calibrate(_folder: Path, _settings: QSettings) -> Page:
    return _empty(
        "Calibrate",
        "There is no calibration to be made here yet: figures contain what the bench adds.",
    )


def _empty(title: str, text: str) -> Page:
    from gui.pages.empty import EmptyPage

    return EmptyPage(translated(title), translated(text))


ROOMS: Final = (
    Room("wire", "Wire", _wire),
    Room("run", "Run", _run),
    Room("results", "Results", _results),
    Room("calibrate", "Calibrate", _calibrate),
)


def translated(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("rooms", text)
