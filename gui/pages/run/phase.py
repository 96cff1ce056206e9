# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is at, in a line."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gui.engine.snapshot import Snapshot
from gui.plots.words import duration


def phase_words(snapshot: Snapshot) -> str:
    """For the status bar."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("RunPage", text)

    if snapshot.phase == "measuring" and snapshot.remaining_s is not None:
        return tr("Measuring, {0} remaining").format(duration(snapshot.remaining_s))
    words = {
        "opening": tr("Arming the target …"),
        "measuring": tr("Measuring"),
        "finishing": tr("Taking what the instruments still have …"),
        "evaluating": tr("Computing the figures …"),
    }
    return words.get(snapshot.phase, snapshot.phase)
