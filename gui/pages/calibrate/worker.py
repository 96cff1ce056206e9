# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the process that touches instruments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal

from calibration.wizard import StageReport
from gui.pages.calibrate.messages import (
    DONE,
    OPENED,
    PROGRESS,
    REPORT,
    STOPPED,
    WIRE,
    findings_of,
    report_of,
)
from gui.processes.child import ChildProcess, Ending
from gui.processes.messages import FAILED, Message


class Worker(ChildProcess):
    """A worker with at most one job at a time. Each ends with `ended`."""

    progress = Signal(str)
    reported = Signal(StageReport)
    opened = Signal()
    """The bench was opened; wires can be looked at."""
    wire = Signal(str, object)
    """A signal, and what was found of its wire: a tuple of Finding."""
    ended = Signal(str)
    """The job has ended: "" if all was done; else why not, in one line."""
    running_changed = Signal(bool)

    @property
    def is_running(self) -> bool:
        """Whether a job goes on: from `start` until `ended`."""
        return self.is_alive

    @property
    def has_instruments(self) -> bool:
        """Whether a job runs, or one that was given up still closes its instruments."""
        return self.is_alive or self.is_ending

    def start(self, job: Mapping[str, Any]) -> None:
        """Start this job, as `gui.pages.calibrate.work_process` reads it."""
        if self.is_alive:
            raise RuntimeError("a job is under way")
        self._start("gui.pages.calibrate.work_process")
        self._send(dict(job))
        self.running_changed.emit(True)

    def look_at(self, signal: str) -> None:
        """Check this wire once; `wire` has what was found."""
        self._send(signal)

    def ask_stop(self) -> None:
        """Ask the job to end in order, and go on to hear it."""
        self._ask_end(self.end_ms)

    def give_up(self) -> None:
        """Let go of the job; it ends in order while the window goes on."""
        if self.is_alive:
            self._let_go()
            self.running_changed.emit(self.has_instruments)

    def close(self) -> None:
        """Reap every process: the window closes."""
        self.give_up()
        super().close()

    def _name(self) -> str:
        return self.tr("The working process")

    def _on_message(self, message: Message) -> None:
        fields = message.fields
        match message.kind:
            case kind if kind == PROGRESS:
                self.progress.emit(str(fields["text"]))
            case kind if kind == REPORT:
                self.reported.emit(report_of(fields))
            case kind if kind == OPENED:
                self.opened.emit()
            case kind if kind == WIRE:
                self.wire.emit(str(fields["signal"]), findings_of(fields))
            case kind if kind == DONE:
                self._end("")
            case kind if kind == STOPPED:
                self._end(self.tr("Stopped. What was not finished is not recorded."))
            case kind if kind == FAILED:
                self._end(str(fields["text"]))
            case kind:
                raise ValueError(f"message of kind {kind}")

    def _on_ended(self, ending: Ending) -> None:
        words = [ending.text, *ending.details.splitlines()[-1:]]
        self._end(" ".join(words))

    def _on_gone(self) -> None:
        self.running_changed.emit(self.has_instruments)

    def _end(self, why: str) -> None:
        self._let_go()
        self.running_changed.emit(self.has_instruments)
        self.ended.emit(why)
