# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest period that a task keeps, from the log of its holds by the target's own clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.log.responses import CHUNK
from rig.analysis.log.values import are_values
from rig.analysis.measurements.pipeline import Aligned, RunFindings, planned_counts
from rig.analysis.measurements.self_measured import CLOCK_HZ, ValueEvaluator, effects_of_clock
from rig.analysis.model.details import Details
from rig.analysis.model.period_search import PeriodSearch, parse_period_search
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import ExactHistogram, statistics
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, limits
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import LOG_PART_SHIFT, LOG_RECORD, Int64Array, LogArray
from rig.limit_names import LATENCY, LEAST_PERIOD


@dataclass(frozen=True)
class PeriodHold:
    """What became of the periods of one length. Times by the target's own clock."""

    period_ns: int
    periods: int
    """Number that passed."""
    missed: int
    """Number that had passed before the task was ready for them."""
    average_ns: float | None
    """Average and largest time from due to start."""
    max_ns: float | None
    is_complete: bool
    """Whether there were as many periods as planned."""

    @property
    def is_kept(self) -> bool:
        """Whether the task ran in each period."""
        return self.is_complete and not self.missed


@dataclass(frozen=True)
class PeriodSearchFigures(Details):
    """The limit that the search has found, by the target's own clock."""

    kind = "period_search"

    holds: tuple[PeriodHold, ...]
    """All holds in the order of the run."""
    kept_ns: int | None
    """The shortest period that was kept as were all longer ones; None: none was."""
    lost_ns: int | None
    """The longest one that was lost; None: none was."""
    limit_ns: float | None
    """Best estimate of the least period that is kept; None: no limit was found."""
    expanded_ns: float | None
    """Expanded uncertainty of the limit."""
    conflicts: int
    """Number of holds that were kept though a longer period was lost."""


def least_period_budget(kept_ns: int, lost_ns: int) -> Budget:
    """Return the budget of the least period, which lies between the two."""
    half_ns = (kept_ns - lost_ns) / 2
    between = limits(half_ns, "ns", "longest period that was lost", estimate=half_ns)
    step = limits(0.5, "ns", "nanoseconds of a period")
    parts = (
        Contribution("resolution of the search", between, -1.0),
        Contribution("quantization of the period", step),
    )
    effects = effects_of_clock()
    return Budget("least period", float(kept_ns), parts, effects.unknown_scales)


def find(holds: Sequence[PeriodHold]) -> PeriodSearchFigures:
    """Return the limit by these holds."""
    whole = [hold for hold in holds if hold.is_complete]
    lost_ns = max((hold.period_ns for hold in whole if hold.missed), default=None)
    kept = [hold.period_ns for hold in whole if hold.is_kept]
    kept_ns = min((each for each in kept if lost_ns is None or each > lost_ns), default=None)
    budget = None
    if kept_ns is not None and lost_ns is not None:
        budget = least_period_budget(kept_ns, lost_ns)
    return PeriodSearchFigures(
        holds=tuple(holds),
        kept_ns=kept_ns,
        lost_ns=lost_ns,
        limit_ns=None if budget is None else budget.corrected,
        expanded_ns=None if budget is None else budget.expanded,
        conflicts=sum(lost_ns is not None and each <= lost_ns for each in kept),
    )


class _Holds:
    """The holds of a log, fed in pieces."""

    def __init__(self, search: PeriodSearch) -> None:
        self._search = search
        self._part, self._period_ns = -1, 0
        self._starts: list[tuple[Int64Array, Int64Array]] = []
        self._first = self._last = 0
        self.found: list[PeriodHold] = []
        self.latencies = MeasurandSeries()
        self.odd = 0
        """Number of records that are not as a search makes them."""

    def feed(self, rows: LogArray) -> None:
        part = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64)
        for at in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(part)) + 1):
            if len(at):
                self._add(int(part[at[0]]), rows[at])

    def _add(self, part: int, rows: LogArray) -> None:
        number, before, after = (
            rows[name].astype(np.int64) for name in ("handled", "before_ticks", "after_ticks")
        )
        if part % 2 == 0:
            self.end_hold(int(number[0]))
            is_next = part == self._part + 1 and len(rows) == 1 and not before[0] and after[0] > 0
            self.odd += not is_next
            self._part, self._period_ns, self._first = (
                part + 1,
                max(1, int(after[0])),
                int(number[0]),
            )
            return
        late, steps = after - before, np.diff(before)
        is_good = part == self._part and bool((late >= 0).all())
        # What was due since the one before are whole periods, as many as the agent counted.
        is_good &= bool((steps == np.diff(number) * self._period_ns).all())
        self.odd += not is_good
        self._starts.append((number, late))
        self.latencies.add(late, after)

    def end_hold(self, passed: int) -> None:
        """End the hold that goes on; `passed`: the periods of all holds so far."""
        if self._part < 0:
            return
        late = np.concatenate([np.empty(0, np.int64), *(late for _, late in self._starts)])
        periods = max(passed - self._first, len(late))
        self.found.append(
            PeriodHold(
                period_ns=self._period_ns,
                periods=periods,
                missed=periods - len(late),
                average_ns=float(late.mean()) if len(late) else None,
                max_ns=float(late.max()) if len(late) else None,
                is_complete=periods == self._search.count,
            )
        )
        self._starts = []


class PeriodSearchEvaluator(ValueEvaluator):
    """The evaluator of a search for the shortest period."""

    def scan(self) -> None:
        self.scan_answers()
        self._search = parse_period_search(self.settings.agent)
        self._holds = _Holds(self._search)
        last = 0
        for rows in self._values_of_log():
            self._holds.feed(rows)
            last = int(rows["handled"][-1])
        handled = self.account.handled
        self._holds.end_hold(last if handled is None else min(handled, 1 << 53))

    def _values_of_log(self) -> Iterator[LogArray]:
        for first in range(0, self.raw.log_count, CHUNK):
            rows = self.raw.log(first, CHUNK)
            rows = rows[are_values(rows)] if len(rows) else np.empty(0, LOG_RECORD)
            if len(rows):
                yield rows

    def measure(self, aligned: Aligned) -> RunFindings:
        del aligned  # no pins
        holds, latencies = self._holds, self._holds.latencies
        figures, ran = find(holds.found), latencies.histogram.n
        return RunFindings(
            measurands=(
                measurand(LATENCY, latencies, CLOCK_HZ, effects_of_clock()),
                _least_period(figures),
            ),
            counts=planned_counts(
                ran, sum(hold.periods for hold in holds.found), self.stretches.glitches
            ),
            seen=ran,
            paired_by="the target's log",
            duration_s=sum(hold.periods * hold.period_ns for hold in holds.found) / 1e9,
            details=figures,
            witnesses=self._witnesses_of(),
            caveats=_caveats(figures),
        )

    def _witnesses_of(self) -> tuple[Witness, ...]:
        account, answers = self.account, self.answers
        if account.handled is None:
            return ()
        found, odd = self._holds.found, self._holds.odd
        text = f"{odd} pieces of the log are not as a search makes them" if odd else ""
        missed = sum(hold.missed for hold in found)
        told = account.unanswered
        if not text and told is not None and not account.log_dropped and missed != told:
            text = f"{told:,} periods missed by the agent's count, {missed:,} by the log"
        return (
            *log_witnesses(self.raw, self.log, account, answers.count, answers.differing),
            Witness("values", not text, text or f"{len(found)} holds, {missed:,} periods missed"),
        )


def _least_period(found: PeriodSearchFigures) -> Measurand:
    """Return the least period as a measurand of one value, for limits."""
    histogram, budgets = ExactHistogram(), {}
    if found.kept_ns is not None:
        histogram.add(np.array([found.kept_ns], np.int64))
        lost_ns = found.kept_ns if found.lost_ns is None else found.lost_ns
        budgets["max"] = least_period_budget(found.kept_ns, lost_ns)
    effects, figures = effects_of_clock(), statistics(histogram, CLOCK_HZ)
    return Measurand(
        name=LEAST_PERIOD,
        unit_ns=1.0,
        statistics=figures,
        corrected=Correction.of(effects).figures(figures),
        inference=None,
        effects=effects,
        histogram=histogram,
        budgets=budgets,
    )


def _caveats(found: PeriodSearchFigures) -> tuple[str, ...]:
    """Return the reasons why the limit that was found may not be the limit."""
    caveats = []
    if found.holds and found.kept_ns is None:
        caveats.append("no period was kept; begin with a longer one")
    if found.conflicts:
        caveats.append(
            f"{found.conflicts} holds were kept though a longer period was lost: the limit is not "
            "sharp; a larger count tells more"
        )
    return tuple(caveats)
