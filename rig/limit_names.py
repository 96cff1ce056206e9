# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what a plan may limit: a statistic of what was measured, or a count.

Plans are written with these names and results are judged by them; docs/reference/plans.md lists
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple


class Statistic(NamedTuple):
    """A scalar statistic of what was measured."""

    name: str
    """The beginning of its limits' names; with `_ns` the name of its field in results."""
    title: str = ""
    """Its name in reports; "": they do not show it, JSON does."""
    is_distance: bool = False
    """Whether it is between values: what is added to all of them does not move it."""


_STATISTICS: Final = (
    Statistic("average", "average"),
    Statistic("deviation", "deviation", is_distance=True),
    Statistic("sample_deviation", is_distance=True),
    Statistic("min", "min"),
    Statistic("max", "max"),
    Statistic("gap", "gap", is_distance=True),
    Statistic("median", "median"),
    Statistic("quartile_1"),
    Statistic("quartile_3"),
    Statistic("interquartile_range", "IQR", is_distance=True),
    Statistic("median_absolute_deviation", is_distance=True),
    Statistic("p90"),
    Statistic("p95"),
    Statistic("p99", "p99"),
    Statistic("p99_9", "p99.9"),
    Statistic("p99_99"),
    Statistic("p99_999"),
    Statistic("p99_9999"),
)
"""All that there are. Their values are fields of DescriptiveStatistics."""
STATISTICS: Final = tuple(each.name for each in _STATISTICS)
DISTANCES: Final = frozenset(f"{each.name}_ns" for each in _STATISTICS if each.is_distance)
"""Fields of those that are distances between values."""
TITLES: Final = {f"{each.name}_ns": each.title for each in _STATISTICS if each.title}
"""Fields of those that reports show, to their names there."""
NONE_BY_DEFAULT = ("missed", "late", "merged", "duplicate", "spurious")
"""Classes of events of which a plan that does not name them allows none."""
FAILED = "failed"
"""Iterations that failed, of measurements inside the target that can; none are allowed by default
where they can."""
MISSED_PERIODS = "missed_periods"
"""Periods of tasks beside interrupts in which one did not run; none are allowed by default."""
FREE_BY_DEFAULT = ("glitches", "overruns", "overruns_in_a_row", FAILED, MISSED_PERIODS)
"""Counts that are judged only if a plan names them."""
COUNTS = (*NONE_BY_DEFAULT, *FREE_BY_DEFAULT)

LATENCY, INTERVAL_ERROR = "latency", "interval_error"
BY_TICKS, BY_PINS = "_by_ticks", "_by_pins"
INTERNAL, INTERRUPT = "internal_latency", "interrupt_latency"
WAIT, SWITCH_BACK = "wait", "switch_back"
"""The measurands of measurement `preemption`; `latency` is the switch to the woken task."""
FINISH, WORK = "finish_latency", "work"
"""The measurands of measurement `start_finish`; `latency` is that of the start."""
GAP_LENGTH, GAP_INTERVAL = "gap_length", "gap_interval"
"""The measurands of `smi` beside its intervals: of its gaps, and between the ends of two."""
LEAST_PERIOD = "least_period"
"""The measurand of `period_search`: the least period that a task keeps."""
TASK_1 = 1
"""The task of a set whose measurands have no task in their names."""
SPACING = "spacing"
"""The measurand of `saturation`: the least spacing of stimuli that the target keeps up with."""


def of_task(measurand: str, task: int) -> str:
    """The name of a measurand of one of several tasks; that of the first is the measurand's own."""
    return measurand if task == TASK_1 else f"{measurand}_of_task_{task}"


def of_task_beside(measurand: str, task: int) -> str:
    """The name of a measurand of a task that runs beside interrupts, which have its own name."""
    return f"{measurand}_of_task_{task}"


def split(name: str, measurands: Sequence[str]) -> tuple[str, str] | None:
    """Statistic and measurand of a name such as `p99_latency`; None if it is not one of these."""
    for measurand in measurands:
        statistic = name.removesuffix(f"_{measurand}")
        if statistic in STATISTICS:
            return statistic, measurand
    return None


def in_words(name: str) -> str:
    """A name as it is written in text: `p99.9 latency by ticks`."""
    first, *rest = name.split("_")
    if first.startswith("p9") and rest and rest[0].isdigit():
        first = f"{first}.{rest.pop(0)}"
    return " ".join((first, *rest))
