# SPDX-License-Identifier: GPL-3.0-or-later
"""A live histogram: linear microseconds, logarithmic counts, the worst value in words."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.engine.snapshot import Snapshot
from gui.plots.card import MessagePart
from gui.plots.downsample import bars, beyond, bulk, nice_above
from gui.plots.filled import FilledSteps
from gui.plots.live import LivePlot
from gui.plots.number_texts import count, us_unit
from gui.plots.pg import pg
from gui.theme import theme
from rig.services.event_query import EventQuery

BASE: Final = math.log10(0.5)
"""The level where bars begin: one latency is then seen, and none is nothing."""


class HistogramPlot(LivePlot):
    """The latencies so far. Wheel and mouse zoom the time axis; `show_all` goes back."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, limit_angle=90)
        self.retranslate()
        self._zoomed = False
        self.bulk_only = False
        self._bars = FilledSteps(self.plot)
        self._worst: Any = pg.InfiniteLine(angle=90, movable=False)
        for item in (self._worst, self._limit):
            self.plot.addItem(item)
        self._limit.hide()
        self._worst.hide()
        self.plot.setMouseEnabled(x=True, y=False)
        decades = [float(d) for d in range(13)]
        texts = [count(round(10**d)) if d < 4 else f"1e{d:.0f}" for d in decades]
        self.log_axis("left", list(zip(decades, texts, strict=True)), decades)
        self.plot.vb.setLimits(xMin=0)
        self.plot.vb.sigRangeChangedManually.connect(self._zoomed_by_hand)
        self._fit()
        self._restyle()

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        snapshot = self._snapshot
        title = self.tr("Latency histogram, µs")
        if snapshot.is_periods:
            title = self.tr("Intervals off by, µs")
        elif snapshot.is_search:
            title = self.tr("Latency histogram of all rates, µs")
        elif snapshot.is_values:
            title = self.tr("Histogram of values, µs")
            if snapshot.quantity:
                title = self.tr("Histogram: {0}, µs").format(snapshot.quantity)
        self._caption.setText(title)

    def _limit_place(self, limit_us: float) -> float:
        return limit_us

    def show_all(self) -> None:
        """Show the whole range again."""
        self._zoomed = False
        self._redraw()

    def set_bulk_only(self, bulk_only: bool) -> None:
        """Show only up to where 99.9 % of the latencies lie; what lies beyond is counted."""
        self.bulk_only = bulk_only
        self.show_all()

    def mouseDoubleClickEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Go back to the whole range."""
        self.show_all()
        event.accept()

    def _event_at(self, x: float, _y: float, near: float) -> EventQuery | None:
        return self._of_latency(x - near, x, x + near)

    def _zoomed_by_hand(self) -> None:
        self._zoomed = True
        self._redraw()

    def _fit(self) -> None:
        snapshot = self._snapshot
        high = (snapshot.worst_ns or 0.0) / 1e3
        if self.bulk_only and len(snapshot.bins):
            high = bulk(snapshot.bins, snapshot.bin_counts) * snapshot.sample_us
        elif self._limit_us is not None and self._limit_us < 3 * max(high, 1.0):
            high = max(high, self._limit_us)
        self.show_range((0.0, nice_above(high * 1.02) if high else 10.0))

    def _redraw(self) -> None:
        snapshot = self._snapshot
        if not self._zoomed:
            self._fit()
        low, high = (x / snapshot.sample_us for x in self.plot.vb.viewRange()[0])
        if not len(snapshot.bins):
            self._bars.clear()
            self._worst.hide()
            follow = MessagePart(self.tr("values follow at the end"))
            self.set_message(*([follow] if snapshot.is_values else []))
            return
        edges, counts = bars(
            snapshot.bins, snapshot.bin_counts, low, high, max(50, self.plot_width // 2)
        )
        top = int(counts.max(initial=1))
        with np.errstate(divide="ignore"):
            heights = np.maximum(np.log10(counts), BASE)
        self._bars.set_data(edges * snapshot.sample_us, heights, BASE)
        self.show_range(y=(BASE, max(1.0, math.ceil(math.log10(top * 1.3) * 2) / 2)))
        self._show_worst(snapshot, high)

    def _show_worst(self, snapshot: Snapshot, high: float) -> None:
        self._worst.setVisible(snapshot.worst_ns is not None)
        if snapshot.worst_ns is None:
            self.set_message()
            return
        self._worst.setValue(snapshot.worst_ns / 1e3)
        words = self.tr("worst {0}, event {1}")
        if snapshot.is_periods:
            words = self.tr("worst {0}, period {1}")
        elif snapshot.is_values:
            words = self.tr("worst {0}")
        words = words.format(us_unit(snapshot.worst_ns), count(snapshot.worst_event))
        hidden = beyond(snapshot.bins, snapshot.bin_counts, high)
        if hidden:
            words = self.tr("{0} beyond the right edge · ").format(count(hidden)) + words
        over = self._limit_us is not None and snapshot.worst_ns / 1e3 > self._limit_us
        self.set_message(MessagePart(words, theme().palette.bad if over else None))

    def paint_in(self) -> None:
        """Paint in the theme's colors."""
        colors = theme().palette
        self._bars.paint_in()
        self._worst.setPen(pg.mkPen(colors.ink, style=Qt.PenStyle.DotLine))
        self._limit.setPen(pg.mkPen(colors.bad))
        self._redraw()
