# SPDX-License-Identifier: GPL-3.0-or-later
"""From the end of an interrupt's handler to the task that the interrupt has interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.limit_names import BY_TICKS, INTERRUPT, LATENCY
from rig.measurements.interrupt import Interrupt
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun


class InterruptDispatch(Interrupt):
    """Handler and task each write a pin of their own, and log it."""

    name = "interrupt_dispatch"
    sources = (Train,)
    measurands = (LATENCY, LATENCY + BY_TICKS, INTERRUPT)
    agent_keys = ("handler", "priority", "cpu")
    records_an_event = 2

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.dispatch_evaluator import DispatchEvaluator  # loads scipy

        return DispatchEvaluator(run, self.stimuli(run))
