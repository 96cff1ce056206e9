# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what a plan may limit: a statistic of what was measured, or a count.

Plans are written with these names and results are judged by them; docs/plans.md lists them.
"""

from __future__ import annotations

from collections.abc import Sequence

STATISTICS = (
    "average", "deviation", "sample_deviation", "min", "max", "gap", "median", "quartile_1",
    "quartile_3", "interquartile_range", "median_absolute_deviation", "p90", "p95", "p99", "p99_9",
    "p99_99", "p99_999", "p99_9999",
)  # fmt: skip
"""Each is the name of a field of the statistics, without its unit."""
NONE_BY_DEFAULT = ("missed", "late", "merged", "duplicate", "spurious")
"""Classes of events of which a plan that does not name them allows none."""
FREE_BY_DEFAULT = ("glitches", "overruns", "overruns_in_a_row")
"""Counts that are judged only if a plan names them."""
COUNTS = (*NONE_BY_DEFAULT, *FREE_BY_DEFAULT)

LATENCY, INTERVAL_ERROR = "latency", "interval_error"
BY_TICKS, BY_PINS = "_by_ticks", "_by_pins"
INTERNAL, INTERRUPT = "internal_latency", "interrupt_latency"
WAIT, SWITCH_BACK = "wait", "switch_back"
"""Of measurement `preemption`; `latency` is the switch to the woken task."""
FINISH, WORK = "finish_latency", "work"
"""Of measurement `start_finish`; `latency` is that of the start."""
SPACING = "spacing"
"""Of measurement `saturation`: the least one of stimuli that the target keeps up with."""


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
