# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for instruments, or asks a target, while the window goes on."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from rig.services.doctor import Finding

LOOK_MS: Final = 60_000
"""After so long something hangs, and is given up; every driver may take its own limit before."""
BYTES_MAX: Final = 1 << 20
_END_MS: Final = 2_000
_FIELDS: Final = {"what": str, "state": str, "mend": str, "needed": bool,
                  "driver": str, "port": str, "host": str}  # fmt: skip


class Looker(QObject):
    """At most one look at a time; each ends with `found` or `failed`."""

    found = Signal(object)
    """A tuple of Finding."""
    failed = Signal(str)

    def __init__(self, module: str, parent: QObject | None = None) -> None:
        """`module` writes findings as JSON."""
        super().__init__(parent)
        self._module = module
        self._process: QProcess | None = None
        self._limit = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._limit.timeout.connect(self._give_up)

    @property
    def is_looking(self) -> bool:
        """A look goes on."""
        return self._process is not None

    def start(self, *words: str, told: bytes = b"") -> None:
        """Look; does nothing while a look goes on. `words` are its arguments, `told` its input."""
        if self._process is not None:
            return
        process = self._process = QProcess(self)
        process.setProgram(sys.executable)
        process.setArguments(["-P", "-m", self._module, *words])
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        self._limit.start()
        process.start()
        process.write(told)
        process.closeWriteChannel()

    def stop(self) -> None:
        """The window goes."""
        process = self._let_go()
        if process is not None:
            process.kill()
            process.waitForFinished(_END_MS)

    def _finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        process = self._let_go()
        if process is None:
            return
        data = bytes(process.readAllStandardOutput().data())
        errors = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        try:
            findings = findings_of(data)
        except ValueError as error:
            last = errors.splitlines()[-1] if errors else str(error)
            self._fail(self.tr("exit code {0}: {1}").format(code, last))
        else:
            self.found.emit(findings)

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._let_go()
            self._fail(reason)

    def _give_up(self) -> None:
        self.stop()
        self._fail(self.tr("no answer within {0} s").format(LOOK_MS // 1000))

    def _fail(self, reason: str) -> None:
        text = self.tr("Looking failed ({0}); `rig doctor` may tell more.")
        self.failed.emit(text.format(reason))

    def _let_go(self) -> QProcess | None:
        self._limit.stop()
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._finished)
            process.errorOccurred.disconnect(self._error)
        return process


def findings_of(data: bytes) -> tuple[Finding, ...]:
    """From the JSON of `look`. Raises ValueError for anything else."""
    if len(data) > BYTES_MAX:
        raise ValueError("too long an answer")
    stored = json.loads(data)
    if not isinstance(stored, list):
        raise ValueError("no list of findings")
    return tuple(_finding(each) for each in stored)


def _finding(stored: Any) -> Finding:
    if not isinstance(stored, dict) or set(stored) != set(_FIELDS):
        raise ValueError("a finding with other fields")
    if any(type(stored[name]) is not kind for name, kind in _FIELDS.items()):
        raise ValueError("a finding with other types")
    return Finding(**stored)
