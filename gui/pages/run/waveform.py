# SPDX-License-Identifier: GPL-3.0-or-later
"""The waveform of the worst event so far, or of one that was chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from gui.plots.number_texts import count
from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption, centered
from rig.services.event_query import NotableEvent

if TYPE_CHECKING:
    from gui.plots.waveform.view import WaveformView


class WaveformCard(QFrame):
    """Shows what the run file has of an event; until there is one, says so."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._caption = caption()
        self._nothing = centered()
        self._view: WaveformView | None = None
        self._stack = QStackedLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP_S)
        column.setSpacing(GAP_S)
        column.addWidget(self._caption)
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self._nothing)  # now that it has a parent: else it is a window
        self.clear()

    def hasHeightForWidth(self) -> bool:  # noqa: N802 - Qt's name
        """No: else the label with lines that wrap makes this card as high as all wires would like.

        The plot above it would have what is left.
        """
        return False

    def clear(self) -> None:
        """Nothing to be shown yet."""
        self._caption.setText(self.tr("Waveform of the worst event"))
        self._nothing.setText(self.tr("Comes with the first answers."))
        self._stack.setCurrentWidget(self._nothing)

    def show_nothing_came(self) -> None:
        """The run is over, and nothing was answered."""
        if self._stack.currentWidget() is self._nothing:
            self._nothing.setText(self.tr("Nothing was answered."))

    def show_self_measured(self) -> None:
        """The target measures by itself."""
        self._nothing.setText(self.tr("Measured inside the target: no waveform of single values."))

    def show_event(self, run: Path, event: NotableEvent, *, is_worst: bool) -> None:
        """Draw the samples around an event of a run, finished or not."""
        view = self._made()
        text = self.tr("Waveform of the worst event, {0}") if is_worst else self.tr("Event {0}")
        self._caption.setText(text.format(count(event.event)))
        view.show_event(run, event.event, event.stimulus_sample, event.response_sample)
        self._stack.setCurrentWidget(view)

    def _made(self) -> WaveformView:
        if self._view is None:
            # The window opens sooner without.
            from gui.plots.waveform.view import WaveformView

            self._view = WaveformView()
            self._stack.addWidget(self._view)
        return self._view
