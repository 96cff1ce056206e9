# SPDX-License-Identifier: GPL-3.0-or-later
"""The causes of a stretch that no clock fits: one false record, a few, or the clock itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.line import Line, corners_of, fit_line
from rig.analysis.clocks.pyramid import Pyramid
from rig.analysis.clocks.windows import EventWindow, LineFit, WindowFit, fit_window
from rig.instruments import Int64Array

_TOGETHER_MAX = 3
"""More false events than this in one small stretch are taken for a clock that jumped."""


@dataclass(frozen=True)
class Violation:
    """An event whose edge and record cannot both be true."""

    event: int
    sample: int
    off_ticks: float
    """Least amount by which the record is too late (positive) or too early (negative)."""
    off_ns: float
    instead: tuple[int, ...] = ()
    """Events of which one could be the false one instead; empty: no other alone explains it."""

    @property
    def text(self) -> str:
        """The event and by how much it is off, in one line."""
        where = f"event {self.event:,} (sample {self.sample:,})"
        if not self.off_ticks:
            return f"{where}: the record's ticks run backward"
        way = "late" if self.off_ticks > 0 else "early"
        text = f"{where}: the log is {abs(self.off_ns):,.0f} ns or more too {way} for its edge"
        if self.instead:
            others = ", ".join(f"{event:,}" for event in self.instead)
            text += f"; or event {others} is false instead"
        return text


@dataclass(frozen=True)
class Break:
    """A place that no clock within the drift bound gets through, whichever few events one drops."""

    first_event: int
    last_event: int
    """The break lies between the first and the last event."""
    step_ns: float | None
    """Length of the tick clock's jump there; None: it is no clean jump."""
    drift_ppm_per_s: float

    @property
    def text(self) -> str:
        """The place and size of the break, in one line."""
        between = f"between events {self.first_event:,} and {self.last_event:,}"
        if self.step_ns is not None:
            way = "forward" if self.step_ns > 0 else "back"
            return f"the clocks part {between}: a step of {abs(self.step_ns):,.0f} ns {way}"
        return (
            f"no clock that drifts less than {self.drift_ppm_per_s:g} ppm/s gets through {between}"
        )


def locate_violations(fit: WindowFit, pyramid: Pyramid, rates: Rates) -> list[Violation] | Break:
    """Return the few events without which the stretch holds, else a break."""
    window = fit.window
    events = pyramid.events(window.first, window.stop)
    numbers = pyramid.numbers(window.first, window.stop)
    removed: list[int] = []
    instead: tuple[int, ...] = ()
    rest = fit
    while rest.outcome is LineFit.BROKEN:
        if len(removed) == _TOGETHER_MAX or rest.line is None or len(events) - len(removed) < 4:
            return _break(window, events, numbers, rates)
        worst, rivals = _worst(events, removed, window, rates)
        instead = tuple(int(numbers[i]) for i in rivals) if not removed else ()
        removed.append(worst)
        rest = _fit_without(events, removed, window, rates)
    if rest.line is None:
        return []
    found = [_violation(i, events, numbers, rest.line, rates) for i in removed]
    return [replace(found[0], instead=instead), *found[1:]] if len(found) == 1 else found


def _fit_without(
    events: Brackets, removed: list[int], window: EventWindow, rates: Rates
) -> WindowFit:
    return fit_window(window, corners_of(events.without(removed)), rates)


def _worst(
    events: Brackets, removed: list[int], window: EventWindow, rates: Rates
) -> tuple[int, list[int]]:
    """Return the event whose removal helps most, and others whose removal makes it hold too.

    Only an event that binds the line can be to blame: without any other the line is as bad.
    """
    kept = np.delete(np.arange(len(events)), removed)
    found = fit_line(corners_of(events.without(removed)))
    tried = {int(kept[bound.event]) for bound in found.binding}
    fits = {i: _fit_without(events, [*removed, i], window, rates) for i in tried}
    slack = {i: fit.line.slack_ticks for i, fit in fits.items() if fit.line is not None}
    best = max(sorted(slack), key=lambda i: slack[i])
    holding = [i for i, fit in fits.items() if fit.outcome is not LineFit.BROKEN and i != best]
    return best, sorted(holding)


def _violation(
    i: int, events: Brackets, numbers: Int64Array, line: Line, rates: Rates
) -> Violation:
    sample = int(events.sample[i])
    slope = line.ticks_per_sample or 0
    at_edge = line.ticks + slope * (sample - line.sample)
    late = int(events.before_ticks[i]) - at_edge
    early = at_edge - slope - (int(events.after_ticks[i]) + 1)
    off = float(late) if late >= early else -float(early)
    if int(events.after_ticks[i]) < int(events.before_ticks[i]) and max(late, early) <= 0:
        off = 0.0
    return Violation(int(numbers[i]), sample, off, off * rates.tick_ns)


def _break(window: EventWindow, events: Brackets, numbers: Int64Array, rates: Rates) -> Break:
    """Return the break: behind the longest beginning that holds, before the longest such end."""
    n = len(events)

    def holds(first: int, stop: int) -> bool:
        fit = fit_window(window, corners_of(events.read(first, stop - first)), rates)
        return fit.outcome is not LineFit.BROKEN

    head = _longest(lambda length: holds(0, length), n)
    tail = _longest(lambda length: holds(n - length, n), n)
    if head + tail < n:
        return Break(int(numbers[head - 1]), int(numbers[n - tail]), None, rates.drift_ppm_per_s)
    at = min(max(head, 1), n - 1)
    step = _step_ticks(events, at) * rates.tick_ns
    first, last = int(numbers[at - 1]), int(numbers[at])
    return Break(first, last, step, rates.drift_ppm_per_s)


def _step_ticks(events: Brackets, at: int) -> float:
    """Return the clock's step at event `at` in ticks, by the brackets' middles and their rate."""
    middle = (events.before_ticks + events.after_ticks) / 2
    rate = float(np.median(np.diff(middle) / np.diff(events.sample)))
    level = middle - rate * events.sample
    return float(np.median(level[at:]) - np.median(level[:at]))


def _longest(holds: Callable[[int], bool], n: int) -> int:
    """Return the longest length that holds; all shorter ones do too."""
    low, high = 1, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
