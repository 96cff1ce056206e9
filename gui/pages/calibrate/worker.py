# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the process that touches instruments."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from calibration.wizard import Report
from gui.pages.calibrate.messages import (
    DONE,
    FAILED,
    LINE_MAX,
    OPENED,
    PROGRESS,
    REPORT,
    STOPPED,
    WIRE,
    findings_of,
    message_of,
    report_of,
)

END_MS: Final = 10_000
"""One that does not end of itself within this time is killed."""
ERRORS_MAX: Final = 1 << 14


class Worker(QObject):
    """At most one job at a time. Each ends with `ended`."""

    progress = Signal(str)
    reported = Signal(Report)
    opened = Signal()
    """The bench is open; wires can be looked at."""
    wire = Signal(str, object)
    """A signal, and what was found of its wire: a tuple of Finding."""
    ended = Signal(str)
    """"" if all was done; else why not, in one line."""
    running_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._leaving: set[QProcess] = set()
        self._line, self._errors = b"", b""

    @property
    def is_running(self) -> bool:
        """From `start` until `ended`."""
        return self._process is not None

    @property
    def has_instruments(self) -> bool:
        """A job runs, or one that was given up still closes its instruments."""
        return self.is_running or bool(self._leaving)

    @property
    def process_id(self) -> int:
        """0 if there is none."""
        return 0 if self._process is None else self._process.processId()

    def start(self, job: Mapping[str, Any]) -> None:
        """Do this, as `gui.pages.calibrate.work` reads it."""
        if self._process is not None:
            raise RuntimeError("a job is under way")
        process = self._process = QProcess(self)
        self._line, self._errors = b"", b""
        process.setProgram(sys.executable)
        process.setArguments(["-P", "-m", "gui.pages.calibrate.work"])
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        process.start()
        process.write(json.dumps(dict(job)).encode() + b"\n")
        self.running_changed.emit(True)

    def look_at(self, signal: str) -> None:
        """This wire, once; `wire` tells what was found."""
        if self._process is not None:
            self._process.write(signal.encode() + b"\n")

    def ask_stop(self) -> None:
        """Let it end in order, and hear what it says of it."""
        if self._process is not None:
            self._process.closeWriteChannel()
            QTimer.singleShot(END_MS, self._process, self._process.kill)

    def give_up(self) -> None:
        """Nobody wants to hear of it anymore; it ends in order while the window goes on."""
        process = self._let_go()
        if process is not None:
            self._leave(process)
            self.running_changed.emit(self.has_instruments)

    def close(self) -> None:
        """The window goes: every process is reaped."""
        self.give_up()
        for process in tuple(self._leaving):
            process.blockSignals(True)
            if not process.waitForFinished(END_MS):
                process.kill()
                process.waitForFinished(END_MS)
        self._leaving.clear()

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        self._line += bytes(process.readAllStandardOutput().data())
        *lines, self._line = self._line.split(b"\n")
        try:
            if len(self._line) > LINE_MAX:
                raise ValueError("a line that does not end")
            for line in lines:
                if self._process is process:
                    self._take(*message_of(line))
        except (ValueError, TypeError, RecursionError) as error:
            process.kill()
            self._end(self.tr("The working process sent what cannot be read: {0}").format(error))

    def _take(self, kind: str, fields: Mapping[str, Any]) -> None:
        match kind:
            case kind if kind == PROGRESS:
                self.progress.emit(str(fields.get("text", "")))
            case kind if kind == REPORT:
                self.reported.emit(report_of(fields))
            case kind if kind == OPENED:
                self.opened.emit()
            case kind if kind == WIRE:
                self.wire.emit(str(fields.get("signal", "")), findings_of(fields))
            case kind if kind == DONE:
                self._end("")
            case kind if kind == STOPPED:
                self._end(self.tr("Stopped. What was not finished is not recorded."))
            case kind if kind == FAILED:
                self._end(str(fields.get("text", "")))

    def _read_errors(self) -> None:
        if self._process is not None:
            more = bytes(self._process.readAllStandardError().data())
            self._errors = (self._errors + more)[-ERRORS_MAX:]

    def _finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        self._read()
        self._read_errors()
        if self._process is not None:
            words = self._errors.decode(errors="replace").strip().splitlines()
            text = self.tr("The working process ended unasked, exit code {0}").format(code)
            self._end(f"{text}: {words[-1]}" if words else f"{text}.")

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._end(self._process.errorString())

    def _end(self, why: str) -> None:
        process = self._let_go()
        if process is not None:
            self._leave(process)
            self.running_changed.emit(self.has_instruments)
            self.ended.emit(why)

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.readyReadStandardOutput.disconnect(self._read)
            process.readyReadStandardError.disconnect(self._read_errors)
            process.finished.disconnect(self._finished)
            process.errorOccurred.disconnect(self._error)
        return process

    def _leave(self, process: QProcess) -> None:
        if process.state() == QProcess.ProcessState.NotRunning:
            process.deleteLater()
            return
        self._leaving.add(process)
        process.finished.connect(partial(self._gone, process))
        QTimer.singleShot(END_MS, process, process.kill)
        process.closeWriteChannel()

    def _gone(self, process: QProcess, *_ending: object) -> None:
        self._leaving.discard(process)
        process.deleteLater()
        self.running_changed.emit(self.has_instruments)
