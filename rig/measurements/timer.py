# SPDX-License-Identifier: GPL-3.0-or-later
"""The delay with which a sleep ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.period import START
from rig.measurements.reported import Subject, TableRow
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.model.settings import Settings


class Timer(MeasuredByTarget):
    """Sleeps of a task, one after the other."""

    description = SelfMeasurement(
        name="timer",
        title="from the time that a sleep should end to the task",
        variants={
            "absolute": "clock_nanosleep until a time",
            "relative": "clock_nanosleep for a time",
            "periodic": "clock_nanosleep until the next time of a grid, as a periodic task starts",
            "itimer": "setitimer, and sigwait for each time of its grid",
        },
        parts=(IterationPart(LATENCY, "delay"),),
        keys=("period",),
        needs=("period",),
        least_period_ns=1000,
        clocked=("absolute", "relative", "periodic", "itimer"),
    )

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        if not starts_periodic_task(agent):
            return super().variant_words(settings)
        hidden = ("variant",) if agent["variant"] == "periodic" else ()
        return [*time_words(agent, "period_ns"), *agent_words(agent, without=hidden)]

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:
        for row in super().unmade_rows(settings):
            yield replace(row, subject=START) if starts_periodic_task(settings.agent) else row

    def table_rows(self, evaluation: Evaluation, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows; the starts of a periodic task are a subject of their own."""
        for row in super().table_rows(evaluation, settings):
            if not starts_periodic_task(settings.agent):
                yield row
                continue
            # Periods that passed while it was still late.
            passed = getattr(evaluation.details, "without_value", None)
            yield replace(row, subject=START, overruns=passed)


PERIOD_START = Subject(START, "period start", begins="due")


def starts_periodic_task(agent: Mapping[str, str]) -> bool:
    """Return whether the values are the starts of a periodic task, by the words for the agent."""
    return agent.get("variant") in ("periodic", "itimer")
