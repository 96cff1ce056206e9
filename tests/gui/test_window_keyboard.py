# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything can be done without a mouse: the way of the Tab key, menus, letters in them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu, QTabBar, QWidget

from gui.app import application
from gui.pages.registry import PAGES
from gui.theme import theme
from gui.translations.language import LANGUAGES, choose_language, speak
from gui.window import MainWindow

LOOKS_MS = 60_000


@pytest.fixture(params=LANGUAGES)
def window(request, qtbot, settings, tmp_path):
    """The whole window, in each language."""
    app = application()
    theme().begin(settings)
    choose_language(request.param, settings)
    speak(app, settings)
    made = MainWindow(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    qtbot.waitUntil(lambda: made.page("run").plots is not None, timeout=LOOKS_MS)
    yield made
    choose_language("en", settings)
    speak(app, settings)
    made.page("wire").release()
    made.page("results").release()
    made.page("run").engine.close()


def takes_tab(widget: QWidget) -> bool:
    """The Tab key stops there."""
    if isinstance(widget, QTabBar):  # its pages have keys of their own: F6 to F8
        return False
    has_policy = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return has_policy and widget.isVisible() and widget.isEnabled() and not widget.focusProxy()


def walk(qtbot, window) -> list[QWidget]:
    """Where Tab comes by, from the first to the first again."""
    window.setFocus()
    seen: list[QWidget] = []
    for _ in range(200):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if widget in seen:
            return seen
        seen.append(widget)
    raise AssertionError("Tab never comes back")


def test_tab_comes_by_everything_that_can_be_used(qtbot, window):
    for spec in PAGES:
        window.enter(spec.name)
        page = window.page(spec.name)
        if spec.name == "wire":
            qtbot.waitUntil(lambda: not page.discovery.doctor.is_looking, timeout=LOOKS_MS)  # noqa: B023 - at once
        seen = walk(qtbot, window)
        stops = [w for w in window.findChildren(QWidget) if takes_tab(w)]
        missed = [(type(w).__name__, w.accessibleName()) for w in stops if w not in seen]
        assert missed == [], spec.name
        assert all(w.isVisible() for w in seen)


def test_the_way_of_tab_goes_down_and_to_the_right(qtbot, window):
    """The run button comes after what is chosen for it, all in one row."""
    window.enter("run")
    chooser = window.page("run").chooser
    seen = walk(qtbot, window)
    places = [seen.index(w) for w in (chooser.fixtures, chooser.plans, chooser.count, chooser.run)]
    assert places == sorted(places)


def test_what_can_be_used_has_a_name_for_those_who_do_not_see_it(qtbot, window):
    for spec in PAGES:
        window.enter(spec.name)
        for widget in walk(qtbot, window):
            told = [widget.accessibleName()]
            if isinstance(widget, QAbstractButton):
                told.append(widget.text())
            if isinstance(widget, QLineEdit):
                told.append(widget.placeholderText())
            assert any(told), (spec.name, type(widget).__name__, widget.objectName())


def menus(menu: QMenu) -> list[QMenu]:
    """It and those in it."""
    inner = [a.menu() for a in menu.actions() if isinstance(a.menu(), QMenu)]
    return [menu, *(each for one in inner for each in menus(one))]


def test_no_letter_twice_in_a_menu(window):
    for spec in PAGES:
        window.page(spec.name)
    bar = window.menuBar().actions()
    for actions in (bar, *(m.actions() for top in bar for m in menus(top.menu()))):
        letters = [a.text().replace("&&", "").partition("&")[2][:1].lower() for a in actions]
        letters = [letter for letter in letters if letter]
        assert len(set(letters)) == len(letters), [a.text() for a in actions]
