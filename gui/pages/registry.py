# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pages there are, in the order of the navigation, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSettings

from gui.pages.page import Page

if TYPE_CHECKING:
    # At run time a page is loaded when it is first entered: together they take seconds.
    from gui.pages.calibrate.page import CalibratePage
    from gui.pages.results.page import ResultsPage
    from gui.pages.run.page import RunPage
    from gui.pages.wire.page import WirePage

FIRST: Final = "run"


@dataclass(frozen=True)
class PageSpec:
    """A page that is made when it is first entered."""

    name: str
    """It is also the name of the page's icon."""
    title: Callable[[], str]
    """Returns the title in the language in force."""
    make: Callable[[Path, QSettings], Page]
    """Makes the page, from the folder of runs and the settings."""


def _wire(_folder: Path, settings: QSettings) -> WirePage:
    from gui.pages.wire.page import WirePage

    return WirePage(settings)


def _run(folder: Path, settings: QSettings) -> RunPage:
    from gui.pages.run.page import RunPage

    return RunPage(folder, settings)


def _results(folder: Path, settings: QSettings) -> ResultsPage:
    from gui.pages.results.page import ResultsPage

    return ResultsPage(folder, settings)


def _calibrate(folder: Path, settings: QSettings) -> CalibratePage:
    from gui.pages.calibrate.page import CalibratePage

    return CalibratePage(folder, settings)


PAGES: Final = (
    PageSpec("wire", lambda: translated("Wire"), _wire),
    PageSpec("run", lambda: translated("Run"), _run),
    PageSpec("results", lambda: translated("Results"), _results),
    PageSpec("calibrate", lambda: translated("Calibrate"), _calibrate),
)


def translated(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("pages", text)
