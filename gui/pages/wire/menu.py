# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Wire page, each with a shortcut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from gui.pages.wire.page import WirePage


class WireMenu(QObject):
    """Makes the page's actions."""

    def __init__(self, page: WirePage) -> None:
        super().__init__(page)
        self._page = page
        document = page.document
        self.open = self._add(self.tr("&Open fixture …"), "Ctrl+O", document.choose_file)
        self.save = self._add(self.tr("&Save"), "Ctrl+S", document.save)
        self.save_as = self._add(self.tr("Save &as …"), "Ctrl+Shift+S", document.save_as)
        self.again = self._add(self.tr("Read from &disk again"), "F5", document.read_again)
        self.use = self._add(self.tr("&Run on this bench"), "Ctrl+R", page.use_for_runs)
        self._separate()
        self.listen = self._add(self.tr("Show le&vels"), "F9", page.hearing.toggle)
        self.look = self._add(self.tr("&Look for instruments"), "Ctrl+L", page.finder.look)
        self.ask = self._add(self.tr("As&k the target"), "Ctrl+T", page.finder.ask_target)
        self._separate()
        self.error = self._add(self.tr("Go to the &error"), "F8", page.go_to_error)
        self._add(self.tr("To the &picture"), "F6", page.picture.setFocus)
        self._add(self.tr("To the &text"), "F7", page.editor.setFocus)

    def show_listening(self, listening: bool) -> None:
        """The action does the opposite of what is."""
        text = self.tr("Hide le&vels") if listening else self.tr("Show le&vels")
        self.listen.setText(text)

    def _add(self, text: str, key: str, call: Callable[[], object]) -> QAction:
        action = QAction(text, self._page)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _checked=False: call())
        plain = text.replace("&", "").replace(" …", "")
        action.setToolTip(f"{plain} ({action.shortcut().toString()})")
        self._page.addAction(action)
        return action

    def _separate(self) -> None:
        action = QAction(self._page)
        action.setSeparator(True)
        self._page.addAction(action)
