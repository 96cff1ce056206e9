# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from the end of an interrupt's handler to the task that it has interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rig.document import Fact, Section, facts, section
from rig.limit_names import BY_TICKS, INTERRUPT, LATENCY
from rig.measurements.interrupt import Interrupt
from rig.measurements.reported import PINS, TICKS, TableRow, figures_of, statistics_table
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings


class InterruptDispatch(Interrupt):
    """The dispatch latency between handler and task, each of which writes its pin and logs it."""

    name = "interrupt_dispatch"
    sources = (Train,)
    measurands = (LATENCY, LATENCY + BY_TICKS, INTERRUPT)
    agent_keys = ("handler", "priority", "cpu")
    records_an_event = 2

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.dispatch import DispatchFigures

        return (DispatchFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.dispatch_evaluator import DispatchEvaluator  # loads scipy

        return DispatchEvaluator(run, self.stimuli(run))

    def quantity_defined(self, evaluation: Evaluation) -> str:
        from rig.analysis.measurements.dispatch import DispatchFigures

        found = evaluation.details
        if isinstance(found, DispatchFigures) and found.pins is None:
            return "Dispatch latency between two readings of the target's counter"
        return "Dispatch latency from the edge of the handler's pin to that of the task's"

    def performer(self, settings: Settings, port: str) -> str:  # noqa: ARG002
        return "user task"

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        yield from (TableRow(self.name, by=by) for by in (PINS, TICKS))

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:  # noqa: ARG002
        """Yield the row by the pins, which holds two pin writes, and that by the log."""
        from rig.analysis.measurements.dispatch import DispatchFigures

        found = evaluation.details
        if not isinstance(found, DispatchFigures):
            return
        for by, figures in ((PINS, found.pins), (TICKS, found.ticks)):
            if figures is not None:
                yield TableRow(self.name, figures_of(figures), figures.n, by=by)

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return the dispatch by both witnesses, and the interrupts' own latency."""
        from rig.analysis.measurements.dispatch import DispatchFigures

        found = evaluation.details
        if not isinstance(found, DispatchFigures):
            return ()
        elsewhere = found.interrupts - found.of_task
        fell = f"{found.of_task:,} fell upon the agent's task, {elsewhere:,} upon something else"
        overtaken = f"{found.overtaken:,}: the next interrupt came before the task went on"
        return section(
            "measured",
            "Interrupt dispatch in microseconds: handler's exit to the interrupted task",
            statistics_table(
                ("dispatch by ticks", found.ticks),
                ("dispatch by pins", found.pins),
                ("interrupt by pin", found.interrupt),
            ),
            facts([Fact("interrupts", fell), Fact("overtaken", overtaken)]),
        )
