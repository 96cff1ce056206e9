# SPDX-License-Identifier: GPL-3.0-or-later
"""The phase of a run, in a line."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication

from gui.engine.snapshot import Snapshot
from gui.plots.number_texts import duration

ON_TARGET: Final = " on the target"
"""The words after the name of a tool that runs there before anything is measured."""


def phase_words(snapshot: Snapshot) -> str:
    """Return the phase in words for the status bar."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("RunPage", text)

    if snapshot.phase == "measuring" and snapshot.remaining_s is not None:
        left = duration(snapshot.remaining_s)
        if snapshot.hold:
            return tr("Measuring, at most {0} remaining").format(left)
        return tr("Measuring, {0} remaining").format(left)
    if snapshot.phase.endswith(ON_TARGET):
        return tr("{0} runs on the target …").format(snapshot.phase.removesuffix(ON_TARGET))
    words = {
        "opening": tr("Arming the target …"),
        "measuring": tr("Measuring"),
        "finishing": tr("Taking what the instruments still have …"),
        "evaluating": tr("Computing the figures …"),
    }
    return words.get(snapshot.phase, snapshot.phase)
