# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a run, from the whole down to a few events, and the line through each.

A stretch is split into halves, and a third half across their border, so that each event lies well
inside one of them: at the end of a stretch a line could tilt to suit a false event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rig.analysis.clocks.brackets import Rates
from rig.analysis.clocks.line import Corners, Line, fit_line
from rig.analysis.clocks.pyramid import CELL_EVENTS, Pyramid, numbered_corners

_FEWEST_EVENTS = 8
_FEW_EVENTS = 64
"""Stretches of no more events are not split, unless drift could hide an eighth of a bracket."""


class LineFit(Enum):
    """The outcome of fitting one straight line to a stretch."""

    FITS = "fits"
    DRIFTS = "drifts"
    """Only brackets widened by what the clocks may drift let a line through."""
    BROKEN = "broken"
    """Not even those do: no clock within the drift bound fits."""


@dataclass(frozen=True)
class EventWindow:
    """Events `first` to `stop` - 1: two cells of a level of the pyramid, or any (level -1)."""

    first: int
    stop: int
    level: int = -1


@dataclass(frozen=True)
class WindowFit:
    """The outcome and line of a window."""

    window: EventWindow
    outcome: LineFit
    line: Line | None
    """None: all its events are excluded."""
    first_sample: int
    last_sample: int
    allowance_ticks: float

    @property
    def middle_sample(self) -> float:
        return (self.first_sample + self.last_sample) / 2

    @property
    def span_samples(self) -> int:
        return self.last_sample - self.first_sample


class Windows:
    """The windows of a pyramid, each fitted when first asked for."""

    def __init__(self, pyramid: Pyramid, rates: Rates) -> None:
        self.pyramid, self.rates = pyramid, rates
        self._fits: dict[EventWindow, WindowFit] = {}

    @property
    def whole(self) -> EventWindow:
        """The window of all events."""
        top = self.pyramid.top
        return EventWindow(0, self.pyramid.count, top - 1 if top else -1)

    def fit(self, window: EventWindow) -> WindowFit:
        """Return the window's line with the most slack, and whether it fits."""
        if window not in self._fits:
            self._fits[window] = fit_window(window, self.corners(window), self.rates)
        return self._fits[window]

    def corners(self, window: EventWindow) -> Corners:
        """Return the hull corners of the window's events."""
        if window.level >= 0:
            cell = window.first // (CELL_EVENTS << window.level)
            return self.pyramid.corners(window.level, cell, 2)
        events = self.pyramid.events(window.first, window.stop)
        return numbered_corners(events, self.pyramid.numbers(window.first, window.stop))

    def forget(self, events: set[int]) -> None:
        """Discard the fits of windows that hold these events, which were excluded."""
        self._fits = {
            window: fit
            for window, fit in self._fits.items()
            if not any(window.first <= event < window.stop for event in events)
        }

    def is_smallest(self, fit: WindowFit) -> bool:
        """Return whether the window is too small to be split further."""
        events = fit.window.stop - fit.window.first
        hidden = fit.allowance_ticks > self.pyramid.width_ticks / 8
        return events <= (_FEWEST_EVENTS if hidden else _FEW_EVENTS)

    def parts(self, window: EventWindow) -> list[EventWindow]:
        """Return the window's halves, and the third half across their border."""
        if window.level > 0:
            level = window.level - 1
            size = CELL_EVENTS << level
            firsts = range(window.first, window.first + 3 * size, size)
            stops = [min(first + 2 * size, self.pyramid.count) for first in firsts]
            return [
                EventWindow(first, stop, level)
                for first, stop in zip(firsts, stops, strict=True)
                if stop > first + size
            ] or [EventWindow(window.first, window.stop)]
        half = (window.stop - window.first + 1) // 2
        quarter = half // 2
        return [
            EventWindow(first, first + half)
            for first in (window.first, window.first + quarter, window.stop - half)
        ]


def fit_window(window: EventWindow, found: Corners, rates: Rates) -> WindowFit:
    """Judge a stretch by its corners."""
    if not found.lower_x:
        return WindowFit(window, LineFit.FITS, None, 0, 0, 0.0)
    line = fit_line(found)
    first, last = found.lower_x[0], found.lower_x[-1]
    allowance = rates.allowance_ticks(last - first)
    if line.feasible:
        outcome = LineFit.FITS
    else:
        outcome = LineFit.DRIFTS if line.slack_ticks >= -allowance else LineFit.BROKEN
    return WindowFit(window, outcome, line, first, last, allowance)
