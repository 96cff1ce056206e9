# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run whose file stores none, computed on a thread while the window goes on."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from rig.errors import InputError
from rig.record.reader import RunFile
from rig.session.settings import settings_from_json

EDGES_MAX = 1 << 20
"""Computed without being asked at most: a few seconds. `rig analyze` does any number."""


class FigureComputer(QObject):
    """Computes for one run at a time; what is asked for meanwhile comes next."""

    computed = Signal(object)
    """A Result."""
    failed = Signal(object, str)
    """Path, and why."""

    def __init__(self) -> None:
        super().__init__()
        self._wanted: Path | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def ask(self, path: Path) -> None:
        """Compute the figures of a run file that has been vetted."""
        with self._lock:
            self._wanted = path
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="figures", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Forget what was asked for, and wait for what is under way."""
        with self._lock:
            self._wanted = None
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (path := self._next()) is not None:
            try:
                self._compute(path)
            except InputError as error:
                self.failed.emit(path, str(error))

    def _next(self) -> Path | None:
        with self._lock:
            path, self._wanted = self._wanted, None
            if path is None:
                self._thread = None
            return path

    def _compute(self, path: Path) -> None:
        from rig.session.results import read

        with RunFile(path) as file:
            rate_hz = settings_from_json(path, file.settings).sample_rate_hz
            edges, duration_s = file.edge_count, file.covered_samples / rate_hz
            grows = file.left_open
        if edges > EDGES_MAX and grows:
            raise InputError(
                f"{path}: {duration_s:.1f} s with {edges:,} edges so far; figures follow at its "
                f"end, or if it was killed: rig recover {path}"
            )
        if edges > EDGES_MAX:
            raise InputError(f"{path}: not all figures are stored in it; rig analyze {path}")
        self.computed.emit(read(path))
