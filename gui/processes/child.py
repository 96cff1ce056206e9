# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of a process of its own: started, heard, ended, outlived."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QTimer

from gui.processes.messages import Message, Unpacker

END_MS: Final = 10_000
"""The time in which a process must end of itself, else it is killed; a class may have less."""
ERRORS_MAX: Final = 1 << 16
"""The bytes of standard error that are kept, the last ones."""


@dataclass(frozen=True)
class Ending:
    """The end of a process, or why it is of no more use."""

    text: str
    """A line in the words of the window."""
    details: str = ""
    """The last words on standard error, or what could not be read."""
    is_success: bool = False
    """Whether the process ended of itself with exit code 0."""

    @property
    def last_line(self) -> str:
        """The last line of the details; of the text if there are none."""
        lines = self.details.strip().splitlines()
        return lines[-1] if lines else self.text


class ChildProcess(QObject):
    """A process, at most one at a time, and those that are on their way to their end.

    A subclass says what becomes of messages (`_on_message`) and of an end unasked (`_on_ended`).
    The end of its standard input asks a process to end in order: so it ends with the window, too.
    """

    end_ms = END_MS
    ends_with_input = True
    """Whether the end of its standard input ends the process; else a signal asks it to."""
    has_messages = True
    """Whether its standard output has messages; else that is for nobody."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._leaving: set[QProcess] = set()
        self._unpacker, self._errors = Unpacker(), b""

    @property
    def is_alive(self) -> bool:
        """Whether there is a process that has not been let go of."""
        return self._process is not None

    @property
    def is_ending(self) -> bool:
        """Whether a process that was let go of has not ended yet."""
        return bool(self._leaving)

    @property
    def process_id(self) -> int:
        """The number of the process that is there; 0 if there is none."""
        return 0 if self._process is None else self._process.processId()

    def close(self) -> None:
        """Ask every process to end, wait for it, and at last kill it: the window closes."""
        self._let_go()
        for process in tuple(self._leaving):
            process.blockSignals(True)
            if not process.waitForFinished(self.end_ms):
                process.kill()
                process.waitForFinished(self.end_ms)
        self._leaving.clear()  # this object still has them, and takes them with it

    # --- for subclasses -------------------------------------------------------------------------

    def _name(self) -> str:
        """Return what the process is called where its end is reported."""
        return _tr("The process")

    def _newest(self, messages: list[Message]) -> list[Message]:
        """Return the messages of a batch to be taken: after a stall many have queued up."""
        return messages

    def _on_message(self, message: Message) -> None:
        """Take one message. Raises ValueError, KeyError or TypeError if it is not understood."""

    def _on_ended(self, ending: Ending) -> None:
        """Handle an end: it is gone, or let go of as not understood, or never began."""

    def _on_gone(self) -> None:
        """Handle the end of a process that was let go of."""

    def _start(self, module: str, *words: str) -> None:
        """Start `python -m module`; there must be no process yet."""
        process = self._process = QProcess(self)
        self._unpacker, self._errors = Unpacker(), b""
        process.setProgram(sys.executable)
        process.setArguments(["-P", "-m", module, *words])  # -P: no module of the current folder
        if not self.has_messages:
            process.setStandardOutputFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        process.start()

    def _send(self, request: object) -> None:
        """Send a line of JSON to its standard input; nothing if there is no process."""
        if self._process is not None:
            self._process.write(json.dumps(request).encode() + b"\n")

    def _ask_end(self, limit_ms: int | None = None) -> None:
        """Ask it to end in order, and go on to hear it. It is killed after `limit_ms`, if given."""
        process = self._process
        if process is None:
            return
        _ask_to_end(process, by_input=self.ends_with_input)
        if limit_ms is not None:
            _kill_after(process, limit_ms)

    def _kill(self) -> None:
        """End it at once, if it does nothing that needs an end in order."""
        if self._process is not None:
            self._process.kill()

    def _let_go(self) -> None:
        """Hear no more of it: it ends while the window goes on, and is killed if it does not."""
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
        _ask_to_end(process, by_input=self.ends_with_input)
        _kill_after(process, self.end_ms)

    # --- what the process does ------------------------------------------------------------------

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        try:
            messages = list(self._unpacker.feed(bytes(process.readAllStandardOutput().data())))
            for message in self._newest(messages):
                if self._process is process:
                    self._on_message(message)
        except (ValueError, KeyError, TypeError) as error:
            process.kill()
            text = _tr("{0} sent what cannot be read.").format(self._name())
            self._lost(Ending(text, repr(error)))

    def _read_errors(self) -> None:
        if self._process is not None:
            more = bytes(self._process.readAllStandardError().data())
            self._errors = (self._errors + more)[-ERRORS_MAX:]

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._read_errors()
        if self._process is not None:  # else its last message told how it ended
            is_crash = status == QProcess.ExitStatus.CrashExit
            text = _tr("{0} ended unasked, exit code {1}.").format(self._name(), code)
            if is_crash:
                text = _tr("{0} was killed by signal {1}.").format(self._name(), _signal_name(code))
            details = self._errors.decode(errors="replace").strip()
            self._lost(Ending(text, details, is_success=not is_crash and code == 0))

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            text = _tr("{0} could not be started: {1}").format(self._name(), reason)
            self._lost(Ending(text))

    def _lost(self, ending: Ending) -> None:
        if self._process is not None:
            self._let_go()
            self._on_ended(ending)

    def _gone(self, process: QProcess, *_ending: object) -> None:
        self._leaving.discard(process)
        process.deleteLater()
        self._on_gone()


def _ask_to_end(process: QProcess, *, by_input: bool) -> None:
    if by_input:
        process.closeWriteChannel()
    else:
        process.terminate()


def _kill_after(process: QProcess, limit_ms: int) -> None:
    """Kill a process unless it is gone by then, and the timer with it."""
    limit = QTimer(process, singleShot=True, interval=limit_ms)
    limit.timeout.connect(process.kill)
    limit.start()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ChildProcess", text)
