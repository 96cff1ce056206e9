# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pages there are, in the order of the navigation, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QSettings

from gui.pages.page import Page
from rig.errors import InputError

FIRST: Final = "run"
GROUP: Final = "latency_rig.pages"
"""Entry points of other packages, each of which leads to a PageSpec; docs/how-to/add-a-page.md."""


@dataclass(frozen=True)
class PageSpec:
    """A page that is made when it is first entered."""

    name: str
    """By which it is entered, and remembered as the last one."""
    title: Callable[[], str]
    """Returns the title in the language in force."""
    icon: str
    """Strokes of its icon: SVG elements in a square of 24 by 24, drawn without a fill."""
    make: Callable[[Path, QSettings], Page]
    """Makes the page, from the folder of runs and the settings; imports it there, since together
    the pages take seconds to load."""


def _wire(_folder: Path, settings: QSettings) -> Page:
    from gui.pages.wire.page import WirePage

    return WirePage(settings)


def _run(folder: Path, settings: QSettings) -> Page:
    from gui.pages.run.page import RunPage

    return RunPage(folder, settings)


def _results(folder: Path, settings: QSettings) -> Page:
    from gui.pages.results.page import ResultsPage

    return ResultsPage(folder, settings)


def _calibrate(folder: Path, settings: QSettings) -> Page:
    from gui.pages.calibrate.page import CalibratePage

    return CalibratePage(folder, settings)


PAGES: Final = (
    PageSpec(
        name="wire",
        title=lambda: translated("Wire"),
        icon='<circle cx="5" cy="6" r="2"/><circle cx="19" cy="18" r="2"/>'
        '<path d="M7 6h5v12h5M7 18H4M17 6h3"/>',
        make=_wire,
    ),
    PageSpec(
        name="run",
        title=lambda: translated("Run"),
        icon='<path d="M3 17h4V7h5v10h5V7h4"/>',
        make=_run,
    ),
    PageSpec(
        name="results",
        title=lambda: translated("Results"),
        icon='<path d="M4 4v16h16M8 16v-3M12 16V7M16 16v-6M20 16v-1"/>',
        make=_results,
    ),
    PageSpec(
        name="calibrate",
        title=lambda: translated("Calibrate"),
        icon='<circle cx="12" cy="12" r="8"/><path d="M12 12l4-4M12 4v2M20 12h-2M4 12h2"/>',
        make=_calibrate,
    ),
)
"""Those of this package."""


def all_pages() -> tuple[PageSpec, ...]:
    """Those of this package, and behind them those that other packages add.

    Raises InputError for one of another package that cannot be used.
    """
    return (*PAGES, *(_added(each.name, each.load) for each in entry_points(group=GROUP)))


def _added(name: str, load: Callable[[], object]) -> PageSpec:
    try:
        spec = load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"page {name} of another package: {error}; remove the package") from None
    if not isinstance(spec, PageSpec) or any(spec.name == each.name for each in PAGES):
        raise InputError(f"page {name} of another package: no PageSpec with a name of its own")
    return spec


def translated(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("pages", text)
