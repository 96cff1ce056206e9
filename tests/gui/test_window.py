# SPDX-License-Identifier: GPL-3.0-or-later
"""The window: pages, menus, colors, and what it asks before it closes."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox

from gui.app import application, runs_folder
from gui.error_dialog import TroubleTeller
from gui.pages.registry import PAGES
from gui.theme import DARK, LIGHT, theme
from gui.window import MainWindow
from tests.cli.command import rig
from tests.gui.bench import begin, run_files


@pytest.fixture
def window(qtbot, settings, tmp_path):
    """The whole window as it opens the first time."""
    application()
    theme().begin(settings)
    made = MainWindow(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    qtbot.waitUntil(lambda: made.page("run").plots is not None, timeout=60_000)
    yield made
    made.page("run").engine.close()


def actions(window):
    """All actions of all menus."""
    found, menus = [], [a.menu() for a in window.menuBar().actions()]
    while menus:
        for action in menus.pop().actions():
            if action.menu() is not None:
                menus.append(action.menu())
            elif not action.isSeparator():
                found.append(action)
    return found


def test_it_opens_on_the_run_page_ready_to_run(window):
    run = window.page("run")
    assert run.isVisible()
    assert run.chooser.run.isEnabled()
    assert window.minimumWidth() <= 1280
    assert window.minimumSizeHint().height() <= 720


def test_each_page_is_reached_by_a_shortcut_and_kept(qtbot, window, settings):
    for number, spec in enumerate(PAGES, 1):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert window.page(spec.name).isVisible()
        assert settings.value("window/page") == spec.name
    assert {spec.name for spec in PAGES} == {"wire", "run", "results", "calibrate"}


def test_every_action_has_a_shortcut_of_its_own(window):
    for spec in PAGES:
        window.enter(spec.name)
        front = window.page(spec.name).actions()
        behind = [a for other in PAGES for a in window.page(other.name).actions()]
        front = [action for action in front if not action.isSeparator()]
        own = [*front, *(a for a in actions(window) if a not in behind)]
        keys = {action: action.shortcut().toString() for action in own}
        assert [a.text() for a, key in keys.items() if not key] == []
        assert len(set(keys.values())) == len(keys), sorted(keys.values())
    menus = [a.menu().title() for a in window.menuBar().actions() if isinstance(a.menu(), QMenu)]
    assert "&Run" in menus


def test_colors_are_chosen_and_remembered(window, settings):
    by_text = {action.text(): action for action in actions(window)}
    by_text["&Dark"].trigger()
    assert theme().palette is DARK
    assert QApplication.palette().window().color().name() == DARK.window
    assert settings.value("window/theme") == "dark"
    by_text["&Light"].trigger()
    assert theme().palette is LIGHT


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_is_readable(palette):
    """Contrast as WCAG 2.1 defines it, 4.5:1 for text."""

    def luminance(color):
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    def contrast(a, b):
        low, high = sorted((luminance(a), luminance(b)))
        return (high + 0.05) / (low + 0.05)

    for ground in (palette.window, palette.panel):
        for ink in (palette.ink, palette.dim, palette.good, palette.warn, palette.bad):
            assert contrast(ink, ground) >= 4.5, (ink, ground)
    assert contrast(palette.accent_ink, palette.accent) >= 4.5


def question(window):
    """The box that is open, if any."""
    boxes = [b for b in window.findChildren(QMessageBox) if b.isVisible()]
    return boxes[0] if boxes else None


def test_closing_while_a_run_goes_on_asks(qtbot, window):
    page = window.page("run")
    begin(qtbot, page)
    assert not window.close()
    qtbot.waitUntil(lambda: question(window) is not None)
    keep = question(window).defaultButton()
    assert keep.text() == "Keep running"
    keep.click()
    assert page.engine.is_running
    qtbot.waitUntil(lambda: question(window) is None)
    window.close()
    qtbot.waitUntil(lambda: question(window) is not None)
    (stop,) = [b for b in question(window).buttons() if b.text() == "Stop and close"]
    stop.click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=60_000)
    (path,) = run_files(page.folder)
    assert "interrupted by the user" in rig("show", path).stdout
    assert page.engine.process_id == 0


@pytest.mark.parametrize("in_thread", [False, True])
def test_an_unexpected_error_is_shown_with_a_report_to_copy(qtbot, capsys, in_thread):
    application()
    teller = TroubleTeller()
    try:

        def fail():
            try:
                raise RuntimeError("the sky fell")
            except RuntimeError:
                sys.excepthook(*sys.exc_info())

        if in_thread:
            thread = threading.Thread(target=fail)
            thread.start()
            thread.join()
        else:
            fail()
        qtbot.waitUntil(lambda: teller.dialog is not None)
        dialog = teller.dialog
        dialog.copy.click()
        copied = QGuiApplication.clipboard().text()
        assert "RuntimeError: the sky fell" in copied
        assert "Latency Rig" in copied
        assert copied == dialog.report.toPlainText()
        dialog.close()
    finally:
        teller.restore()
    assert "the sky fell" in capsys.readouterr().err


def test_runs_are_looked_for_where_rig_run_puts_them(tmp_path, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    assert runs_folder(None, settings).name == "runs"
    assert runs_folder(tmp_path / "mine", settings) == tmp_path / "mine"
    again = QSettings(settings.fileName(), QSettings.Format.IniFormat)
    settings.sync()
    assert runs_folder(None, again) == tmp_path / "mine"
    (tmp_path / "runs").mkdir()
    assert runs_folder(None, settings) == tmp_path / "runs"
