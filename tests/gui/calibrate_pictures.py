# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.gui.calibrate_pictures FOLDER`: the Calibrate page and its wizard in pictures.

A real window on the screen that DISPLAY names, such as one of `xvfb-run`, on the virtual bench; one
wire is open and two are swapped, so that findings are seen.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget, QWizard

from calibration.wizard import Wizard
from calibration.wizard.paths import place_of
from calibration.wizard.stages import STAGES
from gui.app import application
from gui.theme import theme
from gui.window import MainWindow
from rig.config.fixture import load_fixture

WORKS_S = 300
ANSWERS = {
    "board": {"board": "raspberry-pi-5"},
    "calibrate": {"seconds": "10"},
    "line-delay": {"far-channel": "D6"},
    "measure": {"count": "2000"},
}


def wait_until(true: Callable[[], object], what: str) -> None:
    """Let the window live meanwhile."""
    end_s = time.monotonic() + WORKS_S
    while not true():
        QApplication.processEvents()
        time.sleep(0.01)
        if time.monotonic() > end_s:
            raise TimeoutError(what)


def take(widget: QWidget, folder: Path, name: str) -> None:
    """Light and dark."""
    for colors in ("dark", "light"):
        theme().choose(colors)
        for _ in range(20):
            QApplication.processEvents()
        widget.grab().save(str(folder / f"gui-calibrate-{name}-{colors}.png"))


def pictures(home: Path, folder: Path) -> None:
    """Every page of the wizard, then the page of the fixture that it made."""
    bench = home / "virtual-with-faults.toml"
    faults = '\n[virtual.wiring]\nopen = "D4"\nswap = "D2 D3"\n'
    bench.write_text(load_fixture("virtual").text + faults)
    settings = QSettings(str(home / "settings.ini"), QSettings.Format.IniFormat)
    window = MainWindow(home / "runs", settings)
    window.resize(1280, 720)
    window.show()
    window.enter("calibrate")
    page = window.page("calibrate")
    page.new_bench()
    take(page.begin, folder, "0-name")
    page.begin.reject()
    page.open_wizard(Wizard.begun(place_of("pi"), "pi"))
    wizard = page.wizard
    for stage in STAGES:
        front = wizard.page_in_front
        for key, answer in ANSWERS.get(stage, {}).items():
            front.form.set_answer(key, answer)
        if stage == "board":
            take(wizard, folder, "1-board-hardware")
            front.form.set_answer("bench", "virtual")
        if stage == "connect":
            front.form.keep()
            _faulty(page, wizard, bench, folder)
            wizard = page.wizard
            front = wizard.page_in_front
        if front.stage.svg is not None and stage != "wires":
            take(wizard, folder, f"{list(STAGES).index(stage) + 1}-{stage}-drawn")
        if front.has_work:
            front.start.click()
            wait_until(lambda: not page.worker.is_running, stage)
        take(wizard, folder, f"{list(STAGES).index(stage) + 1}-{stage}")
        last = QWizard.WizardButton.FinishButton
        wizard.button(last if stage == "save" else QWizard.WizardButton.NextButton).click()
    window.enter("calibrate")
    page.records.expandAll()
    page.records.choose("wiring")
    take(window, folder, "page")
    page.take_step()
    wait_until(lambda: not page.worker.is_running, "a step")
    take(window, folder, "page-step")
    window.close()


def _faulty(page, wizard, bench: Path, folder: Path) -> None:
    """The same, with wires that are wrong, and back again."""
    page.wizard.close()
    page.open_wizard(Wizard.begun(place_of("faulty"), "faulty"))
    wizard = page.wizard
    answers = {"board": "raspberry-pi-5", "bench": str(bench)}
    for key, answer in answers.items():
        wizard.page_in_front.form.set_answer(key, answer)
    while (front := wizard.page_in_front).stage.name != "connect":
        if front.has_work:
            front.start.click()
            wait_until(lambda: not wizard.worker.is_running, "faulty")
        wizard.button(QWizard.WizardButton.NextButton).click()
    front.start.click()
    wait_until(lambda: front.current == "sequence0" and front.found.toPlainText(), "a fault")
    take(wizard, folder, "5-connect-fault")
    wizard.close()
    _clip_missing(page, bench, folder)
    page.open_wizard(Wizard.begun(place_of("pi"), "pi"))


def _clip_missing(page, bench: Path, folder: Path) -> None:
    """A step's own wires, one of them open."""
    state = Wizard.begun(place_of("clip"), "clip")
    for key, answer in {"board": "raspberry-pi-5", "bench": str(bench)}.items():
        state.give(key, answer)
    state.forward()
    state.go_to("channel-skew")
    page.open_wizard(state)
    page.wizard.page_in_front.start.click()
    wait_until(lambda: not page.worker.is_running, "a clip")
    take(page.wizard, folder, "7-channel-skew-fault")
    page.wizard.close()


def main() -> int:
    """Into the folder named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.gettempdir()) / "lab"  # it is seen in the pictures
    home.mkdir()
    try:
        os.environ |= {"XDG_STATE_HOME": str(home / "state"), "XDG_DATA_HOME": str(home / "data")}
        os.chdir(home)
        app = application()
        pictures(home, folder)
        app.quit()
    finally:
        shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
