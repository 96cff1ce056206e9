# SPDX-License-Identifier: GPL-3.0-or-later
"""From the end of an interrupt's handler to the task that the interrupt has interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.sources import EventSource
from rig.limit_names import BY_TICKS, INTERRUPT, LATENCY
from rig.measurements.measurement import Measurement
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation, OnEvents
    from rig.analysis.model.account import Account
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.analysis.uncertainty.bench import Bench


class InterruptDispatch(Measurement):
    """Handler and task each write a pin of their own, and log it."""

    name = "interrupt_dispatch"
    sources = (Train,)
    agent_keys = ("handler", "priority", "cpu")
    records_an_event = 2

    def measurands(self, source: type[EventSource]) -> tuple[str, ...]:  # noqa: ARG002
        return (LATENCY, LATENCY + BY_TICKS, INTERRUPT)

    def evaluate(
        self,
        raw: RawRun,
        settings: Settings,
        account: Account,
        on_events: OnEvents | None,
        bench: Bench | None,
    ) -> Evaluation:
        from rig.analysis.measurements.interrupts import evaluate_interrupts
        from rig.analysis.measurements.primary_measurand import (
            dispatch_headline,  # these load scipy
        )

        return evaluate_interrupts(raw, settings, account, on_events, bench, dispatch_headline)
