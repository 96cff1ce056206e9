# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest period that a periodic task keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rig.analysis.model.period_search import parse_period_search
from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.document import (
    Curve,
    CurvePoint,
    Fact,
    Section,
    TextTable,
    Tone,
    facts,
    section,
)
from rig.formatting import ABSENT, count, expanded_microseconds, microseconds, percent, time_text
from rig.instruments import ArmOptions
from rig.limit_names import LATENCY, LEAST_PERIOD
from rig.measurements.measurement import SPARE_LOG_RECORDS, agent_words, time_words
from rig.measurements.reported import Subject, TableRow, curve_plot
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.period_search import PeriodHold, PeriodSearchFigures
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings

_COLUMNS: Final = ("period us", "periods", "missed", "start us", "max", "")
_KEPT, _LOST = "kept", "periods missed"
_NOTE: Final = (
    "Of period-search, Average is the best estimate of the least period that is kept, and "
    "Deviation its standard uncertainty; Min was tried and lost, Max was tried and kept."
)
_SEARCH_WORDS: Final = ("work_ns", "period_stop_ns", "resolution_ppm")


class PeriodSearchRun(MeasuredByTarget):
    """The search: holds of shorter and shorter periods until some are missed."""

    measurands = (LATENCY, LEAST_PERIOD)
    description = SelfMeasurement(
        name="period_search",
        title="the shortest period in which a task always runs",
        variants={"task": "clock_nanosleep until the time of each period"},
        parts=(IterationPart(LATENCY, "start"),),
        keys=("period", "period_stop", "resolution", "work"),
        needs=("period", "period_stop", "resolution"),
        clocked=("task",),
        periodic=True,
        own_form=True,
    )
    counts_not_limited = ("missed",)  # it is made to find where periods are missed
    subjects = (Subject("period_search", "period-search", note=_NOTE),)

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        holds = parse_period_search(settings.agent).holds_max
        options = super().arm_options(settings, planned)
        return replace(options, capacity=holds * (planned + 1) + SPARE_LOG_RECORDS, sequence_bits=0)

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        work = time_words(agent, "work_ns", before="work ")
        return [*work, *agent_words(agent, without=_SEARCH_WORDS)]

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.period_search import PeriodSearchFigures

        return (PeriodSearchFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.period_search import PeriodSearchEvaluator  # loads scipy

        return PeriodSearchEvaluator(run, self.description)

    def value_table(self, raw: object, settings: Settings) -> None:  # noqa: ARG002
        """Return None: holds are in the report, and starts of different periods are no series."""
        return

    def cause(self, settings: Settings) -> Fact:
        search = parse_period_search(settings.agent)
        first, least = time_text(search.first_ns), time_text(search.least_ns)
        return Fact("periods", f"{search.count:,} of each length, from {first} down to {least}")

    def quantity(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        return "start"

    def headline(self, evaluation: Evaluation) -> Fact:
        """Return the shortest period."""
        found = _found(evaluation)
        kept_ns = None if found is None else found.kept_ns
        return Fact("shortest period kept", ABSENT if kept_ns is None else time_text(kept_ns))

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return the limit, and every hold."""
        found = _found(evaluation)
        if found is None:
            return ()
        holds = sorted(found.holds, key=lambda hold: -hold.period_ns)
        kept = "none" if found.kept_ns is None else time_text(found.kept_ns)
        return section(
            "measured",
            f"Shortest period kept: {kept}",
            facts(_facts(found)),
            TextTable(_COLUMNS, tuple(map(_row, holds)), range(len(_COLUMNS) - 1)),
            curve_plot("Share of periods in which the task ran, over their length.", _curve(found)),
        )

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        """Yield a row: the least period as average, its limits, and its standard uncertainty."""
        found = _found(evaluation)
        if found is None:
            return
        kept_ns, lost_ns, limit_ns = found.kept_ns, found.lost_ns, found.limit_ns
        figures = {
            "average_ns": kept_ns if limit_ns is None else limit_ns,
            "min_ns": lost_ns,
            "max_ns": kept_ns,
            "gap_ns": None if kept_ns is None or lost_ns is None else kept_ns - lost_ns,
            "deviation_ns": None if found.expanded_ns is None else found.expanded_ns / 2,
        }
        yield TableRow(self.name, figures, sum(hold.periods for hold in found.holds))


def _found(evaluation: Evaluation) -> PeriodSearchFigures | None:
    from rig.analysis.measurements.period_search import PeriodSearchFigures

    return evaluation.details if isinstance(evaluation.details, PeriodSearchFigures) else None


def _facts(found: PeriodSearchFigures) -> Iterator[Fact]:
    """Yield the periods around the limit."""
    if found.kept_ns is not None:
        yield Fact("period", f"{microseconds(found.kept_ns)} us, none missed")
    if found.lost_ns is not None:
        hold = next(hold for hold in found.holds if hold.period_ns == found.lost_ns)
        share = percent(hold.missed / max(1, hold.periods), 1)
        yield Fact("first lost", f"{microseconds(found.lost_ns)} us: {share} missed")
    if found.limit_ns is not None and found.expanded_ns is not None:
        known = expanded_microseconds(found.expanded_ns)
        yield Fact("limit", f"{microseconds(found.limit_ns)} us (U = {known})")
    elif found.kept_ns is not None:
        yield Fact("limit", "not reached: the shortest period tried was kept")


def _row(hold: PeriodHold) -> tuple[str, ...]:
    fate = _KEPT if hold.is_kept else "cut short" if not hold.is_complete else _LOST
    times = (microseconds(hold.average_ns), microseconds(hold.max_ns))
    counts = (count(hold.periods), count(hold.missed))
    return (microseconds(hold.period_ns), *counts, *times, fate)


def _curve(found: PeriodSearchFigures) -> Curve:
    return Curve(
        title="Share of periods over their length",
        x_title="period, us",
        y_title="periods in which the task ran, %",
        points=tuple(map(_point, sorted(found.holds, key=lambda hold: hold.period_ns))),
        key=((Tone.GOOD, _KEPT), (Tone.BAD, _LOST)),
        limit=None if found.limit_ns is None else found.limit_ns / 1e3,
        limit_text="" if found.limit_ns is None else f"limit {microseconds(found.limit_ns)} us",
        y_least=0.0,
        y_most=100.0,
    )


def _point(hold: PeriodHold) -> CurvePoint:
    share = 100.0 * (1 - hold.missed / max(1, hold.periods))
    fate, tone = (_KEPT, Tone.GOOD) if hold.is_kept else (_LOST, Tone.BAD)
    period = microseconds(hold.period_ns)
    return CurvePoint(hold.period_ns / 1e3, share, f"{period} us: {share:.1f} %, {fate}", tone)
