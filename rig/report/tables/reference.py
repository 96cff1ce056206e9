# SPDX-License-Identifier: GPL-3.0-or-later
"""Published figures as records: three sources, each in a table of its own columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from rig.measurements.measurement import short_time
from rig.measurements.period import START
from rig.measurements.reported import CLOCK, TICKS
from rig.report.tables.record import RunRecord, joined
from rig.report.tables.tools import GAPS
from rig.tools.tool_runs import HWLAT

_FOLDER: Final = Path(__file__).resolve().parents[2] / "virtual" / "reference"
_Row = Mapping[str, str]

_RADDER_N: Final = 250
_SELF: Final = "self-triggered"
_RADDER: Final = {
    ("interrupt", "ISR"): ("interrupt", "self", _SELF),
    ("interrupt", "SLIH"): ("interrupt_to_task", "", _SELF),
    ("interrupt", "dispatch"): ("interrupt_dispatch", "", _SELF),
    ("task_creation", ""): ("task_creation", "fork", ""),
    ("task_preemption", "signal"): ("task_preemption", "handler", "processes"),
    ("task_preemption", "event"): (
        "task_preemption",
        "eventfd",
        "processes, the system's own event",
    ),
}
"""Test and variant as published to measurement and variant as ours, and to how they were made;
others have one name, and are of processes."""
_LINUX: Final = ("Linux", "RT-Preempt")
"""Beginnings of the names of systems whose second level is a tasklet."""
_SLIDES_N: Final = 1_000_000
_LOADS: Final = {"low": "idle", "high": "cpu-io"}
"""The slides' loads as scenarios; others have one name."""
_THESIS_N: Final = {
    "preemption": 100_000, "clock_resolution": 1_000_000, "timer_abs": 1_000_000,
    "timer_rel": 1_000_000,
}  # fmt: skip
_THESIS_LOADS: Final = {"cpu": "cpu-nice"}


def _radder(row: _Row) -> RunRecord:
    test, variant = row["test"], row["variant"]
    measurement, own, how = _RADDER.get((test, variant), (test, variant, "processes"))
    if variant == "SLIH" and row["system"].startswith(_LINUX):
        how = joined("tasklet", how)
    own = re.sub(r"(?<=\ds)ec$", "", own)  # "1sec"
    names = ("average", "min", "max", "gap", "deviation")
    figures = {f"{name}_ns": _number(row, f"{name}_us", 1e3) for name in names}
    return RunRecord(
        f"{row['system']} [radder]", measurement, own, row["scenario"], figures, _RADDER_N,
        remark=row["remark"], published=True, by=TICKS, how=joined(how, "Xeon W3530"),
    )  # fmt: skip


def _slides(row: _Row) -> RunRecord:
    names = {"average_ns": "mean_us", "max_ns": "max_us", "deviation_ns": "stddev_us"}
    figures = {own: _number(row, theirs, 1e3) for own, theirs in names.items()}
    overruns = int(row["overruns"]) if row["overruns"] else None
    load, variant = row["load"], short_time(int(row["period_us"]) * 1000)
    who = "task in the kernel" if "Xenomai" in row["kernel"] else "user task, setitimer"
    return RunRecord(
        f"{row['kernel']} [slides]", START, variant, _LOADS.get(load, load), figures, _SLIDES_N,
        overruns, published=True, by=CLOCK, how=joined(who, "Pentium 4"),
        remark="" if row["overruns"] else "deviation and overruns not legible in the source",
    )  # fmt: skip


def _thesis(row: _Row) -> RunRecord:
    test, _, part = row["test"].partition(".")
    load = row["load"]
    names = {
        "average_ns": "avg_ns", "min_ns": "min_ns", "max_ns": "max_ns", "deviation_ns": "stddev_ns",
    }  # fmt: skip
    figures = {own: _number(row, theirs) for own, theirs in names.items()}
    low, high = figures["min_ns"], figures["max_ns"]
    figures["gap_ns"] = None if low is None or high is None else high - low
    measurement, variant = _THESIS.get(test, (test, f"{part} timer"))
    return RunRecord(
        f"{row['kernel']} [thesis]", measurement, variant, _THESIS_LOADS.get(load, load), figures,
        _THESIS_N.get(test), published=True, by=CLOCK, how="Core i5-6600",
    )  # fmt: skip


_THESIS: Final = {
    "context_switch": ("task_switch", "mutex means of 1000"),
    "timer_abs": ("timer", "absolute"),
    "timer_rel": ("timer", "relative"),
    "clock_resolution": ("clock_resolution", ""),
    "smi": (f"{GAPS} by {HWLAT.name}", ""),
}
"""Test as published to measurement and variant as ours; others have one name."""
_OF_ANY_VARIANT: Final = (
    "clock_resolution", "interrupt_dispatch", "interrupt_to_task", f"{GAPS} by {HWLAT.name}",
)  # fmt: skip
"""Subjects of which each variant of ours has the published figures beside it: what they were made
with is among our variants, or is none of what our variants differ in."""

_Read = Callable[[_Row], RunRecord]
_SOURCES: Final[Mapping[str, tuple[str, _Read]]] = {
    "radder": ("radder2015_benchmarks.csv", _radder),
    "slides": ("periodic_latency_slides.csv", _slides),
    "thesis": ("kernel_thesis.csv", _thesis),
}
REFERENCES: Final = tuple(_SOURCES)


def published(source: str) -> list[RunRecord]:
    """Return all records of one of REFERENCES, in the order of the source."""
    return [_doubted(record) for record in _rows(*_SOURCES[source])]


def _doubted(record: RunRecord) -> RunRecord:
    """Return the record, with a remark if no n values have such figures.

    None of n values is farther from their average than sqrt(n - 1) deviations (Samuelson, 1968).
    """
    average, largest, deviation = (
        record.figures.get(f"{name}_ns") for name in ("average", "max", "deviation")
    )
    if average is None or largest is None or deviation is None or record.n is None:
        return record
    if largest - average <= deviation * (record.n - 1) ** 0.5:
        return record
    remark = f"no {record.n:,} values with this maximum have so small a deviation"
    return replace(record, remark=joined(record.remark, remark))


def beside(records: list[RunRecord], source: str) -> list[RunRecord]:
    """Return our records, and then what the source published of the same subjects."""
    subjects = dict.fromkeys(record.table for record in records)
    theirs = published(source)
    return records + [
        replace(each, variant=variant)
        for subject, variant in subjects
        for each in theirs
        if each.subject_name == subject and _is_of(each, variant)
    ]


def _is_of(published_: RunRecord, variant: str) -> bool:
    """Return whether a record may be beside ours of this variant, which may be more specific."""
    own = published_.variant
    general = not own and published_.subject_name in _OF_ANY_VARIANT
    return general or variant == own or (own != "" and variant.startswith(f"{own} "))


def _rows(name: str, read: _Read) -> Iterator[RunRecord]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        yield from map(read, csv.DictReader(file))


def _number(row: _Row, key: str, factor: float = 1.0) -> float | None:
    return float(row[key]) * factor if row[key] else None
