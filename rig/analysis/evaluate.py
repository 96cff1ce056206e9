# SPDX-License-Identifier: GPL-3.0-or-later
"""From a run's raw data to its figures, its witnesses and its verdict: each measurement its way."""

from __future__ import annotations

from rig.analysis.budget.bench import Bench
from rig.analysis.evaluation import Evaluation, EventColumns, OnEvents
from rig.analysis.inside_target import evaluate_inside
from rig.analysis.interrupts import evaluate_interrupts
from rig.analysis.model.sources import Schedule, SelfMeasured
from rig.analysis.periods import evaluate_periods
from rig.analysis.raw import Account, RawRun, Settings
from rig.analysis.spin import evaluate_spin
from rig.measure.known import INSIDE

__all__ = ["Evaluation", "EventColumns", "OnEvents", "evaluate"]


def evaluate(
    raw: RawRun,
    settings: Settings,
    account: Account,
    on_events: OnEvents | None = None,
    bench: Bench | None = None,
) -> Evaluation:
    """Compute everything from the raw data; `on_events` gets all events in order, in pieces.

    `bench`: what is known of its errors; None: nothing but the sample rate.
    """
    match settings.source:
        case SelfMeasured() if INSIDE[settings.measurement].spins:
            return evaluate_spin(raw, settings, account, bench)
        case SelfMeasured():
            return evaluate_inside(raw, settings, account, bench)
        case Schedule() as schedule:
            return evaluate_periods(raw, settings, account, schedule, on_events, bench)
        case _:
            return evaluate_interrupts(raw, settings, account, on_events, bench)
