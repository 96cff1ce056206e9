# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.gui.clickthrough FOLDER`: the window as a new user uses it, in pictures.

A real window on a real screen, used by mouse and keyboard alone: wire, run, results, calibrate,
light and dark. Where to click is asked of a second window of the same size without a screen.
Pictures show the folder of run files: `--runs` names one that may be seen.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.cli.command import rig
from tests.gui.screen import OpenWindow, screen, wait_until

PAGES = ("wire", "run", "results", "calibrate")
WIDTH, HEIGHT = 1280, 720
FRAME = 48
"""Room for a window manager's frame."""


@dataclass
class Seen:
    """What a click-through found out."""

    run: Path = Path()
    clicks: int = 0
    """Of the mouse, from the start to the finished run."""
    pictures: list[Path] = field(default_factory=list)
    exit_code: int = -1


@cache
def places() -> dict[str, tuple[float, float]]:
    """Centers of what is clicked, in device-independent pixels of a window of first size."""
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QToolButton, QWidget

    from gui.app import application
    from gui.navigation import Navigation
    from gui.theme import theme
    from gui.window import MainWindow

    with tempfile.TemporaryDirectory() as scratch:
        settings = QSettings(f"{scratch}/twin.ini", QSettings.Format.IniFormat)
        app = application()
        theme().begin(settings)
        window = MainWindow(Path(scratch), settings)
        window.resize(WIDTH, HEIGHT)
        window.show()
        app.processEvents()

        def center(widget: QWidget) -> tuple[float, float]:
            point = widget.mapTo(window, widget.rect().center())
            return point.x(), point.y()

        found = {"run": center(window.page("run").chooser.run)}
        buttons = window.findChild(Navigation).findChildren(QToolButton)
        for name, button in zip(PAGES, buttons, strict=True):
            found[f"page {name}"] = center(button)
        window.page("results").release()
        window.close()
        window.deleteLater()
        app.processEvents()
    return found


def environment_of(screen_of: dict[str, str], home: Path, scale: float = 1) -> dict[str, str]:
    """A user with no settings yet."""
    own = {"XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
           "LANG": "C.UTF-8", "LANGUAGE": "", "QT_SCALE_FACTOR": str(scale)}  # fmt: skip
    return {**screen_of, **own}


def first_run(window: OpenWindow, runs: Path, scale: float = 1) -> Path:
    """From the open window to a finished run; its file."""
    x, y = places()["run"]
    before = set(runs.glob("*.h5"))
    window.click(x * scale, y * scale)
    wait_until(lambda: window.title.startswith("Measuring"), "a measurement")
    wait_until(lambda: window.title.startswith("Run"), "its end")
    (run,) = set(runs.glob("*.h5")) - before
    return run


def click_through(home: Path, runs: Path, pictures: Path, scale: float = 1) -> Seen:
    """All pages once, with a picture of each, light and dark."""
    seen = Seen()
    runs.mkdir(parents=True, exist_ok=True)
    with screen(round(WIDTH * scale) + FRAME, round(HEIGHT * scale) + 2 * FRAME) as shown:
        window = OpenWindow(environment_of(shown, home, scale), runs)
        try:
            seen.run = first_run(window, runs, scale)
            seen.clicks = window.clicks
            _look_at_all(window, _taker(window, pictures, seen), scale)
        finally:
            seen.exit_code = window.close()
    return seen


def _taker(window: OpenWindow, folder: Path, seen: Seen) -> Callable[[str], None]:
    def take(name: str) -> None:
        window.rest()
        file = folder / f"gui-{name}.png"
        window.picture(file)
        seen.pictures.append(file)

    return take


def _look_at_all(window: OpenWindow, take: Callable[[str], None], scale: float) -> None:
    at = {name: (x * scale, y * scale) for name, (x, y) in places().items()}
    for colors, key in (("light", "ctrl+alt+l"), ("dark", "ctrl+alt+d")):
        window.key(key)
        _enter(window, at, "Run")
        take(f"run-{colors}")
        _enter(window, at, "Wire")
        take(f"wire-virtual-{colors}")
        _enter(window, at, "Results")
        window.key("F6")
        take(f"results-report-{colors}")
        window.key("F7")
        take(f"results-events-{colors}")
        window.key("ctrl+4")
        take(f"calibrate-{colors}")


def _enter(window: OpenWindow, at: dict[str, tuple[float, float]], title: str) -> None:
    window.click(*at[f"page {title.lower()}"])
    wait_until(lambda: window.title.startswith(title), title)


def main() -> None:
    """Take the pictures."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        seen = click_through(Path(home), options.runs, options.pictures, options.scale)
    print(rig("show", seen.run).stdout)
    print(f"{seen.clicks} clicks to a finished run, exit code {seen.exit_code}")


if __name__ == "__main__":
    main()
