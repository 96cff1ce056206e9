# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the process that listens to the wires."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from gui.pages.wire.levels import LINE_MAX, Levels, levels_of
from rig.config.fixture import Fixture

END_MS: Final = 3_000
"""One that does not end of itself within this time is killed."""
ERRORS_MAX: Final = 1 << 14


class Listener(QObject):
    """Listens to one bench at a time, or to none."""

    heard = Signal(Levels)
    failed = Signal(str)
    changed = Signal(bool)
    """It began to listen, or ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._leaving: set[QProcess] = set()
        self._line, self._errors = b"", b""

    @property
    def is_listening(self) -> bool:
        """From `start` until `stop` or `failed`."""
        return self._process is not None

    def start(self, fixture: Fixture) -> None:
        """Listen to this bench, and to no other."""
        self.stop()
        process = self._process = QProcess(self)
        self._line, self._errors = b"", b""
        process.setProgram(sys.executable)
        process.setArguments(["-P", "-m", "gui.pages.wire.listen"])
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        process.start()
        request = json.dumps({"text": fixture.text, "source": fixture.source})
        process.write(request.encode() + b"\n")
        self.changed.emit(True)

    def stop(self) -> None:
        """End in order; the window does not wait for it."""
        process = self._let_go()
        if process is not None:
            self._leaving.add(process)
            process.finished.connect(partial(self._gone, process))
            QTimer.singleShot(END_MS, process, process.kill)
            process.closeWriteChannel()
            self.changed.emit(False)

    def close(self) -> None:
        """The window goes: every process is reaped."""
        self.stop()
        for process in tuple(self._leaving):
            if not process.waitForFinished(END_MS):
                process.kill()
                process.waitForFinished(END_MS)

    def _read(self) -> None:
        if self._process is None:
            return
        self._line += bytes(self._process.readAllStandardOutput().data())
        *lines, self._line = self._line.split(b"\n")
        if len(self._line) > LINE_MAX:
            self._fail(self.tr("the listening process sent what cannot be read"))
            return
        # After a stall only the newest moment is worth drawing; an error is always the last line.
        for line in lines[-1:]:
            try:
                told = levels_of(line)
            except ValueError as error:
                self._fail(str(error))
                return
            if isinstance(told, str):
                self._fail(told)
            else:
                self.heard.emit(told)

    def _read_errors(self) -> None:
        if self._process is not None:
            more = bytes(self._process.readAllStandardError().data())
            self._errors = (self._errors + more)[-ERRORS_MAX:]

    def _finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        self._read()
        self._read_errors()
        if self._process is not None:
            words = self._errors.decode(errors="replace").strip().splitlines()
            text = self.tr("the listening process ended, exit code {0}").format(code)
            self._fail(f"{text}: {words[-1]}" if words else text)

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._fail(self._process.errorString())

    def _fail(self, text: str) -> None:
        self.stop()
        self.failed.emit(text)

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.readyReadStandardOutput.disconnect(self._read)
        process.readyReadStandardError.disconnect(self._read_errors)
        process.finished.disconnect(self._finished)
        process.errorOccurred.disconnect(self._error)
        if process.state() == QProcess.ProcessState.NotRunning:
            process.deleteLater()
            self.changed.emit(False)
            return None
        return process

    def _gone(self, process: QProcess, *_ending: object) -> None:
        self._leaving.discard(process)
        process.deleteLater()
