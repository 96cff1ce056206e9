# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-a-page.md: a page of a package that the window knows nothing of."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction

from gui.app import application
from gui.pages.registry import PAGES, all_pages
from gui.theme import theme
from gui.window import MainWindow
from rig.errors import InputError

SHOWS_MS = 60_000
PAGE = """
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from gui.pages.page import Page
from gui.pages.registry import PageSpec
from gui.processes.child import ChildProcess
from gui.widgets.actions import action_button, add_actions
from gui.widgets.labels import dim

ACTIONS = (("count", "&Count runs", "Ctrl+K"),)


class Counter(ChildProcess):
    counted = Signal(int)

    def start(self, folder):
        self._start("counters_work")
        self._send({"folder": str(folder)})

    def _on_message(self, message):
        self._let_go()
        self.counted.emit(message.fields["runs"])


class CountersPage(Page):
    def __init__(self, folder):
        super().__init__()
        self.title = "Counters"
        self.label = dim()
        self.counter = Counter(self)
        self.counter.counted.connect(lambda runs: self.label.setText(f"{runs} runs"))
        self.menu = add_actions(
            self, "Counters", ACTIONS, {"count": lambda: self.counter.start(folder)}
        )
        column = QVBoxLayout(self)
        column.addWidget(action_button(self.menu["count"]))
        column.addWidget(self.label)

    def may_close(self):
        self.counter.close()
        return True


SPEC = PageSpec(
    name="counters",
    title=lambda: "Counters",
    icon='<path d="M6 4v16M12 4v16M18 4v16"/>',
    make=lambda folder, _settings: CountersPage(folder),
)
"""
WORK = """
import sys
from pathlib import Path

from gui.processes.messages import Message
from gui.processes.worker import serve


def work(request, window):
    runs = len(list(Path(request["folder"]).glob("*.h5")))
    window.send(Message("counted", {"runs": runs}))


if __name__ == "__main__":
    sys.exit(serve(work))
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with a page, as pip leaves it."""
    site = tmp_path / "site"
    about = site / "counters_page-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "counters_page.py").write_text(PAGE)
    (site / "counters_work.py").write_text(WORK)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: counters-page\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[latency_rig.pages]\ncounters = counters_page:SPEC\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    yield about / "entry_points.txt"
    sys.modules.pop("counters_page", None)


def test_a_page_of_another_package(installed, qtbot, tmp_path):
    application()
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme().begin(settings)
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "one.h5").touch()
    window = MainWindow(runs, settings)
    qtbot.addWidget(window)
    window.show()
    assert all_pages()[:-1] == PAGES
    entered = {each.shortcut().toString(): each for each in window.findChildren(QAction)}
    entered[f"Ctrl+{len(all_pages())}"].trigger()
    page = window.page("counters")
    assert page.isVisible()
    assert "Counters" in window.windowTitle()
    titles = [each.text().replace("&", "") for each in window.menuBar().actions()]
    assert "Counters" in titles
    page.menu["count"].trigger()
    qtbot.waitUntil(lambda: page.label.text() == "1 runs", timeout=SHOWS_MS)
    window.quit()
    assert not page.counter.is_ending


@pytest.mark.parametrize("target", ["counters_page:MISSING", "gone:SPEC", "counters_page:ACTIONS"])
def test_a_page_that_cannot_be_used_is_refused_in_one_line(installed, target):
    installed.write_text(f"[latency_rig.pages]\ncounters = {target}\n")
    with pytest.raises(InputError, match="page counters of another package: "):
        all_pages()
