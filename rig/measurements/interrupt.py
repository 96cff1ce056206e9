# SPDX-License-Identifier: GPL-3.0-or-later
"""From the edge that asks for an interrupt to the edge by which its handler answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rig.analysis.model.sources import EventSource, SelfTriggers
from rig.measurements.measurement import Measurement
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation, OnEvents
    from rig.analysis.model.account import Account
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.analysis.uncertainty.bench import Bench

TRIGGER_KEYS: Final = ("self_trigger", "period", "count")
"""Keys of [agent] for a target that triggers the interrupts itself."""


class Interrupt(Measurement):
    """The handler answers."""

    name = "interrupt"
    sources: ClassVar[tuple[type[EventSource], ...]] = (Train, SelfTriggers)
    agent_keys: ClassVar[tuple[str, ...]] = ("handler", "cpu", *TRIGGER_KEYS)

    def evaluate(
        self,
        raw: RawRun,
        settings: Settings,
        account: Account,
        on_events: OnEvents | None,
        bench: Bench | None,
    ) -> Evaluation:
        from rig.analysis.measurements.interrupts import evaluate_interrupts  # loads scipy

        return evaluate_interrupts(raw, settings, account, on_events, bench)


class InterruptToTask(Interrupt):
    """A task answers that the handler has woken."""

    name = "interrupt_to_task"
    agent_keys = ("handler", "second_level", "priority", "cpu", *TRIGGER_KEYS)


class ImportedCapture(Interrupt):
    """Edges of two channels of a capture that was made without this rig; no plan asks for it."""

    name = "capture"
    sources = ()
    agent_keys = ()
