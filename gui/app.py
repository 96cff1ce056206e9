# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of the window: application, settings, theme, and the handling of errors."""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSettings, QSocketNotifier
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from gui.error_dialog import TroubleTeller
from gui.theme import theme
from gui.theme.icons import icon
from gui.translations.language import speak
from gui.window import MainWindow
from rig import __version__

HOME_FOLDER = "latency-rig/runs"


def main(folder: Path | None = None) -> int:
    """Open the window and stay until it is closed; return the exit code."""
    app = application()
    settings = open_settings()
    theme().begin(settings)
    teller = TroubleTeller()
    runs = runs_folder(folder, settings)
    code, again = 0, True
    while again:  # in another language
        speak(app, settings)
        code, again = _one_window(app, runs, settings)
    teller.restore()
    return code


def _one_window(app: QApplication, runs: Path, settings: QSettings) -> tuple[int, bool]:
    """Show a window; return the exit code, and whether a new window shall take its place."""
    window = MainWindow(runs, settings)
    signals = _CloseOnSignal(window)
    window.show()
    code = app.exec()
    signals.restore()
    window.deleteLater()
    return code, window.wants_another


def application() -> QApplication:
    """Return the application, made if there is none yet."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found  # a style set anew under widgets that already have one can crash Qt
    app = QApplication(sys.argv[:1])
    app.setApplicationName("latency-rig")
    app.setApplicationDisplayName("Latency Rig")
    app.setApplicationVersion(__version__)
    app.setOrganizationName(ORGANIZATION)
    app.setDesktopFileName("latency-rig")
    app.setStyle("Fusion")
    app.setWindowIcon(QIcon(icon("app", theme().palette.accent)))
    return app


def runs_folder(asked: Path | None, settings: QSettings) -> Path:
    """Return the folder of runs: as asked; else `runs` here, as of `rig run`; else last time's."""
    if asked is None:
        here = Path("runs")
        last = settings.value("window/folder")
        before = Path(str(last)) if last else Path.home() / HOME_FOLDER
        asked = here if here.is_dir() else before
    folder = asked.absolute()
    settings.setValue("window/folder", str(folder))
    return folder


class _CloseOnSignal(QObject):
    """A handler of Ctrl-C and SIGTERM that closes the window as its button does, asking if need be.

    Python handles signals between its own instructions only, and Qt may not give it any: a byte
    in a socket, which Qt watches, does.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._before = {
            number: signal.signal(number, lambda *_: None)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        self._fd_before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._came)
        self._window = window

    def _came(self) -> None:
        self._read.recv(64)
        self._window.quit()

    def restore(self) -> None:
        """Restore the signal handlers that were there before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._fd_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._read.close()
        self._write.close()


ORGANIZATION: Final = "latency-rig"


def open_settings() -> QSettings:
    """Return the user's settings, a readable file."""
    return QSettings(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, ORGANIZATION, ORGANIZATION
    )
