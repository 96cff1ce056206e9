# SPDX-License-Identifier: GPL-3.0-or-later
"""A live timeline: each stretch's longest latency, and where answers or samples are missing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gui.engine.snapshot import Snapshot
from gui.plots.card import MessagePart
from gui.plots.downsample import coarser, nice_above, one_two_five_around
from gui.plots.filled import FilledSteps, Strokes, mixed
from gui.plots.live import LivePlot, bin_range
from gui.plots.number_texts import count
from gui.plots.pg import pg
from gui.theme import theme
from rig.analysis.model.events import EventClass
from rig.services.event_query import EventQuery

MARK_PX: Final = 2
"""The width of the mark of an event."""
LOST_PX: Final = 5
BAR_PX: Final = 2
"""The width of the narrowest bar."""
MARK: Final = 0.07
"""The height of a mark, as a share of the plot."""
EDGE: Final = 0.02
"""The free share above a mark."""


class TimelinePlot(LivePlot):
    """Maxima over the analyzer's time. Missed answers are marked at the top edge, late and merged
    ones just below, stretches with signs of loss over the whole height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, limit_angle=0)
        self.retranslate()
        self._lost = Strokes(self.plot, LOST_PX)
        self._bars = FilledSteps(self.plot)
        self._doubtful = Strokes(self.plot, MARK_PX)
        self._missed = Strokes(self.plot, MARK_PX)
        self.plot.addItem(self._limit)
        self._limit.hide()
        self.plot.setMouseEnabled(x=False, y=False)
        self._restyle()

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        self._caption.setText(
            self.tr("Worst intervals over time, s")
            if self._snapshot.is_periods
            else self.tr("Maxima over time, s")
        )

    def _redraw(self) -> None:
        snapshot = self._snapshot
        end_s = snapshot.end_sample / snapshot.sample_rate_hz
        edges = np.concatenate(([0.0], end_s))
        end = nice_above(float(edges[-1]) * 1.001) if len(end_s) else 1.0
        low, high = self._range(snapshot)
        self.show_range((0.0, end), (low, high))
        self.time_axis("left", low, high)
        us = np.maximum(snapshot.max_samples * snapshot.sample_us, 1e-6)
        tops = np.where(snapshot.max_samples > 0, np.log10(us), low)
        self._bars.set_data(*coarser(edges, tops, self.plot_width // BAR_PX), low)
        middle, height = (edges[:-1] + edges[1:]) / 2, high - low
        top = high - EDGE * height
        below = top - (MARK + EDGE) * height
        doubtful = snapshot.late + snapshot.merged
        pixel = end / self.plot_width
        self._missed.set_data(middle[snapshot.missed > 0], top - MARK * height, top, pixel)
        self._doubtful.set_data(middle[doubtful > 0], below - MARK * height, below, pixel)
        self._lost.set_data(middle[snapshot.lost > 0], low, high, pixel)
        self._say(snapshot)

    def _range(self, snapshot: Snapshot) -> tuple[float, float]:
        """Return the ends of the vertical axis, log10 of microseconds, with room for marks."""
        seen = snapshot.max_samples[snapshot.max_samples > 0] * snapshot.sample_us
        if not len(seen):
            return 0.0, 2.0
        low, high = float(seen.min()), max(float(seen.max()), self._limit_us or 0.0)
        low, high = one_two_five_around(low * 0.7, high)
        return math.log10(low), math.log10(high) + 0.25 * (math.log10(high) - math.log10(low))

    def _event_at(self, x: float, y: float, near: float) -> EventQuery | None:
        """Return the slowest event of the stretch; at the height of the marks, a marked one."""
        snapshot = self._snapshot
        end_s = snapshot.end_sample / snapshot.sample_rate_hz
        first, last = np.searchsorted(end_s, (x - near, x + near))
        there = slice(int(first), int(last) + 1)
        if not len(end_s[there]):
            return None
        low, high = self.plot.vb.viewRange()[1]
        kinds = self._marked_at((high - y) / (high - low), there)
        at = int(first) + int(np.argmax(snapshot.max_samples[there]))
        longest = int(snapshot.max_samples[at])
        if not kinds and longest < 0:
            return None
        # What a stretch tells was decided in it: the stimulus may have come before it.
        before = snapshot.sample_rate_hz // 5 + max(longest, 0)
        begin = int(snapshot.end_sample[first - 1]) if first > 0 else 0
        stop = int(snapshot.end_sample[min(int(last), len(end_s) - 1)])
        found = EventQuery(kinds=kinds) if kinds else bin_range(longest)
        return replace(found, first_sample=max(begin - before, 0), end_sample=stop)

    def _marked_at(self, depth: float, there: slice) -> tuple[EventClass, ...]:
        """Return what is marked so far below the top edge, as a share of the height."""
        snapshot = self._snapshot
        if depth <= EDGE + MARK + EDGE / 2:
            return (EventClass.MISSED,) if snapshot.missed[there].any() else ()
        if depth <= 2 * (EDGE + MARK) + EDGE / 2:
            some = (snapshot.late + snapshot.merged)[there].any()
            return (EventClass.LATE, EventClass.MERGED, EventClass.AMBIGUOUS) if some else ()
        return ()

    def _say(self, snapshot: Snapshot) -> None:
        colors = theme().palette
        inside = self.tr("none: measured inside the target")
        words = [
            (snapshot.missed, self.tr("{0} missed"), colors.bad),
            (snapshot.late + snapshot.merged, self.tr("{0} late or merged"), colors.warn),
            (snapshot.lost, self.tr("signs of loss: {0}"), colors.bad),
        ]
        found = [
            MessagePart(text.format(count(int(events.sum()))), color)
            for events, text, color in words
            if events.any()
        ]
        self.set_message(*([MessagePart(inside)] if snapshot.is_values else []), *found)

    def paint_in(self) -> None:
        """Paint in the theme's colors."""
        colors = theme().palette
        self._bars.paint_in()
        self._missed.color(QColor(colors.bad))
        self._doubtful.color(QColor(colors.warn))
        self._lost.color(mixed(colors.bad, colors.panel))
        self._limit.setPen(pg.mkPen(colors.bad))
        self._redraw()
