# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run whose file stores none, computed on a thread while the window goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal

from gui.models.background import BackgroundWorker
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.session.settings_check import checked_settings
from rig.shell_words import quoted

EDGES_MAX = 1 << 20
"""Computed without being asked at most: a few seconds. `rig analyze` does any number."""


class FigureComputer(BackgroundWorker):
    """Takes paths of run files that have been vetted."""

    computed = Signal(object)
    """A Result."""
    failed = Signal(object, str)
    """Path, and why."""

    def _work(self, path: Path) -> None:
        try:
            self._compute(path)
        except InputError as error:
            self.failed.emit(path, str(error))

    def _compute(self, path: Path) -> None:
        from rig.session.results import read

        with RunFile(path) as file:
            rate_hz = checked_settings(file).sample_rate_hz
            edges, duration_s = file.edge_count, file.covered_samples / rate_hz
            grows = file.left_open
        if edges > EDGES_MAX and grows:
            raise InputError(
                f"{path}: {duration_s:.1f} s with {edges:,} edges so far; figures follow at its "
                f"end, or if it was killed: rig recover {quoted(path)}"
            )
        if edges > EDGES_MAX:
            raise InputError(
                f"{path}: not all figures are stored in it; rig analyze {quoted(path)}"
            )
        self.computed.emit(read(path))
