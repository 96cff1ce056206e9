# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of the plots of a running run: the moment shown, and the plan's limit."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.engine.snapshot import Snapshot
from gui.plots.card import PlotCard
from gui.plots.pg import pg
from rig.services.event_query import EventQuery
from rig.streaming.histogram import bin_starts

CLICK_PX: Final = 6
"""The distance within which a click means something."""
_STARTS: Final = np.append(bin_starts(), np.iinfo(np.int64).max)


class LivePlot(PlotCard):
    """A plot whose subclasses draw `_snapshot` in `_redraw`, and add `_limit` where it belongs."""

    wanted = Signal(EventQuery)
    """The event that is drawn where the user clicked."""

    def __init__(self, title: str, parent: QWidget | None = None, *, limit_angle: int) -> None:
        """Make the plot; `limit_angle`: 90 for a limit on the horizontal axis, else 0."""
        super().__init__(title, parent)
        self._snapshot = Snapshot()
        self._limit_us: float | None = None
        self._limit: Any = pg.InfiniteLine(angle=limit_angle, movable=False)
        self.plot.scene().sigMouseClicked.connect(self._clicked)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw this moment."""
        other = _measured(snapshot) != _measured(self._snapshot)
        self._snapshot = snapshot
        if other:
            self.retranslate()
        self._redraw()

    def set_limit_us(self, limit_us: float | None) -> None:
        """Show the plan's largest latency."""
        self._limit_us = limit_us
        self._limit.setVisible(limit_us is not None)
        if limit_us is not None:
            self._limit.setValue(self._limit_place(limit_us))
        self._redraw()

    def retranslate(self) -> None:
        """Set texts by language and by what is measured: latencies, or intervals."""
        raise NotImplementedError

    def _limit_place(self, limit_us: float) -> float:
        """Return where the limit is on its axis: most are logarithmic."""
        return math.log10(limit_us)

    def _redraw(self) -> None:
        raise NotImplementedError

    def _clicked(self, event: Any) -> None:
        view = self.plot.vb
        plain = event.button() == Qt.MouseButton.LeftButton and not event.double()
        if not plain or not view.sceneBoundingRect().contains(event.scenePos()):
            return
        point, (pixel, _) = view.mapSceneToView(event.scenePos()), view.viewPixelSize()
        found = self._event_at(point.x(), point.y(), CLICK_PX * pixel)
        if found is not None:
            self.wanted.emit(found)

    def _event_at(self, x: float, y: float, near: float) -> EventQuery | None:
        """Return what is drawn at a place in the plot, no farther than `near` across."""
        raise NotImplementedError

    def _of_latency(self, low_us: float, us: float, high_us: float) -> EventQuery | None:
        """Return an event of the bin nearest to `us`, if there is one from low to high."""
        bins = self._snapshot.bins
        if not len(bins):
            return None
        starts, ends = (_STARTS[bins + k] * self._snapshot.sample_us for k in (0, 1))
        away = np.maximum(np.maximum(starts - us, us - ends), 0.0)
        at = int(np.argmin(away))
        if ends[at] < low_us or starts[at] > high_us:
            return None
        return bin_range(int(_STARTS[bins[at]]))


def _measured(snapshot: Snapshot) -> tuple[bool, bool, bool, str]:
    """Return what titles depend on."""
    return snapshot.is_periods, snapshot.is_values, snapshot.is_search, snapshot.quantity


def bin_range(latency_samples: int) -> EventQuery:
    """Return any event whose latency is in the same bin as this one."""
    at = int(np.searchsorted(_STARTS, latency_samples, side="right"))
    return EventQuery(int(_STARTS[at - 1]), int(_STARTS[at]))
