# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as tables in the shapes of the publications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rig.report.tables.record import PERIOD, PERIOD_LATENCY, Record

ABSENT: Final = "-"
EARLIEST: Final = (
    "Latencies of periods are against the earliest answers: what all answers have in common does "
    "not show. Published ones are by the target's own clock."
)


@dataclass(frozen=True)
class Grid:
    """One table, its cells as text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int
    """The first so many columns are words, the others numbers, but for a last one of remarks."""
    remarks: bool = False
    """The last column says what there is to say of a row."""
    notes: tuple[str, ...] = ()


def scenarios(records: Sequence[Record]) -> list[Grid]:
    """One table a measurement: average, minimum, maximum, gap and deviation by scenario.

    As chapters 6 to 11 of Radder's dissertation (Bremen, 2015) have them; microseconds.
    """
    columns = ("average_ns", "min_ns", "max_ns", "gap_ns", "deviation_ns")
    return [
        _grid(
            f"{subject_words(subject)}, in microseconds",
            ("system", "scenario", "n", "Average", "Min", "Max", "Gap", "Deviation"),
            own,
            lambda each: [each.system, each.scenario],
            lambda each: [_count(each.figures.n), *(_us(each, name) for name in columns)],
            notes=(EARLIEST,) if subject[0] == PERIOD_LATENCY else (),
        )
        for subject, own in by_subject(records).items()
    ]


def comparison(records: Sequence[Record]) -> list[Grid]:
    """All systems side by side, as deviation (average).

    As chapter 12 of Radder's dissertation compares systems; microseconds.
    """
    shown = [record for record in records if record.measurement != PERIOD_LATENCY]
    systems = list(dict.fromkeys(record.system for record in shown))
    cells: dict[tuple[str, str], dict[str, list[str]]] = {}
    for record in (each for own in by_subject(shown).values() for each in own):
        row = cells.setdefault((subject_words(record.subject), record.scenario), {})
        row.setdefault(record.system, []).append(_deviation_and_average(record))
    if not cells:
        return []
    rows = [
        (*names, *(" / ".join(row.get(system, [ABSENT])) for system in systems))
        for names, row in cells.items()
    ]
    head = ("measurement", "scenario", *systems)
    title = "Comparison: deviation (average), in microseconds"
    notes = ("A star: see the remark in the table by scenario.",)
    starred = any("*" in cell for row in rows for cell in row[2:])
    return [Grid(title, head, tuple(rows), 2, notes=notes if starred else ())]


def slides(records: Sequence[Record]) -> list[Grid]:
    """Latency of periodic tasks: mean, maximum, deviation and overruns; microseconds.

    The shape of the slides whose figures are in the reference `slides`.
    """
    own = [record for record in records if record.measurement == PERIOD_LATENCY]
    if not own:
        return []
    return [
        _grid(
            "Latency of periodic tasks, in microseconds",
            ("system", "load", "period", "n", "mean", "max", "deviation", "overruns"),
            own,
            lambda each: [each.system, each.scenario, each.variant],
            lambda each: [
                _count(each.figures.n),
                *(_us(each, name) for name in ("average_ns", "max_ns", "deviation_ns")),
                _count(each.figures.overruns),
            ],
            notes=(EARLIEST,),
        )
    ]


def thesis(records: Sequence[Record]) -> list[Grid]:
    """One table a measurement: minimum, average, maximum, standard deviation; nanoseconds.

    The shape of the thesis whose figures are in the reference `thesis`.
    """
    columns = ("min_ns", "average_ns", "max_ns", "deviation_ns")
    return [
        _grid(
            f"{subject_words(subject)}, in nanoseconds",
            ("system", "load", "n", "Min", "Avg", "Max", "StDev"),
            own,
            lambda each: [each.system, each.scenario],
            lambda each: [_count(each.figures.n), *(_ns(each, name) for name in columns)],
            notes=(EARLIEST,) if subject[0] == PERIOD_LATENCY else (),
        )
        for subject, own in by_subject(records).items()
    ]


SHAPES: Final[Mapping[str, Callable[[Sequence[Record]], list[Grid]]]] = {
    "scenarios": scenarios,
    "comparison": comparison,
    "slides": slides,
    "thesis": thesis,
}


def by_subject(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Records that may stand in one table, in the order in which they first occur."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        found.setdefault(record.subject, []).append(record)
    return found


def subject_words(subject: tuple[str, str]) -> str:
    """What a table is of, as it is written."""
    measurement, variant = subject
    name = {PERIOD: "period", PERIOD_LATENCY: "period latency"}.get(
        measurement, measurement.replace("_", "-")
    )
    return f"{name} {variant}".rstrip()


def _grid(
    title: str,
    head: tuple[str, ...],
    records: Sequence[Record],
    names: Callable[[Record], list[str]],
    numbers: Callable[[Record], list[str]],
    notes: tuple[str, ...],
) -> Grid:
    remarks = any(record.remark for record in records)
    rows = tuple(
        (*names(each), *numbers(each), *([each.remark] if remarks else [])) for each in records
    )
    first = len(names(records[0]))
    return Grid(title, (*head, *(["remark"] if remarks else [])), rows, first, remarks, notes)


def _deviation_and_average(record: Record) -> str:
    if record.figures.average_ns is None:
        return "*" if record.remark else ABSENT
    star = "*" if record.remark else ""
    return f"{_us(record, 'deviation_ns')} ({_us(record, 'average_ns')}){star}"


def _us(record: Record, name: str) -> str:
    value = getattr(record.figures, name)
    return ABSENT if value is None else f"{value / 1e3:.3f}"


def _ns(record: Record, name: str) -> str:
    value = getattr(record.figures, name)
    return ABSENT if value is None else f"{value:.2f}"


def _count(value: int | None) -> str:
    return ABSENT if value is None else str(value)
