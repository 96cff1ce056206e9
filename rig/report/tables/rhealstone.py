# SPDX-License-Identifier: GPL-3.0-or-later
"""The Rhealstone benchmark: six components of a system's response, and one figure of them all.

R. P. Kar, K. Porter: Rhealstone, a Real-Time Benchmarking Proposal. Dr. Dobb's Journal, February
1989. The sixth component is the message latency that took the place of the datagram throughput in
Kar's implementation of April 1990.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rig.document import TextTable
from rig.errors import input_error
from rig.formatting import ABSENT, microseconds
from rig.report.tables.record import RunRecord, joined


@dataclass(frozen=True)
class Component:
    """A component of the benchmark, and the runs that measure it."""

    title: str
    subject_name: str
    variants: str
    """Regular expression of the variants of a run that measure it."""

    def is_measured_by(self, record: RunRecord) -> bool:
        """Return whether a record has its figures."""
        is_subject = record.subject_name == self.subject_name
        return is_subject and re.fullmatch(self.variants, record.variant) is not None


COMPONENTS: Final = (
    Component("task switch", "task_switch", "2 tasks"),
    Component("preemption", "task_preemption", "semaphore"),
    Component("interrupt", "interrupt", ""),
    Component("semaphore shuffle", "semaphore_shuffle", "semaphore"),
    Component("deadlock break", "priority_inversion", r"(middle \S+ )?inheritance"),
    Component("message", "task_preemption", "pipe"),
)
WEIGHTS_MAX: Final = 1e6
_NOTE: Final = (
    "Averages in microseconds. Rhealstones/s: the weighted average of the six components, each "
    "its average in seconds inverted; weights {weights}."
)


def parse_weights(text: str) -> tuple[float, ...]:
    """Return the weight of each component. Raises InputError."""
    try:
        weights = tuple(float(word) for word in text.split(","))
    except ValueError:
        weights = ()
    is_whole = len(weights) == len(COMPONENTS) and all(0 <= w <= WEIGHTS_MAX for w in weights)
    if not is_whole or not sum(weights):
        names = ", ".join(component.title for component in COMPONENTS)
        valid = f"{len(COMPONENTS)} numbers from 0 to {WEIGHTS_MAX:,.0f}, of {names}"
        raise input_error("--weights", None, "", f"{text!a:.60} makes no sense", valid)
    return weights


def figure_of_merit(averages_s: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted average of the inverted times, in Rhealstones a second."""
    inverted = (weight / time for weight, time in zip(weights, averages_s, strict=True))
    return sum(inverted) / sum(weights)


def rhealstone(
    records: Sequence[RunRecord], weights: Sequence[float] = (1.0,) * len(COMPONENTS)
) -> list[TextTable]:
    """Return a table with a row for each system and scenario: the components and their figure."""
    found: dict[tuple[str, str], list[list[RunRecord]]] = {}
    for record in records:
        for place, component in enumerate(COMPONENTS):
            if component.is_measured_by(record):
                own = found.setdefault((record.system, record.scenario), [[] for _ in COMPONENTS])
                own[place].append(record)
    if not found:
        return []
    rows = tuple((*names, *_cells(own, weights)) for names, own in found.items())
    titles = (component.title for component in COMPONENTS)
    head = ("system", "scenario", *titles, "Rhealstones/s", "remark")
    told = ", ".join(f"{weight:g}" for weight in weights)
    notes = (_NOTE.format(weights=told),)
    return [TextTable(head, rows, range(2, len(head) - 1), title="Rhealstone", notes=notes)]


def _cells(own: Sequence[Sequence[RunRecord]], weights: Sequence[float]) -> tuple[str, ...]:
    averages_ns = [each[0].figures.get("average_ns") if each else None for each in own]
    known_s = [value / 1e9 for value in averages_ns if value]
    remarks = []
    for component, each, value in zip(COMPONENTS, own, averages_ns, strict=True):
        if not value:
            remarks.append(f"no {component.title}")
        elif len(each) > 1:
            remarks.append(f"{component.title}: the first of {len(each)} runs")
        remarks += [f"{component.title}: {record.remark}" for record in each[:1] if record.remark]
    is_whole = len(known_s) == len(own)
    figure = f"{figure_of_merit(known_s, weights):,.0f}" if is_whole else ABSENT
    return (*map(microseconds, averages_ns), figure, joined(*remarks))
