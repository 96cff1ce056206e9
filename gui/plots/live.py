# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plots of a running run share: the moment that they show, and the plan's limit."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtWidgets import QWidget

from gui.engine.snapshot import Snapshot
from gui.plots.card import PlotCard
from gui.plots.pg import pg


class LivePlot(PlotCard):
    """Subclasses draw `_snapshot` in `_redraw`, and add `_limit` to the plot where it belongs."""

    def __init__(self, title: str, parent: QWidget | None = None, *, limit_angle: int) -> None:
        """`limit_angle`: 90 for a limit on the horizontal axis, 0 for one on the vertical axis."""
        super().__init__(title, parent)
        self._snapshot = Snapshot()
        self._limit_us: float | None = None
        self._limit: Any = pg.InfiniteLine(angle=limit_angle, movable=False)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw this moment."""
        other = snapshot.is_periods != self._snapshot.is_periods
        self._snapshot = snapshot
        if other:
            self.retranslate()
        self._redraw()

    def set_limit_us(self, limit_us: float | None) -> None:
        """The plan's largest latency."""
        self._limit_us = limit_us
        self._limit.setVisible(limit_us is not None)
        if limit_us is not None:
            self._limit.setValue(self._limit_place(limit_us))
        self._redraw()

    def retranslate(self) -> None:
        """Texts in the language in force, and of what is measured: latencies, or intervals."""
        raise NotImplementedError

    def _limit_place(self, limit_us: float) -> float:
        """Where the limit is on its axis: most are logarithmic."""
        return math.log10(limit_us)

    def _redraw(self) -> None:
        raise NotImplementedError
