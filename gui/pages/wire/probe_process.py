# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that looks for instruments, or asks a target, while the window goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gui.processes.child import ChildProcess, Ending
from gui.processes.messages import FAILED, Message
from rig.services.finding import DoctorFinding
from rig.untrusted.decode import Length, decoded

LOOK_MS: Final = 60_000
"""The time after which a look hangs and is given up; every driver may take its own limit before."""
FINDINGS_MAX: Final = 1000


@dataclass(frozen=True)
class ProbeResult:
    """The result of a process that has looked."""

    findings: Annotated[tuple[DoctorFinding, ...], Length(FINDINGS_MAX)]


class ProbeProcess(ChildProcess):
    """A process with at most one look at a time; each ends with `found` or `failed`."""

    found = Signal(object)
    """A tuple of findings."""
    failed = Signal(str)

    end_ms = 2_000

    def __init__(self, module: str, parent: QObject | None = None) -> None:
        """Make the process; `module` sends findings."""
        super().__init__(parent)
        self._module = module
        self._limit = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._limit.timeout.connect(self._give_up)

    @property
    def is_looking(self) -> bool:
        """Whether a look goes on."""
        return self.is_alive

    def start(self, request: Mapping[str, Any]) -> None:
        """Look; does nothing while a look goes on."""
        if not self.is_alive:
            self._limit.start()
            self._start(self._module)
            self._send(dict(request))

    def stop(self) -> None:
        """Kill the process: the window closes."""
        self._limit.stop()
        self._kill()  # a driver that hangs ends in no other way
        self.close()

    def _name(self) -> str:
        return self.tr("The looking process")

    def _on_message(self, message: Message) -> None:
        if message.kind == FAILED:
            self._fail(str(message.fields["text"]))
            return
        findings = decoded(ProbeResult, message.fields).findings
        self._limit.stop()
        self._let_go()
        self.found.emit(findings)

    def _on_ended(self, ending: Ending) -> None:
        self._fail(ending.last_line)

    def _give_up(self) -> None:
        self.stop()
        self._fail(self.tr("no answer within {0} s").format(LOOK_MS // 1000))

    def _fail(self, reason: str) -> None:
        self._limit.stop()
        self._let_go()
        text = self.tr("Looking failed ({0}); `rig doctor` may tell more.")
        self.failed.emit(text.format(reason))
