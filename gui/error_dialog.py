# SPDX-License-Identifier: GPL-3.0-or-later
"""An error that nobody expected: shown with a report that can be copied; the window lives on."""

from __future__ import annotations

import platform
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, QThread, Signal, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gui.theme import GAP, GAP_L
from gui.widgets.labels import PlainLabel
from rig import __version__


class TroubleTeller(QObject):
    """Takes the place of `sys.excepthook`, in all threads, until `restore`."""

    _met = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = sys.excepthook, threading.excepthook
        self.dialog: TroubleDialog | None = None
        self._met.connect(self._show, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._hook
        threading.excepthook = lambda args: self._hook(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def restore(self) -> None:
        """Put back what was there before."""
        sys.excepthook, threading.excepthook = self._before

    def _hook(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        if not issubclass(kind, KeyboardInterrupt):
            self._met.emit(report(text))

    def _show(self, text: str) -> None:
        # The first one counts; what follows from it must not bury the screen in dialogs.
        if self.dialog is None:
            window = QApplication.activeWindow()
            self.dialog = TroubleDialog(text, window)
            self.dialog.finished.connect(self._closed)
            self.dialog.open()

    def _closed(self) -> None:
        self.dialog = None


class TroubleDialog(QDialog):
    """The report, to be read and copied."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Unexpected error"))
        self.resize(720, 420)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = PlainLabel(
            self.tr(
                "The window met an error of its own. A run that goes on is not touched by it: it "
                "is measured by another process, and its file is kept.\n"
                "Please send this report to whoever maintains the rig."
            )
        )
        words.setWordWrap(True)
        self.report = QPlainTextEdit(text, readOnly=True)
        self.report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton(
            self.tr("Copy report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP_L)
        column.setSpacing(GAP)
        for widget in (words, self.report, buttons):
            column.addWidget(widget)


def report(error: str) -> str:
    """The error with the versions that matter."""
    thread = "" if QThread.isMainThread() else ", not in the window's thread"
    return (
        f"Latency Rig {__version__}, Python {platform.python_version()}, Qt {qVersion()}, "
        f"{platform.platform()}{thread}\n\n{error}"
    )
