# SPDX-License-Identifier: GPL-3.0-or-later
"""The accuracy of a task's periods: when it answers, and how far its intervals are off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rig.analysis.model.sources import Schedule
from rig.document import Fact, Section, facts, section
from rig.event_source import EventSource
from rig.formatting import microseconds, time_text
from rig.instruments import ArmOptions
from rig.limit_names import BY_TICKS, INTERVAL_ERROR, LATENCY
from rig.measurements.measurement import (
    DEADLINE,
    SPARE_LOG_RECORDS,
    Measurement,
    agent_words,
    short_time,
    source_as,
)
from rig.measurements.reported import (
    KERNEL_PORT,
    PINS,
    TICKS,
    PinLine,
    Subject,
    TableRow,
    figures_of,
    statistics_table,
)

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.period import PeriodFigures, PeriodSide
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course

START: Final = "period_start"
"""Subject: time from when a periodic task was due to its start, by the target's own clock."""
_LATENCY: Final = "period_latency"
"""Subject: when the tasks of a run of periods started, by pins, against the earliest of them."""
_EARLIEST: Final = (
    "Latencies of periods are against the earliest answers: what all answers have in common does "
    "not show. Published ones are from the time when the task was due, by the target's own clock, "
    "and so are ours of timer periodic and itimer: compare those."
)
_PIN: Final = (
    "from the time that a wake-up is due to the pin's edge, by the analyzer; due times are fitted "
    "to the earliest edges, so that the least is 0: compare max - min"
)


class Period(Measurement):
    """The accuracy of the periods of a task that answers at the beginning of each."""

    name = "period"
    title = "period accuracy"
    sources = (Schedule,)
    plan_table = "agent"
    judges_intervals = True
    no_pulses = "the target is measured at periods of its own, and no pulses are sent"
    measurands = (LATENCY, INTERVAL_ERROR, LATENCY + BY_TICKS, INTERVAL_ERROR + BY_TICKS)
    agent_keys = (
        "period", "count", "intervals", "timer", "priority", "policy", "runtime", "cpu",
    )  # fmt: skip
    policies = (*Measurement.policies, DEADLINE)
    events = "periods"
    event_end = "answer"
    time_zero = "when it was due"
    run_zero = "the first period was due"
    has_stimulus_wire = False
    subjects = (
        Subject("period", "period"),
        Subject(
            _LATENCY, "period latency", note=_EARLIEST, begins="earliest",
            is_compared=False,
        ),
    )  # fmt: skip

    def target_source(self, period_ns: int, count: int) -> EventSource:
        return Schedule(period_ns, count)

    def nominal_interval_ns(self, settings: Settings) -> int | None:
        return settings.source.period_ns if isinstance(settings.source, Schedule) else None

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        return ArmOptions(
            measurement=self.name,
            capacity=planned + SPARE_LOG_RECORDS,  # it ends after its count
            sequence_bits=len(settings.wiring.sequence),
            options=dict(settings.agent),
        )

    def variant_words(self, settings: Settings) -> list[str]:
        period_ns = self.nominal_interval_ns(settings)
        own = [] if period_ns is None else [short_time(period_ns)]
        return own + agent_words(settings.agent)

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.by_target import ScheduleCourse  # loads the native library

        return ScheduleCourse(settings, timeout_samples, source_as(Schedule, settings))

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.period import PeriodFigures

        return (PeriodFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.periods import PeriodEvaluator  # loads scipy

        return PeriodEvaluator(run, source_as(Schedule, run.settings))

    def cause(self, settings: Settings) -> Fact:
        schedule = source_as(Schedule, settings)
        period = time_text(schedule.period_ns)
        return Fact("periods", f"{schedule.count:,} of {period}, by the target's own clock")

    def quantity_defined(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        return "Latency of each period's pin edge past its due time, on the grid of the earliest"

    def headline(self, evaluation: Evaluation) -> Fact:
        """Return the interval error that is farthest off, without its sign."""
        found = _found(evaluation)
        error = None if found is None else found.pins.interval_error
        if error is None or error.min_ns is None or error.max_ns is None:
            return Fact("worst interval error", "-")
        worst = max(abs(error.min_ns), abs(error.max_ns))
        return Fact("worst interval error", f"{microseconds(worst)} us")

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return the intervals and latencies by both witnesses."""
        found = _found(evaluation)
        if found is None:
            return ()
        sides = [("pin", found.pins)] + ([("ticks", found.ticks)] if found.ticks else [])
        reported = found.reported_overruns
        by_agent = "" if reported is None else f", {reported:,} by the agent's count"
        counts = evaluation.counts
        return section(
            "measured",
            f"Period of {time_text(found.nominal_ns)}, in microseconds: intervals less the period, "
            "and latency after the earliest answers",
            statistics_table(
                *((f"interval error by {name}", side.interval_error) for name, side in sides),
                *((f"latency by {name}", side.latency) for name, side in sides),
            ),
            facts(
                [
                    *(Fact(f"by {name}", _rate(side)) for name, side in sides),
                    Fact("overruns", f"{counts.late:,} by pin{by_agent}"),
                    Fact("missed", f"{counts.missed:,} periods without an answer"),
                ]
            ),
        )

    def beside_tools(self, evaluation: Evaluation) -> PinLine | None:
        found = _found(evaluation)
        if found is None:
            return None
        latency = found.pins.latency
        return PinLine(_PIN, latency.n, latency.min_ns, latency.average_ns, latency.max_ns)

    def performer(self, settings: Settings, port: str) -> str:  # noqa: ARG002
        return "kernel thread" if port == KERNEL_PORT else "user task"

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        for subject in (self.name, _LATENCY):
            yield from (TableRow(subject, by=by) for by in (PINS, TICKS))

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows of its intervals, and those of its latencies, each by both clocks."""
        found, counts = _found(evaluation), evaluation.counts
        if found is None:
            return
        sides = [(PINS, found.pins)] + ([(TICKS, found.ticks)] if found.ticks else [])
        period_ns = source_as(Schedule, settings).period_ns
        for by, side in sides:
            error = side.interval_error
            yield TableRow(self.name, figures_of(error, shift_ns=period_ns), error.n, by=by)
        late = counts.late + counts.missed
        for by, side in sides:
            figures, n = figures_of(side.latency), side.latency.n
            yield TableRow(_LATENCY, figures, n, by=by, overruns=late)


def _found(evaluation: Evaluation) -> PeriodFigures | None:
    from rig.analysis.measurements.period import PeriodFigures

    return evaluation.details if isinstance(evaluation.details, PeriodFigures) else None


def _rate(side: PeriodSide) -> str:
    if side.average_interval_ns is None or side.rate_ppm is None:
        return "too few answers to tell a rate"
    known = side.rate_uncertainty_ppm
    uncertain = "" if known is None else f" (u = {known:.3f})"
    return (
        f"average interval {microseconds(side.average_interval_ns, 6)} us, "
        f"fitted period {side.rate_ppm:+.3f} ppm{uncertain} off the nominal one"
    )
