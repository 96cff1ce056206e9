# SPDX-License-Identifier: GPL-3.0-or-later
"""Events worth a look, newest first: new maxima, missed, late, merged, over the limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gui.plots.number_texts import count, us_unit
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.theme.theme import figures_font
from gui.widgets.labels import caption
from rig.services.event_query import NotableEvent

EVERY_MS: Final = 250
"""Lines that change more often cannot be read."""


class EventList(QFrame):
    """A short list; a click or Enter asks for an event's waveform."""

    chosen = Signal(NotableEvent)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._caption = caption()
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setStyleSheet(
            "QListWidget { border: none; background: transparent; margin-left: -3px; }"
        )
        self.list.setFont(figures_font(self.font().pointSizeF()))
        self.list.itemActivated.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP)
        column.setSpacing(GAP_S)
        column.addWidget(self._caption)
        column.addWidget(self.list, 1)
        self._shown: tuple[NotableEvent, ...] = ()
        self._sample_ns = 1.0
        self._soon = QTimer(self, singleShot=True, interval=EVERY_MS)
        self._soon.timeout.connect(self._fill)
        self.retranslate()
        theme().changed.connect(self._fill)

    def retranslate(self) -> None:
        """Texts in the language in force."""
        self._caption.setText(self.tr("Events worth a look"))
        self.list.setAccessibleName(self._caption.text())

    def show_events(self, events: Sequence[NotableEvent], sample_rate_hz: int) -> None:
        """The last ones of a run, oldest first."""
        if tuple(events) == self._shown:
            return
        self._shown, self._sample_ns = tuple(events), 1e9 / sample_rate_hz
        if not self._soon.isActive():
            self._soon.start()

    def _fill(self) -> None:
        current = self.list.currentItem()
        before = None if current is None else current.data(Qt.ItemDataRole.UserRole)
        self.list.clear()
        for event in reversed(self._shown):
            item = QListWidgetItem(self._text(event))
            item.setData(Qt.ItemDataRole.UserRole, event)
            if event.reason != "maximum":
                tone = "bad" if event.reason in ("missed", "over limit") else "warn"
                item.setForeground(QColor(getattr(theme().palette, tone)))
            self.list.addItem(item)
            if event == before:
                self.list.setCurrentItem(item)

    def _text(self, event: NotableEvent) -> str:
        words = {
            "maximum": self.tr("new maximum"),
            "missed": self.tr("missed"),
            "late": self.tr("late"),
            "merged": self.tr("merged"),
            "ambiguous": self.tr("ambiguous"),
            "over limit": self.tr("over limit"),
        }
        samples = event.latency_samples
        latency = "" if samples is None else f"  {us_unit(samples * self._sample_ns)}"
        return f"{count(event.event)}  {words.get(event.reason, event.reason)}{latency}"

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))
