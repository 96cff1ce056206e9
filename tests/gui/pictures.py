# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.gui.pictures FOLDER`: the window's pages in pictures, for docs/images.

A window without a screen on the virtual bench. tests.gui.calibrate_pictures has the wizard,
tests.gui.troubles what fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QItemSelectionModel, QSettings
from PySide6.QtWidgets import QApplication, QWidget

from gui.app import application
from gui.theme import theme
from gui.translations.language import choose_language, speak
from gui.window import MainWindow
from rig.config.fixture import load_fixture
from tests.cli.command import rig

ENDS_S = 200
REST_S = 1.5
"""Time for what comes after a run: its waveform, what was found on this machine."""
SLOW = """
service_time = "100 us"
"""


def wait_until(true: Callable[[], object], what: str) -> None:
    """Let the window live meanwhile."""
    end_s = time.monotonic() + ENDS_S
    while not true():
        QApplication.processEvents()
        time.sleep(0.01)
        if time.monotonic() > end_s:
            raise TimeoutError(what)


class Pictures:
    """A window of a new user, and where its pictures go."""

    def __init__(self, home: Path, folder: Path) -> None:
        self._folder, self._home = folder, home
        self.settings = QSettings(str(home / "settings.ini"), QSettings.Format.IniFormat)
        theme().choose("light")
        self.window = self._opened()

    def _opened(self) -> MainWindow:
        window = MainWindow(self._home / "runs", self.settings)
        window.resize(1280, 720)
        window.show()
        return window

    def page(self, name: str) -> QWidget:
        """The page, in front."""
        self.window.enter(name)
        return self.window.page(name)

    def take(self, name: str, colors: str = "light") -> None:
        """Keep what is seen, once it has come to rest."""
        theme().choose(colors)
        rested_s = time.monotonic() + REST_S
        wait_until(lambda: time.monotonic() > rested_s, "rest")
        picture = self._folder / f"gui-{name}.png"
        self.window.grab().save(str(picture))
        few = ("-dither", "None", "-colors", "256", "-strip", f"png8:{picture}")
        subprocess.run(["convert", str(picture), *few], check=True)  # a third of the size
        theme().choose("light")
        print(name)

    def speaking(self, language: str) -> None:
        """The same in another language."""
        self.window.close()
        choose_language(language, self.settings)
        speak(application(), self.settings)
        self.window = self._opened()


def run_pages(pictures: Pictures, home: Path) -> None:
    """What a run shows at its end, and a series in its midst."""
    page = pictures.page("run")
    _measured(page)
    pictures.take("run-light")
    page.use_bench("virtual-misbehaving")
    _measured(page)
    pictures.take("run-misbehaving-dark", "dark")
    slow = home / "slow.toml"
    text = load_fixture("virtual").text
    slow.write_text(text.replace("[virtual.target]", f"[virtual.target]{SLOW.rstrip()}"))
    page.choose_fixture(slow)
    page.chooser.plans.setCurrentText("saturation")
    page.chooser.count.setValue(600)
    _measured(page)
    pictures.take("run-saturation-light")
    page.use_bench("virtual")
    page.menu["several"].trigger()
    page.chooser.series.tick(
        ["interrupt", "interrupt-burst", "interrupt-poisson", "period", "task-switch"]
    )
    page.chooser.count.setValue(1500)
    page.toggle()
    wait_until(lambda: page.chooser.series.text("period").endswith("running"), "periods")
    wait_until(lambda: page.snapshot.answers > 700, "half of the periods")
    pictures.take("run-several-light")
    page.toggle()
    wait_until(lambda: page.series.is_over, "the end of the series")
    page.menu["several"].trigger()


def _measured(page: QWidget) -> None:
    page.toggle()
    wait_until(lambda: page.engine.is_running, "a run")
    wait_until(lambda: not page.engine.is_running, "its end")


def result_pages(pictures: Pictures, runs: Path) -> None:
    """Report, events and comparison of what was measured."""
    page = pictures.page("results")
    wait_until(lambda: page.folder.model.rowCount() == len(list(runs.glob("*.h5"))), "all runs")
    _chosen(page, runs / "interrupt.h5")
    page.menu["report"].trigger()
    pictures.take("results-report-light")
    page.table.search.setText("misbehaving")
    _chosen(page, runs / "interrupt-faults.h5")
    page.menu["events"].trigger()
    page.menu["worst"].trigger()
    pictures.take("results-events")
    page.table.search.setText("")
    flag = QItemSelectionModel.SelectionFlag
    for number, name in enumerate(("interrupt.h5", "interrupt-poisson.h5")):
        (row,) = (
            row
            for row in range(page.table.shown.rowCount())
            if page.table.shown.index(row, 2).data() == Path(name).stem
        )
        how = flag.ClearAndSelect if number == 0 else flag.Select
        page.table.view.selectionModel().select(page.table.shown.index(row, 0), how | flag.Rows)
    page.menu["compare"].trigger()
    pictures.take("results-compare")
    page.release()


def _chosen(page: QWidget, run: Path) -> None:
    assert page.table.select(run)
    wait_until(lambda: "Witnesses" in page.report.text.toPlainText(), "a report")


def wire_pages(pictures: Pictures) -> None:
    """A bench of real instruments, that of the virtual bench with its levels, and in German."""
    page = pictures.page("wire")
    page.document.open("parallel-port-fx2")
    pictures.take("wire-light")
    page.document.open("virtual")
    page.menu["listen"].trigger()
    wait_until(lambda: page.picture.levels is not None, "levels")
    pictures.take("wire-dark", "dark")
    page.menu["listen"].trigger()
    pictures.speaking("de")
    page = pictures.page("wire")
    page.document.open("parallel-port-fx2")
    pictures.take("wire-german")


def main() -> int:
    """Into the folder named."""
    folder = Path(sys.argv[1]).resolve()
    home = Path(tempfile.gettempdir()) / "lab"  # it is seen in the pictures
    runs = home / "runs"
    runs.mkdir(parents=True)
    try:
        os.environ |= {"XDG_STATE_HOME": str(home / "state"), "XDG_DATA_HOME": str(home / "data")}
        os.environ |= {"XDG_CONFIG_HOME": str(home / "config")}
        os.chdir(home)
        for name, plan, fixture in (
            ("interrupt-faults", "interrupt", "virtual-misbehaving"),
            ("period", "period", "virtual"),
            ("interrupt-poisson", "interrupt-poisson", "virtual"),
            ("interrupt", "interrupt", "virtual"),
        ):
            rig("run", plan, "--fixture", fixture, "--quiet", "--out", runs / f"{name}.h5")
        application()
        pictures = Pictures(home, folder)
        result_pages(pictures, runs)
        run_pages(pictures, home)
        wire_pages(pictures)
        pictures.window.close()
    finally:
        shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
