# SPDX-License-Identifier: GPL-3.0-or-later
"""A modelled target that measures by itself: values are drawn, and the truth of each is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rig.analysis.model.self_measurement import whole_word
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_VALUE
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.virtual.clock import VirtualClock
from rig.virtual.truth import ANSWERED

PAUSE_PS = 20_000_000
"""The time from one iteration to the next; the pin has a level for so long at least."""
NS_PS = 1000


@dataclass(frozen=True)
class Means:
    """What the values are made with."""

    draw: Callable[[int], int]
    """The function that draws the time, in ps, of a value that begins at a time."""
    clock: VirtualClock
    note: Callable[..., None]
    """Log a value: iteration, before, after, flags; and the number of its task, if there is one."""
    show: Callable[[int, int, int], int]
    """Write the pins for an iteration, after a time in ps; returns when the target goes on.

    The last argument is the record's flags.
    """
    truth: Callable[[list[int]], None]


class InsideTask:
    """Makes the values of one measurement, as time passes."""

    def __init__(
        self, means: Means, name: str, words: Mapping[str, str], start_ps: int, count: int
    ) -> None:
        """Raises ValueError for what an agent refuses."""
        inside = SELF_MEASUREMENTS[name]
        self._means, self._inside = means, inside
        self._count = count + whole_word(words, "warm_up")
        self._batch = max(1, whole_word(words, "batch", 1))
        variant = inside.variant(words)
        if not variant:
            raise ValueError(f"{name} has no such variant; valid: {' '.join(inside.variants)}")
        if not count:
            raise ValueError("a measurement inside the target needs count")
        self._clocked = variant in inside.clocked
        self._by_answers = variant in inside.by_answers
        self._on_pins = inside.on_pins(words)
        self._next_ps, self._done = start_ps, 0
        self._pause_ps = max(PAUSE_PS, whole_word(words, "pause_ns") * NS_PS)
        self._period_ps = int(words.get("period_ns", "0")) * NS_PS if inside.periodic else 0
        self._asked_ps = [whole_word(words, part.beyond) * NS_PS for part in inside.parts]
        least_ns = inside.least_ns
        self._least_ps = 0 if least_ns is None else least_ns(words) * NS_PS
        takes_turns = inside.takes_turns and self._batch == 1
        self._turns = whole_word(words, "tasks", 2) if takes_turns else 0
        self._work_ps = int(words.get("work_ns", "0")) * NS_PS

    @property
    def over(self) -> bool:
        """All values are made."""
        return self._done == self._count

    def pass_until(self, end_ps: int) -> None:
        """Make those that begin before a time."""
        while not self.over and self._next_ps < end_ps:
            self._done += 1
            if self._inside.periodic:
                self._start_and_finish(self._next_ps)
                self._next_ps += self._period_ps
            else:
                self._next_ps = self._iteration(self._next_ps) + self._pause_ps

    def _iteration(self, begin_ps: int) -> int:
        for part in range(0 if self._by_answers else len(self._inside.parts)):
            asked_ps = self._asked_ps[part] + (0 if part else self._least_ps)
            lengths = (self._means.draw(begin_ps) for _ in range(self._batch))
            end_ps = begin_ps + asked_ps + sum(lengths)
            before, after = (self._reading(at_ps) for at_ps in (begin_ps, end_ps))
            flags = LOG_VALUE | part << LOG_PART_SHIFT | (LOG_CLOCK if self._clocked else 0)
            self._means.note(self._done, before, after, flags, *self._turn())
            self._means.truth([begin_ps, end_ps, before, after, self._done, ANSWERED, 0, 0])
            begin_ps = end_ps
        return self._means.show(self._done, begin_ps, 0) if self._on_pins else begin_ps

    def _turn(self) -> tuple[int, ...]:
        """Return the number of the task that the value ends in, from 1."""
        return ((self._done - 1) % self._turns + 1,) if self._turns else ()

    def _start_and_finish(self, due_ps: int) -> None:
        start_ps = self._means.show(self._done, due_ps + self._means.draw(due_ps), 0)
        end_ps = start_ps + self._work_ps + self._means.draw(start_ps)
        self._means.show(self._done, end_ps, 1 << LOG_PART_SHIFT)

    def _reading(self, at_ps: int) -> int:
        return at_ps // NS_PS if self._clocked else self._means.clock.ticks(at_ps)
