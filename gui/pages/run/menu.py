# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Run page, each with a shortcut; and the questions it asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QMessageBox, QWidget

if TYPE_CHECKING:
    from gui.pages.run.page import RunPage


class RunMenu(QObject):
    """Makes the page's actions."""

    def __init__(self, page: RunPage) -> None:
        super().__init__(page)
        self._page = page
        chooser = page.chooser
        self.run = self._add(self.tr("&Run"), Qt.Key.Key_Space, page.toggle)
        self.open_fixture = self._add(self.tr("Open &fixture …"), "Ctrl+O", self._open_fixture)
        self.open_plan = self._add(self.tr("Open &plan …"), "Ctrl+Shift+O", self._open_plan)
        self.open_calibration = self._add(
            self.tr("Open &calibration …"), "Ctrl+L", self._open_calibration
        )
        self.several = self._add(self.tr("Measure &several plans"), "Ctrl+M", self._several)
        self._add(self.tr("Read fixture and plan &again"), "F5", chooser.again)
        self.bulk = self._add(self.tr("Histogram of the &bulk (99.9 %)"), "B", self._bulk)
        self.bulk.setCheckable(True)
        self._add(self.tr("&Whole histogram"), "A", self._whole)
        self.results = self._add(self.tr("Show in Resu&lts"), "Ctrl+R", page.show_in_results)
        self.report = self._add(self.tr("Open r&eport"), "Ctrl+E", page.show_report)
        self._own_space = _OwnSpace(self)
        self.keep_space(page.chooser.run)

    def keep_space(self, button: QAbstractButton) -> None:
        """A button that has the keyboard is pressed by the space bar, as buttons are."""
        button.installEventFilter(self._own_space)

    def _add(self, text: str, key: Qt.Key | str, call: Callable[[], object]) -> QAction:
        action = QAction(text, self._page)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _checked=False: call())
        self._page.addAction(action)
        return action

    def _open_fixture(self) -> None:
        self._open(self.tr("Fixture"), self._page.choose_fixture)

    def _open_plan(self) -> None:
        self._open(self.tr("Plan"), self._page.choose_plan)

    def _open_calibration(self) -> None:
        self._open(self.tr("Calibration"), self._page.chooser.calibrations.use_file)

    def _open(self, what: str, use: Callable[[Path], None]) -> None:
        page = self._page
        if page.engine.is_running:
            return
        dialog = QFileDialog(page, what, str(page.folder), self.tr("TOML files (*.toml)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: use(Path(name)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _several(self) -> None:
        if not self._page.engine.is_running:
            chooser = self._page.chooser
            chooser.several.toggle()
            if chooser.several.isChecked():
                chooser.series.list.setFocus()

    def _bulk(self) -> None:
        if self._page.plots is not None:
            self._page.plots.histogram.set_bulk_only(self.bulk.isChecked())

    def _whole(self) -> None:
        self.bulk.setChecked(False)
        self._bulk()


class _OwnSpace(QObject):
    """Says for a button that the space bar is its own."""

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Qt asks the widget that has the keyboard before it looks for shortcuts."""
        is_space = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if is_space and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return False


def ask_to_stop(parent: QWidget, stop: Callable[[], None]) -> QMessageBox:
    """Asks before the window closes on a run; calls `stop` if that is what shall be done."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("RunMenu", text)

    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(tr("A run is going on"))
    box.setText(tr("A run is going on."))
    box.setInformativeText(
        tr("Stop it in order and close? What has been measured is kept in its run file.")
    )
    stopping = box.addButton(tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton(tr("Keep running"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(lambda _code: stop() if box.clickedButton() is stopping else None)
    box.open()
    return box
