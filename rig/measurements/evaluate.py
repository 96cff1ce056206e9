# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from a run's raw data to its figures, its witnesses and its verdict."""

from __future__ import annotations

from rig.analysis.measurements.evaluation import Evaluation, EventColumns, OnEvents
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.measurements.registry import measurement_of

__all__ = ["Evaluation", "EventColumns", "OnEvents", "evaluate"]


def evaluate(
    raw: RawRun,
    settings: Settings,
    account: InstrumentCounts,
    on_events: OnEvents | None = None,
    bench: BenchErrorModel | None = None,
) -> Evaluation:
    """Evaluate a run's raw data; `on_events` gets all events in order, in pieces.

    `bench`: what is known of its errors; None: nothing but the sample rate.
    Raises ValueError if the settings name no known measurement.
    """
    run = RecordedRun(raw, settings, account, on_events, bench)
    return measurement_of(settings.measurement).evaluator(run).evaluate()
