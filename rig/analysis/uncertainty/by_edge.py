# SPDX-License-Identifier: GPL-3.0-or-later
"""Rising and falling answers, and the known difference of their times.

A pin that is toggled rises and falls in turn: the first edge's level gives every other's. Pulses
that are set aside as glitches are two edges, and change nothing of it. A hole in the samples may
hide an odd number of edges: behind it levels are not known, so no answer of the run has one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.brackets import Brackets
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import DescriptiveStatistics, ExactHistogram, statistics
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, UncertainQuantity
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.instruments import Int64Array, UInt8Array

DIRECTION = "rising against falling answers"
"""Name of their difference in a budget."""
_PS_PER_S = 10**12
_LARGEST_PS = 1 << 60
"""Larger values are those of a damaged log."""
_TWICE = 2.0


def first_answer_level(raw: RawRun, settings: Settings) -> int | None:
    """Return the level after a run's first answer; None if only edges of one level are answers, or
    if samples are missing."""
    if settings.wiring.answer_level is not None or raw.losses():
        return None
    first = next(iter(raw.edge_blocks()), None)
    return None if first is None else 1 - (first.levels_before >> settings.wiring.response & 1)


def answer_levels(number: Int64Array, first_level: int) -> UInt8Array:
    """Return the level after each answer edge by its number, shape (n,)."""
    return ((number + first_level) & 1).astype(np.uint8)


@dataclass(frozen=True)
class AnswerEdges:
    """The levels of the answers of one run, and the known difference of their times."""

    first_level: int
    later_ns: UncertainQuantity
    """Half of what a rising answer's latency is too long by beyond a falling one's."""
    shown_ns: UncertainQuantity
    """The part of `later_ns` that arises behind the pin: the analyzer shows it late."""

    @classmethod
    def of(cls, raw: RawRun, settings: Settings, bench: BenchErrorModel) -> Self | None:
        """Return the answers' edges of a run; None if nothing is known of the difference, if only
        edges of one level are answers, or if samples are missing."""
        later, shown = bench.edge_later_ns, bench.edge_shown_ns
        level = first_answer_level(raw, settings)
        return None if later is None or shown is None or level is None else cls(level, later, shown)

    def levels(self, number: Int64Array) -> UInt8Array:
        """Return the level after each answer edge by its number, shape (n,)."""
        return answer_levels(number, self.first_level)

    def shown_later_ns(self, number: Int64Array) -> npt.NDArray[np.float64]:
        """Return how much later than on average the analyzer shows these answers, shape (n,)."""
        return np.where(self.levels(number), self.shown_ns.estimate, -self.shown_ns.estimate)

    def shifted(self, brackets: Brackets, number: Int64Array, tick_ns: float) -> Brackets:
        """Return the brackets moved to when the analyzer showed these edges.

        `number`: of each edge, shape (n,). They are widened by what the difference may be off.
        """
        later = self.shown_later_ns(number) / tick_ns
        reserve = _TWICE * self.shown_ns.standard_uncertainty / tick_ns
        before = np.floor(later - reserve).astype(np.int64)
        after = np.ceil(later + reserve).astype(np.int64)
        return Brackets(
            brackets.sample, brackets.before_ticks + before, brackets.after_ticks + after
        )


class ByEdge:
    """Latencies by the level of their answers, and their figures once each is corrected by it."""

    def __init__(self, edges: AnswerEdges, sample_rate_hz: int) -> None:
        self._edges, self._rate_hz = edges, sample_rate_hz
        self._histograms = ExactHistogram(), ExactHistogram()

    def add(self, latency: Int64Array, answer: Int64Array) -> None:
        """Add latencies in samples, by the numbers of the answers' edges; shapes (n,)."""
        level = self._edges.levels(answer)
        for each, histogram in enumerate(self._histograms):
            if (level == each).any():
                histogram.add(latency[level == each])

    @property
    def later_ns(self) -> UncertainQuantity:
        """The difference that is left in each value: its uncertainty, about 0."""
        return replace(self._edges.later_ns, estimate=0.0)

    @cached_property
    def figures(self) -> DescriptiveStatistics:
        """The figures as if each answer came as late as the mean of a rising and a falling one."""
        whole = ExactHistogram()
        for each, histogram in enumerate(self._histograms):
            later_ps = (2 * each - 1) * self._edges.later_ns.estimate * 1e3
            times_ps = histogram.values * (_PS_PER_S / self._rate_hz) - later_ps
            near = np.abs(times_ps) < _LARGEST_PS
            whole.add_counted(np.rint(times_ps[near]).astype(np.int64), histogram.counts[near])
        return statistics(whole, _PS_PER_S)

    def applied(self, name: str, budget: Budget) -> Budget:
        """Return a budget of one of these figures, such as `max_ns`, with the difference in it."""
        value_ns = getattr(self.figures, name)
        if value_ns is None:
            return budget
        known = replace(self._edges.later_ns, estimate=budget.indication - value_ns)
        others = [part for part in budget.contributions if part.name != DIRECTION]
        part = Contribution(DIRECTION, known, -1.0)
        return replace(budget, contributions=(*others, part))
