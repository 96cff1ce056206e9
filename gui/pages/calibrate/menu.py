# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Calibrate page, each with a shortcut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from gui.pages.calibrate.page import CalibratePage


class CalibrateMenu(QObject):
    """Makes the page's actions."""

    def __init__(self, page: CalibratePage) -> None:
        super().__init__(page)
        self._page = page
        self.new = self._add(self.tr("&New bench …"), "Ctrl+N", page.new_bench)
        self.open = self._add(self.tr("&Open fixture …"), "Ctrl+O", page.choose_file)
        self.file = self._add(self.tr("Open &calibration …"), "Ctrl+L", page.choose_calibration)
        self.own = self._add(self.tr("The bench's o&wn calibration"), "Ctrl+Shift+L",
                             page.use_own_calibration)  # fmt: skip
        self._separate()
        self.step = self._add(self.tr("Take this &step"), "Ctrl+R", page.take_step)
        self.all = self._add(self.tr("Take &all steps"), "Ctrl+Shift+R", page.take_all)
        self.stop = self._add(self.tr("S&top"), "Ctrl+E", page.worker.ask_stop)

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
