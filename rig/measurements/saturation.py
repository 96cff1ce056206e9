# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest rate of interrupts that the target keeps up with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rig.analysis.model.rate_search import RateSearch
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
from rig.formatting import ABSENT, count, expanded_microseconds, microseconds, percent
from rig.limit_names import LATENCY, SPACING
from rig.measurements.at_rates import AtRates
from rig.measurements.measurement import source_as
from rig.measurements.planned_events import PlannedEvents
from rig.measurements.reported import Subject, TableRow, curve_plot
from rig.measurements.search_plan import SearchPlan, parse_search
from rig.toml.reader import TomlTable

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.holds import RateStep
    from rig.analysis.measurements.pipeline import RecordedRun
    from rig.analysis.measurements.saturation import SaturationFigures
    from rig.analysis.measurements.stimuli import Stimuli
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course

_COLUMNS: Final = (
    "rate/s", "spacing us", "sent", "answered", "late", "merged", "missed", "max us", "interval us",
    "",
)  # fmt: skip
"""Columns of the table of holds."""
_INTERVALS: Final = (
    "Average time from an answer to the next over rate: where it no longer falls, the target "
    "answers no faster, whatever the rate."
)
_KEPT, _LOST = "kept", "lost or behind"
_NEAR: Final = 3
"""Number of holds on either side of the limit that a short table has."""
_SPACING: Final = (
    "Of saturation, Average is the best estimate of the least spacing of stimuli that is kept up "
    "with (its inverse is the highest rate), and Deviation its standard uncertainty; Min was tried "
    "and lost, Max was tried and kept. Where Min is a dash, the highest rate that was tried was "
    "kept up with, and the limit lies beyond it."
)


class Saturation(AtRates):
    """The search for the highest rate: trains of different rates until the limit is enclosed."""

    name = "saturation"
    title = "saturation"
    sources = (RateSearch,)
    plan_table = SearchPlan.table
    no_pulses = "the pulses follow from what is kept up with, by [search]"
    measurands = (LATENCY, SPACING)
    subjects = (Subject("saturation", "saturation", note=_SPACING),)
    counts_not_limited = ("missed", "late", "merged")  # it is made to find where answers get lost

    def planned_events(self, table: TomlTable) -> PlannedEvents:
        return parse_search(table)

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.rate_search import RateSearchCourse  # loads the native library

        return RateSearchCourse(settings, timeout_samples, source_as(RateSearch, settings))

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.saturation import SaturationFigures

        return (SaturationFigures,)

    def stimuli(self, run: RecordedRun) -> Stimuli:
        from rig.analysis.measurements.saturation import SearchStimuli  # loads scipy

        return SearchStimuli(run, source_as(RateSearch, run.settings))

    def cause(self, settings: Settings) -> Fact:
        search = source_as(RateSearch, settings)
        ticks = search.first_ticks, search.least_ticks
        first, last = (settings.stimulus_clock_hz / each for each in ticks)
        rising = f"rising from {first:,.0f}/s to {last:,.0f}/s at most"
        return Fact("stimulus", f"trains of {search.count:,}, {rising}")

    def headline(self, evaluation: Evaluation) -> Fact:
        """Return the highest rate."""
        found = _found(evaluation)
        rate_hz = None if found is None else found.rate_hz
        all_kept = found is not None and found.failed_ns is None and rate_hz is not None
        name = "kept up with all rates, to" if all_kept else "highest rate kept up with"
        return Fact(name, ABSENT if rate_hz is None else f"{rate_hz:,.0f}/s")

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return the limit, every hold, and the share answered of each."""
        found = _found(evaluation)
        if found is None:
            return ()

        caption = "Answered share over rate. Late answers count, merged and missed stimuli do not."
        return section(
            "measured",
            _title(found),
            facts(_facts(found)),
            _holds(found),
            curve_plot(caption, _curve(found)),
            curve_plot(_INTERVALS, _interval_curve(found)),
        )

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        """Yield a row: the least spacing as average, its limits, and its standard uncertainty."""
        found = _found(evaluation)
        if found is None:
            return
        sustained_ns, failed_ns = found.sustained_ns, found.failed_ns
        figures = {
            "average_ns": sustained_ns if found.limit_ns is None else found.limit_ns,
            "min_ns": failed_ns,
            "max_ns": sustained_ns,
            "gap_ns": None
            if sustained_ns is None or failed_ns is None
            else sustained_ns - failed_ns,
            "deviation_ns": None if found.expanded_ns is None else found.expanded_ns / 2,
        }
        yield TableRow(self.name, figures, sum(hold.sent for hold in found.holds))


def _found(evaluation: Evaluation) -> SaturationFigures | None:
    from rig.analysis.measurements.saturation import SaturationFigures

    return evaluation.details if isinstance(evaluation.details, SaturationFigures) else None


def _title(found: SaturationFigures) -> str:
    """Return the result in one line."""
    if found.rate_hz is None:
        return "Saturation: no rate was kept up with"
    if found.failed_ns is None:
        return f"Saturation: kept up with every rate that was tried, up to {found.rate_hz:,.0f}/s"
    return f"Saturation: highest rate kept up with {found.rate_hz:,.0f}/s"


def _facts(found: SaturationFigures) -> Iterator[Fact]:
    """Yield the spacings around the limit."""
    if found.sustained_ns is not None:
        kept = microseconds(found.sustained_ns)
        yield Fact("spacing", f"{kept} us, every stimulus answered", f"{kept} us")
    if found.failed_ns is not None:
        hold = next(hold for hold in found.holds if hold.spacing_ns == found.failed_ns)
        lost = f"{microseconds(found.failed_ns)} us"
        yield Fact("first lost", f"{lost}, {1e9 / found.failed_ns:,.0f}/s: {_fate(hold)}", lost)
    if found.limit_ns is not None and found.expanded_ns is not None:
        known = expanded_microseconds(found.expanded_ns)
        limit = f"{microseconds(found.limit_ns)} us (U = {known})"
        rate = f"{found.limit_hz:,.0f}/s (U = {found.limit_u_hz:,.0f})"
        yield Fact("limit", f"{limit}, that is {rate}", limit)
    elif found.sustained_ns is not None:
        yield Fact("limit", "not reached: the highest rate tried was kept up with")
    if found.answer_interval_ns is not None and found.answer_interval_expanded_ns is not None:
        least = microseconds(found.answer_interval_ns)
        known = expanded_microseconds(found.answer_interval_expanded_ns)
        single = microseconds(found.least_answer_interval_ns)
        text = (
            f"{least} us apart at least, as a hold's average (U = {known}); two of them {single} us"
        )
        yield Fact("answers", text, f"{least} us")
    if found.conflicts:
        text = f"{found.conflicts} holds kept, though a slower one was lost"
        yield Fact("not sharp", text, str(found.conflicts))


def _curve(found: SaturationFigures) -> Curve:
    """Return the share of stimuli with an answer of their own, late ones among them, by rate."""
    limit_hz = found.limit_hz
    return Curve(
        title="Answered share over rate",
        x_title="stimuli/s",
        y_title="answered by an answer of its own, %",
        points=tuple(map(_point, sorted(found.holds, key=lambda hold: hold.rate_hz))),
        key=((Tone.GOOD, _KEPT), (Tone.BAD, _LOST)),
        limit=limit_hz,
        limit_text="" if limit_hz is None else f"limit {limit_hz:,.0f}/s",
        y_least=0.0,
        y_most=100.0,
    )


def _point(hold: RateStep) -> CurvePoint:
    share = 100.0 * (hold.answered + hold.late) / max(1, hold.sent)
    return _curve_point(hold, share, f"{share:.1f} %")


def _interval_curve(found: SaturationFigures) -> Curve:
    """Return the average time between answers by rate, as RT-golem's figure 2 has it."""
    holds = sorted(found.holds, key=lambda hold: hold.rate_hz)
    times = [(hold, hold.answer_interval_ns) for hold in holds]
    points = (
        _curve_point(hold, time_ns / 1e3, f"{microseconds(time_ns)} us between answers")
        for hold, time_ns in times
        if time_ns is not None
    )
    return Curve(
        title="Time between answers over rate",
        x_title="stimuli/s",
        y_title="average time between answers, us",
        points=tuple(points),
        key=((Tone.GOOD, _KEPT), (Tone.BAD, _LOST)),
        y_least=0.0,
    )


def _curve_point(hold: RateStep, y: float, text: str) -> CurvePoint:
    fate, tone = (_KEPT, Tone.GOOD) if hold.is_sustained else (_LOST, Tone.BAD)
    return CurvePoint(hold.rate_hz, y, f"{hold.rate_hz:,.0f}/s: {text}, {fate}", tone)


def _holds(found: SaturationFigures) -> TextTable:
    """Return the table of holds, slowest first; a short one has those next to the limit."""
    holds = sorted(found.holds, key=lambda hold: hold.rate_hz)
    few = None
    if len(holds) > 2 * _NEAR:
        slower = sum(found.failed_ns is None or hold.spacing_ns > found.failed_ns for hold in holds)
        first = min(max(0, slower - _NEAR), len(holds) - 2 * _NEAR)
        few = range(first, first + 2 * _NEAR)
    rows = tuple(
        (
            f"{hold.rate_hz:,.0f}",
            microseconds(hold.spacing_ns),
            *map(count, (hold.sent, hold.answered, hold.late, hold.merged, hold.missed)),
            microseconds(hold.max_ns),
            microseconds(hold.answer_interval_ns),
            _fate(hold),
        )
        for hold in holds
    )
    return TextTable(_COLUMNS, rows, range(len(_COLUMNS) - 1), few=few)


def _fate(hold: RateStep) -> str:
    if hold.is_sustained:
        return "kept"
    if not hold.is_complete:
        return "cut short"
    lost = hold.merged + hold.missed
    return f"lost {percent(lost / hold.sent, 1)}" if lost else "fell behind"
