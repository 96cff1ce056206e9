# SPDX-License-Identifier: GPL-3.0-or-later
"""Published figures as records: three sources, each in a table of its own columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from rig.report.tables.record import (
    PERIOD,
    PERIOD_LATENCY,
    PERIOD_START,
    Figures,
    Record,
    period_words,
)

_FOLDER: Final = Path(__file__).resolve().parents[2] / "virtual" / "reference"
_Row = Mapping[str, str]

_RADDER_N: Final = 250
_RADDER: Final = {
    ("interrupt", "ISR"): ("interrupt", ""),
    ("interrupt", "SLIH"): ("interrupt_to_task", ""),
    ("interrupt", "dispatch"): ("interrupt_dispatch", ""),
}
"""Test and variant as published to measurement and variant as ours; others have one name."""
_SLIDES_N: Final = 1_000_000
_LOADS: Final = {"low": "idle", "high": "cpu"}
"""The slides' loads as scenarios; others have one name."""


def _radder(row: _Row) -> Record:
    test, variant = row["test"], row["variant"]
    measurement, own = _RADDER.get((test, variant), (test, variant))
    own = own.removesuffix("ec") if measurement == PERIOD else own  # "1sec"
    average, low, high, gap, deviation = (
        _number(row, f"{name}_us", 1e3) for name in ("average", "min", "max", "gap", "deviation")
    )
    figures = Figures(_RADDER_N, average, low, high, gap, deviation)
    system = f"{row['system']} [radder]"
    return Record(system, measurement, own, row["scenario"], figures, published=True)


def _slides(row: _Row) -> Record:
    overruns = row["overruns"]
    figures = Figures(
        _SLIDES_N,
        average_ns=_number(row, "mean_us", 1e3),
        max_ns=_number(row, "max_us", 1e3),
        deviation_ns=_number(row, "stddev_us", 1e3),
        overruns=int(overruns) if overruns else None,
    )
    load, variant = row["load"], period_words(int(row["period_us"]) * 1000)
    return Record(
        f"{row['kernel']} [slides]", PERIOD_START, variant, _LOADS.get(load, load), figures,
        published=True,
    )  # fmt: skip


def _thesis(row: _Row) -> Record:
    test, _, part = row["test"].partition(".")
    low, high = _number(row, "min_ns"), _number(row, "max_ns")
    gap = None if low is None or high is None else high - low
    figures = Figures(None, _number(row, "avg_ns"), low, high, gap, _number(row, "stddev_ns"))
    measurement, variant = _THESIS.get(test, (test, part))
    return Record(
        f"{row['kernel']} [thesis]", measurement, variant, row["load"], figures, published=True
    )


_THESIS: Final = {
    "context_switch": ("task_switch", "mutex"),
    "timer_abs": ("timer", "absolute"),
    "timer_rel": ("timer", "relative"),
    "clock_resolution": ("clock_resolution", ""),
}
"""Test as published to measurement and variant as ours; others have one name."""
_OF_ANY_VARIANT: Final = ("task_creation", "clock_resolution", "interrupt_dispatch")
"""Published without a word on how."""

_Read = Callable[[_Row], Record]
_SOURCES: Final[Mapping[str, tuple[str, _Read]]] = {
    "radder": ("radder2015_benchmarks.csv", _radder),
    "slides": ("periodic_latency_slides.csv", _slides),
    "thesis": ("kernel_thesis.csv", _thesis),
}
REFERENCES: Final = tuple(_SOURCES)


def published(source: str) -> list[Record]:
    """All records of one of REFERENCES, in the order of the source."""
    return list(_rows(*_SOURCES[source]))


def beside(records: list[Record], source: str) -> list[Record]:
    """Ours, and then what the source published of the same subjects."""
    subjects = dict.fromkeys(map(_published_as, records))
    theirs = published(source)
    return records + [
        replace(each, variant=variant)
        for measurement, variant in subjects
        for each in theirs
        if each.measurement == measurement and _is_of(each, variant)
    ]


def _published_as(record: Record) -> tuple[str, str]:
    """Starts against the earliest have nothing of their own kind; shapes tell the two apart."""
    measurement, variant = record.subject
    return PERIOD_START if measurement == PERIOD_LATENCY else measurement, variant


def _is_of(published_: Record, variant: str) -> bool:
    """Whether it may stand beside ours of this variant, which may say more than was published."""
    own = published_.variant
    general = not own and published_.measurement in _OF_ANY_VARIANT
    return general or variant == own or (own != "" and variant.startswith(f"{own} "))


def _rows(name: str, read: _Read) -> Iterator[Record]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        yield from map(read, csv.DictReader(file))


def _number(row: _Row, key: str, factor: float = 1.0) -> float | None:
    return float(row[key]) * factor if row[key] else None
