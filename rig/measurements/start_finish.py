# SPDX-License-Identifier: GPL-3.0-or-later
"""The times when a periodic task starts and finishes: its pin toggles at both."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import BY_PINS, FINISH, INTERVAL_ERROR, LATENCY, WORK
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.reported import Subject
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.arrays import FloatArray
    from rig.instruments import Int64Array
    from rig.measurements.value_table import ValueTable


class StartFinish(MeasuredByTarget):
    """The start and finish of a periodic task, at both of which it toggles its pin."""

    measurands = (
        LATENCY, FINISH, WORK, INTERVAL_ERROR,
        *(f"{name}{BY_PINS}" for name in (LATENCY, FINISH, WORK, INTERVAL_ERROR)),
    )  # fmt: skip
    description = SelfMeasurement(
        name="start_finish",
        title="a periodic task's start and finish, each after its earliest, and its work between",
        variants={"task": "clock_nanosleep until the time of each period"},
        parts=(
            IterationPart(LATENCY, "start"),
            IterationPart(FINISH, "finish"),
            IterationPart(WORK, "work"),
        ),
        keys=("period", "work"),
        needs=("period",),
        by_answers=("task",),
        always_pin=True,
        periodic=True,
    )

    @property
    def subjects(self) -> tuple[Subject, ...]:
        note = "Starts and finishes are against the earliest of each."
        return (Subject(self.name, "start-finish", note=note),)

    def rows(self) -> dict[str, str]:
        return {
            "start by ticks": LATENCY,
            "start by pins": LATENCY + BY_PINS,
            "finish by ticks": FINISH,
            "finish by pins": FINISH + BY_PINS,
            "work by ticks": WORK,
            "work by pins": WORK + BY_PINS,
            "interval error by ticks": INTERVAL_ERROR,
            "interval error by pins": INTERVAL_ERROR + BY_PINS,
        }

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        return [
            *time_words(agent, "period_ns"),
            *time_words(agent, "work_ns", before="work "),
            *agent_words(agent, without=("work_ns",)),
        ]

    def value_table(self, raw: RawRun, settings: Settings) -> ValueTable:
        """Return a row for each period: start and finish after the earliest, and the work, by the
        log, and where edges and log match by the pins."""
        from rig.analysis.measurements.start_finish import values_by_pins, values_by_ticks
        from rig.measurements.value_table import ValueTable, part_columns

        tick_ns, sample_ns = 1e9 / (settings.tick_hz or 10**9), 1e9 / settings.sample_rate_hz
        by_pins = values_by_pins(raw, settings)
        own = part_columns(self.description)
        seen = () if by_pins is None else tuple(each.replace("_ns", "_by_pins_ns") for each in own)

        def pieces() -> Iterator[tuple[Int64Array | FloatArray, ...]]:
            pairs = zip(values_by_ticks(raw, settings), by_pins or repeat(()), strict=False)
            for (number, *ticks), samples in pairs:
                *times, begin = (each.astype(np.float64) * tick_ns for each in ticks)
                shown = (each.astype(np.float64) * sample_ns for each in samples[1:-1])
                yield number, begin / 1e9, *times, *shown

        return ValueTable(("period", "begin_s", *own, *seen), pieces())
