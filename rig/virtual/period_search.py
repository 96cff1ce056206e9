# SPDX-License-Identifier: GPL-3.0-or-later
"""A modelled task that searches for the shortest period which it keeps.

It starts late by what is drawn, and works for a fixed time: with a constant lateness it keeps every
period that is longer than both together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rig.analysis.model.period_search import PeriodSearch, parse_period_search
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_VALUE
from rig.virtual.self_measuring import NS_PS, Means
from rig.virtual.truth import ANSWERED


class PeriodSearchTask:
    """The search, as time passes."""

    def __init__(self, means: Means, words: Mapping[str, str], start_ps: int) -> None:
        self._means, self._search = means, parse_period_search(words)
        self._now_ps, self._part = start_ps, 0
        self.handled, self.missed, self.over = 0, 0, False
        self._steps = self._run(self._search)

    def pass_until(self, end_ps: int) -> None:
        """Run the periods that begin before a time."""
        while not self.over and self._now_ps < end_ps:
            self.over = next(self._steps, None) is None

    def _run(self, search: PeriodSearch) -> Iterator[bool]:
        period_ns, kept_ns, lost_ns = search.first_ns, 0, 0
        while period_ns:
            before = self.missed
            self._note(0, period_ns * NS_PS)
            yield from self._hold(period_ns * NS_PS, search)
            if self.missed == before:
                kept_ns = period_ns
            else:
                lost_ns = period_ns
            period_ns = search.next_ns(kept_ns, lost_ns)
            self._part += 2

    def _hold(self, period_ps: int, search: PeriodSearch) -> Iterator[bool]:
        due_ps, left = self._now_ps + period_ps, search.count
        while left:
            passed = (self._now_ps - due_ps) // period_ps + 1 if due_ps <= self._now_ps else 0
            missed = min(passed, left)
            self.missed += missed
            self.handled += missed
            left -= missed
            due_ps += missed * period_ps
            if not left:
                return
            start_ps = due_ps + self._means.draw(due_ps)
            self.handled += 1
            left -= 1
            self._note(due_ps, start_ps, 1)
            self._means.truth(
                [due_ps, start_ps, due_ps // NS_PS, start_ps // NS_PS, self.handled, ANSWERED, 0, 0]
            )
            self._now_ps = start_ps + search.work_ns * NS_PS
            due_ps += period_ps
            yield True

    def _note(self, before_ps: int, after_ps: int, part: int = 0) -> None:
        flags = LOG_VALUE | LOG_CLOCK | (self._part + part) << LOG_PART_SHIFT
        self._means.note(self.handled, before_ps // NS_PS, after_ps // NS_PS, flags)
