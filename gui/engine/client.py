# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the engine, the process that measures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gui.engine.outcome import BENCH_FAILED, DONE, Failure, RunResult, outcome_of
from gui.engine.request import BEGUN, TELL, RunRequest
from gui.engine.snapshot import KIND as SNAPSHOT
from gui.engine.snapshot import Snapshot, snapshot_of
from gui.processes.child import ChildProcess, Ending
from gui.processes.messages import FAILED, Message


class RunEngine(ChildProcess):
    """The engine of at most one run at a time. All signals come in the window's thread."""

    snapshot = Signal(Snapshot)
    preparing = Signal(str)
    """A line on what takes long before anything is measured."""
    bench_failed = Signal(str)
    """An instrument failed in mid-run, one line; `done` follows when all is evaluated."""
    done = Signal(RunResult)
    failed = Signal(Failure)
    running_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path: Path | None = None
        self._running = False
        self._stopping = False
        self._closed = False

    @property
    def is_running(self) -> bool:
        """Whether a run goes on: from `start` until `done` or `failed`."""
        return self._running

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called and the run has not ended yet."""
        return self._running and self._stopping

    @property
    def path(self) -> Path | None:
        """The file of this run, or of the last one; None before there is one."""
        return self._path

    def prepare(self) -> None:
        """Have an engine ready, its modules loaded: it then starts at once."""
        self._closed = False
        if not self.is_alive:
            self._start("gui.engine")

    def start(self, job: RunRequest) -> None:
        """Begin to measure. The run ends with either `done` or `failed`."""
        if self._running:
            raise RuntimeError("a run is going on")
        self._path, self._stopping = None, False
        self._set_running(True)
        self.prepare()
        self._send(job.fields())

    def stop(self) -> None:
        """Ask for the run's end in order: what was measured is kept and evaluated."""
        if self._running and not self._stopping:
            self._stopping = True
            self._ask_end()

    def close(self) -> None:
        """End the run, if any, in order, and reap every process: the window closes."""
        self._closed = True
        if not self._running:
            self._kill()  # it waits for a job, or still loads what measures
        super().close()

    def _name(self) -> str:
        return self.tr("The measuring process")

    def _newest(self, messages: list[Message]) -> list[Message]:
        """Return the messages without all snapshots but the newest: only that is worth drawing."""
        newest = max((i for i, m in enumerate(messages) if m.kind == SNAPSHOT), default=-1)
        return [m for i, m in enumerate(messages) if m.kind != SNAPSHOT or i == newest]

    def _on_message(self, message: Message) -> None:
        fields = message.fields
        match message.kind:
            case kind if kind == SNAPSHOT:
                self.snapshot.emit(snapshot_of(message))
            case kind if kind == TELL:
                self.preparing.emit(str(fields["text"]))
            case kind if kind == BEGUN:
                self._path = Path(str(fields["path"]))
            case kind if kind == BENCH_FAILED:
                self.bench_failed.emit(str(fields["text"]))
            case kind if kind == DONE:
                self._end(outcome_of(message))
            case kind if kind == FAILED:
                text, details = str(fields["text"]), str(fields["details"])
                self._end(Failure(text, self._kept(), details, fields["refused"] is True))

    def _on_ended(self, ending: Ending) -> None:
        self._end(Failure(ending.text, self._kept(), ending.details))

    def _kept(self) -> Path | None:
        return self._path if self._path is not None and self._path.exists() else None

    def _end(self, ending: RunResult | Failure) -> None:
        """Let go of the process after its last message; the next run gets another."""
        self._let_go()
        if not self._running:
            return
        self._set_running(False)
        if isinstance(ending, RunResult):
            self.done.emit(ending)
        else:
            self.failed.emit(ending)
        QTimer.singleShot(0, self, self._prepare_again)

    def _prepare_again(self) -> None:
        if not self._closed:
            self.prepare()

    def _set_running(self, running: bool) -> None:
        self._running = running
        self.running_changed.emit(running)
