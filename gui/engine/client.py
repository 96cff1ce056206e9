# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the engine: starts it, hears it, stops it, outlives it."""

from __future__ import annotations

import json
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from gui.engine.messages import Message, Unpacker
from gui.engine.outcome import BENCH_FAILED, DONE, FAILED, Failure, Outcome, outcome_of
from gui.engine.request import BEGUN, TELL, Job
from gui.engine.snapshot import KIND as SNAPSHOT
from gui.engine.snapshot import Snapshot, snapshot_of

LAST_WORDS_MAX: Final = 1 << 16
END_MS: Final = 10_000
"""An engine that does not end of itself within this time after the window has gone is killed."""


class Engine(QObject):
    """At most one run at a time. All signals come in the window's thread."""

    snapshot = Signal(Snapshot)
    told = Signal(str)
    """What takes long before anything is measured, one line."""
    bench_failed = Signal(str)
    """An instrument failed in mid-run, one line; `done` follows when all is evaluated."""
    done = Signal(Outcome)
    failed = Signal(Failure)
    running_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._leaving: set[QProcess] = set()
        """They have told how their run ended, and end of themselves."""
        self._unpacker = Unpacker()
        self._errors = b""
        self._path: Path | None = None
        self._running = False
        self._stopping = False
        self._closed = False

    @property
    def is_running(self) -> bool:
        """From `start` until `done` or `failed`."""
        return self._running

    @property
    def is_stopping(self) -> bool:
        """`stop` was called and the run has not ended yet."""
        return self._running and self._stopping

    @property
    def path(self) -> Path | None:
        """The file of this run, or of the last one; None before it has one."""
        return self._path

    @property
    def process_id(self) -> int:
        """Of the engine that runs or waits; 0 if there is none."""
        return 0 if self._process is None else self._process.processId()

    def prepare(self) -> None:
        """Have an engine ready, its modules loaded: it then starts at once."""
        self._closed = False
        if self._process is not None:
            return
        process = QProcess(self)
        process.setProgram(sys.executable)
        process.setArguments(["-P", "-m", "gui.engine"])  # -P: no module of the current folder
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        self._unpacker, self._errors = Unpacker(), b""
        self._process = process
        process.start()

    def start(self, job: Job) -> None:
        """Measure. Ends with either `done` or `failed`."""
        if self._running:
            raise RuntimeError("a run is going on")
        self._path, self._stopping = None, False
        self._set_running(True)
        self.prepare()
        self._say(json.dumps(job.fields()))

    def stop(self) -> None:
        """Ask for the end in order: what was measured is kept and evaluated."""
        if self._running and not self._stopping:
            self._stopping = True
            self._say("stop")

    def close(self) -> None:
        """The window goes: the run, if any, is ended in order, and every process reaped."""
        self._closed = True
        process, self._process = self._process, None
        if process is not None:
            self._leaving.add(process)
            if not self._running:
                process.kill()  # it waits for a job
        for each in self._leaving:
            each.blockSignals(True)
            each.closeWriteChannel()
            if not each.waitForFinished(END_MS):
                each.kill()
                each.waitForFinished(END_MS)
        self._leaving.clear()

    def _say(self, line: str) -> None:
        if self._process is not None:
            self._process.write(line.encode() + b"\n")

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        try:
            messages = list(self._unpacker.feed(bytes(process.readAllStandardOutput().data())))
            newest = max((i for i, m in enumerate(messages) if m.kind == SNAPSHOT), default=-1)
            for number, message in enumerate(messages):
                # After a stall many have queued up; only the newest picture is worth drawing.
                if message.kind != SNAPSHOT or number == newest:
                    self._take(message)
        except (ValueError, KeyError, TypeError) as error:
            process.kill()
            self._end(Failure(self.tr("The measuring process sent what cannot be read."),
                              self._path, repr(error)))  # fmt: skip

    def _take(self, message: Message) -> None:
        match message.kind:
            case "snapshot":
                self.snapshot.emit(snapshot_of(message))
            case kind if kind == TELL:
                self.told.emit(str(message.fields["text"]))
            case kind if kind == BEGUN:
                self._path = Path(str(message.fields["path"]))
            case kind if kind == BENCH_FAILED:
                self.bench_failed.emit(str(message.fields["text"]))
            case kind if kind == DONE:
                self._end(outcome_of(message))
            case kind if kind == FAILED:
                text, details = str(message.fields["message"]), str(message.fields["details"])
                refused = message.fields.get("refused") is True
                self._end(Failure(text, self._kept(), details, refused))

    def _kept(self) -> Path | None:
        return self._path if self._path is not None and self._path.exists() else None

    def _read_errors(self) -> None:
        if self._process is not None:
            more = bytes(self._process.readAllStandardError().data())
            self._errors = (self._errors + more)[-LAST_WORDS_MAX:]

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._process.deleteLater()
            self._process = None
            text = self.tr("The measuring process could not be started: {0}").format(reason)
            self._end(Failure(text))

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        process = self._process
        if process is None:
            return
        self._read()
        self._read_errors()
        if self._process is None:  # its last message told how the run ended
            return
        self._process = None
        process.deleteLater()
        if self._running:
            self._end(Failure(self._how_it_ended(code, status), self._kept(), self._last_words()))

    def _how_it_ended(self, code: int, status: QProcess.ExitStatus) -> str:
        if status == QProcess.ExitStatus.CrashExit:
            try:
                name = signal.Signals(code).name
            except ValueError:
                name = str(code)
            return self.tr("The measuring process was killed by signal {0}.").format(name)
        return self.tr("The measuring process ended unasked, exit code {0}.").format(code)

    def _last_words(self) -> str:
        return self._errors.decode(errors="replace").strip()

    def _end(self, ending: Outcome | Failure) -> None:
        if not self._running:
            return
        self._let_go()
        self._set_running(False)
        if isinstance(ending, Outcome):
            self.done.emit(ending)
        else:
            self.failed.emit(ending)
        QTimer.singleShot(0, self, self._prepare_again)

    def _prepare_again(self) -> None:
        if not self._closed:
            self.prepare()

    def _let_go(self) -> None:
        """The process has no more to say; the next run gets another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.readyReadStandardOutput.disconnect(self._read)
        process.readyReadStandardError.disconnect(self._read_errors)
        process.finished.disconnect(self._finished)
        process.errorOccurred.disconnect(self._error)
        if process.state() == QProcess.ProcessState.NotRunning:
            process.deleteLater()
            return
        self._leaving.add(process)
        process.finished.connect(partial(self._gone, process))
        process.closeWriteChannel()

    def _gone(self, process: QProcess, *_ending: object) -> None:
        self._leaving.discard(process)
        process.deleteLater()

    def _set_running(self, running: bool) -> None:
        self._running = running
        self.running_changed.emit(running)
