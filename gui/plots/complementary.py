# SPDX-License-Identifier: GPL-3.0-or-later
"""A live complementary distribution: which share of latencies is longer, axes logarithmic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtWidgets import QWidget

from gui.plots.downsample import complementary, decimate, falling_steps, one_two_five_around
from gui.plots.live import LivePlot
from gui.plots.pg import pg
from gui.theme import theme
from rig.services.event_query import EventQuery


class ComplementaryPlot(LivePlot):
    """A plot of the tail, where a histogram has but single counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, limit_angle=90)
        self.retranslate()
        self._curve: Any = pg.PlotCurveItem()
        self.plot.addItem(self._curve)
        self.plot.addItem(self._limit)
        self._limit.hide()
        self.plot.setMouseEnabled(x=False, y=False)
        shares = [-float(d) for d in range(13)]
        self.log_axis("left", [(d, f"1e{d:.0f}" if d else "1") for d in shares], shares)
        self._restyle()

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        title = self.tr("Share of latencies above")
        if self._snapshot.is_periods:
            title = self.tr("Share of intervals off by more")
        elif self._snapshot.is_values:
            title = self.tr("Share of values above")
        self._caption.setText(title)

    def _redraw(self) -> None:
        snapshot = self._snapshot
        worst = (
            0 if snapshot.worst_ns is None else round(snapshot.worst_ns / 1e3 / snapshot.sample_us)
        )
        x, share = complementary(snapshot.bins, snapshot.bin_counts, worst)
        if not len(x):
            self._curve.setData([], [])
            self.time_axis("bottom", 0.0, 2.0)
            self.show_range((0.0, 2.0), (-3.0, 0.1))
            return
        x_us, share = decimate(np.maximum(x, 0.5) * snapshot.sample_us, share, 2 * self.plot_width)
        high_us = max(float(x_us[-1]), self._limit_us or 0.0)
        low_us, high_us = one_two_five_around(float(x_us[0]), high_us)
        start = math.log10(low_us)
        self._curve.setData(*falling_steps(np.log10(x_us), np.log10(share), start, 0.0))
        self.time_axis("bottom", math.log10(low_us), math.log10(high_us))
        bottom = float(math.floor(math.log10(share[-1])))
        self.show_range((math.log10(low_us), math.log10(high_us)), (bottom, 0.1))

    def _event_at(self, x: float, _y: float, near: float) -> EventQuery | None:
        return self._of_latency(10.0 ** (x - near), 10.0**x, 10.0 ** (x + near))

    def paint_in(self) -> None:
        """Paint in the theme's colors."""
        colors = theme().palette
        self._curve.setPen(pg.mkPen(colors.accent, width=1))
        self._limit.setPen(pg.mkPen(colors.bad))
