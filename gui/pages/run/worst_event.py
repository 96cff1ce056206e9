# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the waveform of the worst event so far in view, without keeping the plots waiting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer

from gui.engine.snapshot import Snapshot
from rig.services.event_query import NotableEvent

if TYPE_CHECKING:
    from gui.pages.run.waveform import WaveformCard

WRITTEN_MS: Final = 1000
"""Edges are in the run file, where another process can read them, this long after they came."""
EVERY_MS: Final = 3000
"""Opening the file takes the time of several pictures of the plots: not for every new maximum."""


class WorstEventFollower(QObject):
    """Shows a new worst event a moment after it came, unless the user looks at another."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._due)
        self._card: WaveformCard | None = None
        self._path: Path | None = None
        self._worst: NotableEvent | None = None
        self._shown: NotableEvent | None = None
        self._held = False

    def start(self, card: WaveformCard | None) -> None:
        """A new run."""
        self._timer.stop()
        self._card, self._path, self._worst, self._shown = card, None, None, None
        self._held = False
        if card is not None:
            card.clear()

    def hold(self) -> None:
        """The user looks at an event; leave it there."""
        self._held = True
        self._timer.stop()

    def update(self, path: Path | None, snapshot: Snapshot) -> None:
        """A moment of the run that goes on in this file."""
        if path is None or snapshot.worst_event < 0 or snapshot.worst_ns is None:
            return
        latency = round(snapshot.worst_ns * snapshot.sample_rate_hz / 1e9)
        stimulus = snapshot.worst_sample
        worst = NotableEvent(snapshot.worst_event, stimulus, stimulus + latency, "maximum")
        if snapshot.is_periods:  # the answer may have come too early
            same = (event for event in snapshot.notable if event.event == worst.event)
            worst = next(same, worst)
        if worst != self._worst:
            self._path, self._worst = path, worst
            if not self._timer.isActive() and not self._held:
                self._timer.start(WRITTEN_MS if self._shown is None else EVERY_MS)

    def finish(self, path: Path, event: int) -> None:
        """The run is over: the worst event of its final figures."""
        self._timer.stop()
        if self._card is not None and event >= 0 and not self._held:
            self._card.show_event(path, NotableEvent(event, -1, -1, "maximum"), is_worst=True)

    def cancel(self) -> None:
        """The run has ended without a file that could be shown."""
        self._timer.stop()

    def _due(self) -> None:
        if self._card is not None and self._path is not None and self._worst is not None:
            self._shown = self._worst
            self._card.show_event(self._path, self._worst, is_worst=True)
