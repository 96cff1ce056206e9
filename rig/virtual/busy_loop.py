# SPDX-License-Identifier: GPL-3.0-or-later
"""A modelled target's task that spins and toggles its pin, held up for as long as is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rig.virtual.truth import ANSWERED

NS_PS = 1000
MARKS = 1000
"""Toggles that are logged in any case, spread over the train."""


@dataclass(frozen=True)
class SpinMeans:
    """What the train is made with."""

    draw: Callable[[int], int]
    """The function that draws the time, in ps, beyond its pause that the task takes at a time."""
    tick_hz: int
    toggle_ps: int
    """The time of a write of the pins."""
    write: Callable[[int, int], tuple[int, int]]
    """Write the pins for a toggle of this number, at a time in ps; ticks before and after."""
    note: Callable[[int, int, int, int], None]
    """Log a toggle: number, ticks before and after, flags."""
    truth: Callable[[list[int]], None]


@dataclass
class _Toggle:
    number: int
    at_ps: int
    before: int
    after: int
    noted: bool


class BusyLoopTask:
    """Makes the toggles, as time passes, and logs those that an agent logs."""

    def __init__(
        self, means: SpinMeans, words: Mapping[str, str], start_ps: int, count: int
    ) -> None:
        """Raises ValueError for what an agent refuses."""
        pause_ns, threshold_ns = (
            int(words.get(name, "0")) for name in ("pause_ns", "threshold_ns")
        )
        if not count or threshold_ns <= pause_ns:
            raise ValueError("smi needs count, and threshold_ns longer than pause_ns")
        self._means, self._count = means, count
        self._pause_ps = pause_ns * NS_PS
        self._threshold_ticks = threshold_ns * means.tick_hz // 10**9
        self._every = count // MARKS + 1
        self._gaps_left = int(words.get("gaps", "0")) or None
        duration_ns = int(words.get("duration_ns", "0"))
        self._ticks_left = duration_ns * means.tick_hz // 10**9 or None
        self._first_before: int | None = None
        self._last: _Toggle | None = None
        self._next_ps = start_ps

    @property
    def over(self) -> bool:
        """All toggles are made."""
        last = self._last
        if last is None or self._first_before is None:
            return False
        ticks, wanted = last.after - self._first_before, self._ticks_left
        return (
            last.number == self._count
            or self._gaps_left == 0
            or (wanted is not None and ticks >= wanted)
        )

    def pass_until(self, end_ps: int) -> None:
        """Make those that come before a time."""
        while not self.over and self._next_ps < end_ps:
            self._toggle(self._next_ps)
            rest_ps = 2 * self._means.toggle_ps + self._pause_ps
            self._next_ps += rest_ps + self._means.draw(self._next_ps)
        if self.over and self._last is not None:
            self._note(self._last)

    def _toggle(self, at_ps: int) -> None:
        last = self._last
        number = 1 if last is None else last.number + 1
        now = _Toggle(number, at_ps, *self._means.write(number, at_ps), noted=False)
        if last is not None and now.after - last.before > self._threshold_ticks:
            self._note(last)
            self._note(now)
            certain = now.before - last.after > self._threshold_ticks
            if self._gaps_left is not None and certain:
                self._gaps_left -= 1
        elif (number - 1) % self._every == 0:
            self._note(now)
        before_ps = at_ps if last is None else last.at_ps
        self._means.truth([before_ps, at_ps, now.before, now.after, number, ANSWERED, 0, 0])
        if last is None:
            self._first_before = now.before
        self._last = now

    def _note(self, toggle: _Toggle) -> None:
        if not toggle.noted:
            self._means.note(toggle.number, toggle.before, toggle.after, 0)
            toggle.noted = True
