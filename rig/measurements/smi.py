# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the train of a task that does nothing but toggle its pin.

What takes the processor away from all software, as a system management interrupt (SMI) does, takes
it from this task, too: the train has a gap that the analyzer sees. So has it when anything else
holds the task up; the kernel's own tracer for such gaps (see rig.tools.hwlat) runs with
interrupts off and shows what is left for the hardware.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.document import Fact, Section, facts, section
from rig.formatting import count, microseconds, percent, short_microseconds
from rig.instruments import TargetSummary
from rig.limit_names import GAP_INTERVAL, GAP_LENGTH, LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.reported import PINS, PinLine, statistics_table
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.measurements.toggle_gap_figures import ToggleGapFigures
    from rig.analysis.measurements.toggle_gap_list import ToggleGap
    from rig.analysis.model.details import Details
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.arrays import FloatArray
    from rig.instruments import Int64Array
    from rig.measurements.value_table import ValueTable


_ENDS = ("gaps", "duration_ns")
"""Words for the agent that say when it ends, as count does."""


class Smi(MeasuredByTarget):
    """Gaps between two toggles of a pin that a task toggles all the time."""

    measurands = (LATENCY, GAP_LENGTH, GAP_INTERVAL)
    description = SelfMeasurement(
        name="smi",
        title="from one toggle of a spinning task's pin to the next",
        variants={"task": "a task that toggles its pin all the time"},
        parts=(IterationPart(LATENCY, "interval"),),
        keys=("pause", "threshold", "gaps", "duration"),
        needs=("pause", "threshold"),
        by_answers=("task",),
        always_pin=True,
        spins=True,
    )

    @property
    def title(self) -> str:
        return "gaps of a spinning task"

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        return [
            *time_words(agent, "pause_ns", before="pause "),
            *time_words(agent, "threshold_ns", before="gaps above "),
            *agent_words(agent, without=("pause_ns", "threshold_ns", *_ENDS)),
        ]

    def pin_writes(self, settings: Settings, summary: TargetSummary) -> int:  # noqa: ARG002
        """Return the number of toggles, `handled`: the log has few of them."""
        return summary.handled

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.toggle_gap_figures import ToggleGapFigures

        return (ToggleGapFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.toggle_gaps import ToggleGapEvaluator  # loads scipy

        return ToggleGapEvaluator(run)

    def value_table(self, raw: RawRun, settings: Settings) -> ValueTable:
        """Return a row for each toggle but the first: the interval that it ends, by the pin."""
        from rig.analysis.signals.spool import Spool
        from rig.analysis.signals.stretches import Stretches
        from rig.measurements.value_table import ValueTable, part_columns

        rate_hz = settings.sample_rate_hz

        def pieces() -> Iterator[tuple[Int64Array | FloatArray, ...]]:
            number, first, last = 1, 0, np.empty(0, np.int64)
            for seen in Stretches(raw, settings, Spool(0, 0)):
                samples = np.concatenate([last, seen.response])
                if not len(samples):
                    continue
                first, last = first if len(last) else int(samples[0]), samples[-1:]
                numbers = number + 1 + np.arange(len(samples) - 1)
                number += len(numbers)
                ends_s = (samples[1:] - first) / rate_hz
                yield numbers, ends_s, np.diff(samples) * (1e9 / rate_hz)

        return ValueTable(("toggle", "end_s", *part_columns(self.description)), pieces())

    def by(self, settings: Settings) -> str:  # noqa: ARG002
        return PINS

    def rows(self) -> dict[str, str]:
        return {"": LATENCY, "gaps": GAP_LENGTH, "from gap to gap": GAP_INTERVAL}

    def quantity(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        return "interval by pin"

    def headline(self, evaluation: Evaluation) -> Fact:
        return Fact("longest interval", super().headline(evaluation).text)

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return the intervals' figures, and the longest gaps one by one."""
        found = _found(evaluation)
        if found is None:
            return ()
        return section(
            "measured",
            "In microseconds: from one toggle of a spinning task to the next",
            statistics_table(
                (self.quantity(evaluation), evaluation.figures),
                *(
                    (_TITLES[each.name], each.statistics)
                    for each in evaluation.measurands[1:]
                    if each.name in _TITLES
                ),
            ),
            facts(_facts(found)),
        )

    def beside_tools(self, evaluation: Evaluation) -> PinLine | None:
        found = _found(evaluation)
        if found is None:
            return None
        threshold = short_microseconds(found.threshold_ns)
        text = f"gaps above {threshold} us between two edges of a spinning task"
        return PinLine(text, found.gaps, max_ns=evaluation.figures.max_ns)


_TITLES = {GAP_LENGTH: "gaps", GAP_INTERVAL: "from gap to gap"}


def _found(evaluation: Evaluation) -> ToggleGapFigures | None:
    from rig.analysis.measurements.toggle_gap_figures import ToggleGapFigures

    return evaluation.details if isinstance(evaluation.details, ToggleGapFigures) else None


_ENDED: dict[str, str] = {
    "count": "after all toggles that were planned",
    "gaps": "after as many gaps as it was to find",
    "duration": "after the longest time that it was to take",
}


def _facts(found: ToggleGapFigures) -> Iterator[Fact]:
    log = "not compared" if found.gaps_by_log is None else f"{found.gaps_by_log:,} by the log"
    same = "" if found.gaps_by_both is None else f", {found.gaps_by_both:,} the same"
    above = f"above {short_microseconds(found.threshold_ns)} us by the pin"
    yield Fact("gaps", f"{found.gaps:,} {above}, {log}{same}", count(found.gaps))
    if found.per_hour is not None and found.share is not None:
        rate = f"{found.per_hour:,.1f} gaps an hour, {percent(found.share, 3)} of the time in them"
        yield Fact("rate", rate, f"{found.per_hour:,.1f}/h, {percent(found.share, 3)}")
    if found.ended_by:
        yield Fact("ended", f"{_ENDED[found.ended_by]}, {found.toggles:,} toggles")
    hidden = "so much of a hold-up, or of its gap, may be the pause"
    pause = short_microseconds(found.pause_ns)
    yield Fact("pause", f"{pause} us between two toggles; {hidden}")
    if found.at_threshold:
        text = f"{found.at_threshold:,} intervals at the threshold, told by one side only"
        yield Fact("one side", text, count(found.at_threshold))
    for gap in found.listed:
        yield Fact(count(gap.number), _gap(gap))


def _gap(found: ToggleGap) -> str:
    bounds = "no record"
    if found.lowest_ns is not None and found.highest_ns is not None:
        low, high = microseconds(found.lowest_ns), microseconds(found.highest_ns)
        bounds = f"{low} to {high} us by the log"
    return f"{microseconds(found.pins_ns)} us by the pin, {bounds}, until {found.at_s:.6f} s"
