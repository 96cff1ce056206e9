# SPDX-License-Identifier: GPL-3.0-or-later
"""Live timeline: the longest latency of each stretch, and where answers or samples are missing."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from PySide6.QtWidgets import QWidget

from gui.engine.snapshot import Snapshot
from gui.plots.filled import FilledSteps
from gui.plots.live import LivePlot
from gui.plots.pg import pg
from gui.plots.reduce import Float64Array, coarser, nice_above, one_two_five_around
from gui.plots.words import count
from gui.theme import theme
from rig.instruments import Int64Array

MARK: Final = 0.07
"""Height of a mark, as a share of the plot."""


class TimelinePlot(LivePlot):
    """Maxima over the analyzer's time. Missed answers are marked at the top edge, late and merged
    ones just below, stretches with signs of loss over the whole height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, limit_angle=0)
        self.retranslate()
        self._lost: Any = pg.PlotCurveItem(connect="pairs")
        self._bars = FilledSteps(self.plot)
        self._missed: Any = pg.PlotCurveItem(connect="pairs")
        self._doubtful: Any = pg.PlotCurveItem(connect="pairs")
        for item in (self._lost, self._doubtful, self._missed, self._limit):
            self.plot.addItem(item)
        self._limit.hide()
        self.plot.setMouseEnabled(x=False, y=False)
        self._restyle()

    def retranslate(self) -> None:
        """Texts in the language in force."""
        self._caption.setText(self.tr("Maxima over time, s"))

    def _redraw(self) -> None:
        snapshot = self._snapshot
        end_s = snapshot.end_sample / snapshot.sample_rate_hz
        edges = np.concatenate(([0.0], end_s))
        self.plot.setXRange(
            0, nice_above(float(edges[-1]) * 1.001) if len(end_s) else 1.0, padding=0
        )
        low, high = self._range(snapshot)
        self.plot.setYRange(low, high, padding=0)
        self.time_axis("left", low, high)
        us = np.maximum(snapshot.max_samples * snapshot.sample_us, 1e-6)
        tops = np.where(snapshot.max_samples > 0, np.log10(us), low)
        self._bars.set_data(*coarser(edges, tops, self.plot_width), low)
        middle, height = (edges[:-1] + edges[1:]) / 2, high - low
        top = high - 0.02 * height
        below = top - (MARK + 0.02) * height
        doubtful = snapshot.late + snapshot.merged
        self._missed.setData(*_marks(middle, snapshot.missed, top - MARK * height, top))
        self._doubtful.setData(*_marks(middle, doubtful, below - MARK * height, below))
        self._lost.setData(*_marks(middle, snapshot.lost, low, high))
        self._say(snapshot)

    def _range(self, snapshot: Snapshot) -> tuple[float, float]:
        """Ends of the vertical axis, log10 of microseconds, with room for marks."""
        seen = snapshot.max_samples[snapshot.max_samples > 0] * snapshot.sample_us
        if not len(seen):
            return 0.0, 2.0
        low, high = float(seen.min()), max(float(seen.max()), self._limit_us or 0.0)
        low, high = one_two_five_around(low * 0.7, high)
        return math.log10(low), math.log10(high) + 0.25 * (math.log10(high) - math.log10(low))

    def _say(self, snapshot: Snapshot) -> None:
        colors = theme().palette
        words = [
            (snapshot.missed, self.tr("{0} missed"), colors.bad),
            (snapshot.late + snapshot.merged, self.tr("{0} late or merged"), colors.warn),
            (snapshot.lost, self.tr("{0} signs of loss"), colors.bad),
        ]
        found = [
            f'<span style="color:{color}">{text.format(count(int(events.sum())))}</span>'
            for events, text, color in words
            if events.any()
        ]
        self.say(" · ".join(found))

    def paint_in(self) -> None:
        """As the theme says."""
        colors = theme().palette
        self._bars.paint_in()
        self._missed.setPen(pg.mkPen(colors.bad, width=2))
        self._doubtful.setPen(pg.mkPen(colors.warn, width=2))
        lost = pg.mkColor(colors.bad)
        lost.setAlpha(90)
        self._lost.setPen(pg.mkPen(lost, width=5))
        self._limit.setPen(pg.mkPen(colors.bad))
        self._redraw()


def _marks(
    middle: Float64Array, events: Int64Array, low: float, high: float
) -> tuple[Float64Array, Float64Array]:
    """A vertical stroke at each stretch that has such events."""
    x = np.repeat(middle[events > 0], 2)
    return x, np.tile(np.array([low, high]), len(x) // 2)
