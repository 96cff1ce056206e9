# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as tables in the shapes of the publications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from rig.document import Plot, TextTable
from rig.formatting import ABSENT, microseconds
from rig.measurements.reported import PINS
from rig.plots.pairs import FigurePairs, pairs_svg
from rig.report.tables.record import RunRecord, Word
from rig.report.tables.rhealstone import rhealstone

WITNESS: Final = "witness"
WITNESSED: Final = (
    "Witness agrees: one clock puts every edge between its record's two readings (bracket test), "
    "and all counts agree."
)
_INSIDE: Final = "target"
"""What the comparison of systems calls figures by a clock of the target's own."""
_MARKS: Final = {
    ABSENT: "A dash: not among these runs, or not published.",
    "*": "A star: see the remark in the table by scenario.",
    "+": "A plus: no pin was seen, the figure is the target's own.",
}


def scenarios(records: Sequence[RunRecord]) -> list[TextTable]:
    """Return a table a measurement: average, minimum, maximum, gap, deviation by scenario.

    They are as in chapters 6 to 11 of Radder's dissertation (Bremen, 2015); microseconds.
    """
    columns = ("average_ns", "min_ns", "max_ns", "gap_ns", "deviation_ns")
    return [
        _table(
            f"{own[0].table_title}, in microseconds",
            ("system", "scenario", "n", "Average", "Min", "Max", "Gap", "Deviation"),
            own,
            lambda each: [each.system, each.scenario],
            lambda each: [_count(each.n), *(_us(each, name) for name in columns)],
            notes=(own[0].subject.note,),
        )
        for own in by_table(records).values()
    ]


def comparison(records: Sequence[RunRecord]) -> list[TextTable]:
    """Return a table of all systems side by side, as deviation (average).

    It is as in chapter 12 of Radder's dissertation; microseconds.
    """
    shown = [record for record in records if record.subject.is_compared]
    systems = list(dict.fromkeys(record.system for record in shown))
    cells: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for own in by_table(shown).values():
        clocks = list(dict.fromkeys(_side(record) for record in own if not record.published))
        for record in own:
            side = _side(record)
            side = side if side in clocks or not clocks else clocks[-1]
            row = cells.setdefault((record.table_title, record.scenario, side), {})
            row.setdefault(record.system, []).append(_deviation_and_average(record))
    if not cells:
        return []
    rows = [
        (*names, *(" / ".join(row.get(system, [ABSENT])) for system in systems))
        for names, row in cells.items()
    ]
    head = ("measurement", "scenario", "by", *systems)
    title = "Comparison: deviation (average), in microseconds"
    notes = tuple(
        note
        for mark, note in _MARKS.items()
        if any(cell == mark or mark in cell.replace(ABSENT, "") for row in rows for cell in row[3:])
    )
    numbers = range(3, len(head))
    return [TextTable(head, tuple(rows), numbers, title=title, notes=notes)]


def slides(records: Sequence[RunRecord]) -> list[TextTable]:
    """Return a table of periodic tasks' latency: mean, maximum, deviation, overruns; microseconds.

    It has the shape of the slides whose figures are in the reference `slides`. Theirs begin when
    the task was due; a column has what ours begin with.
    """
    own = [record for record in records if record.subject.begins]
    if not own:
        return []
    return [
        _table(
            "Latency of periodic tasks, in microseconds",
            ("system", "load", "period", "from", "n", "mean", "max", "deviation", "overruns"),
            own,
            lambda each: [each.system, each.scenario, each.variant, each.subject.begins],
            lambda each: [
                _count(each.n),
                *(_us(each, name) for name in ("average_ns", "max_ns", "deviation_ns")),
                _count(each.overruns),
            ],
            notes=tuple(dict.fromkeys(each.subject.note for each in own)),
        )
    ]


def golem(records: Sequence[RunRecord]) -> list[TextTable]:
    """Return a table a measurement, variants in a column: mean beside median, deviation beside
    interquartile range; microseconds.

    RT-golem compares the two of each pair: they differ where rare values are far off.
    """
    columns = (
        "average_ns", "median_ns", "min_ns", "max_ns", "gap_ns", "deviation_ns",
        "interquartile_range_ns",
    )  # fmt: skip
    own = [record for record in records if record.subject.is_compared]
    by_measurement: dict[str, list[RunRecord]] = {}
    for record in own:
        by_measurement.setdefault(record.subject_name, []).append(record)
    tables = [
        _table(
            f"{each[0].subject.title}, in microseconds",
            ("system", "scenario", "of", "n",
             "Mean", "Median", "Min", "Max", "Gap", "Deviation", "IQR"),
            each,
            lambda one: [one.system, one.scenario, one.variant or ABSENT],
            lambda one: [_count(one.n), *(_us(one, name) for name in columns)],
            notes=(each[0].subject.note,),
        )
        for each in by_measurement.values()
    ]  # fmt: skip
    drawn = map(_pairs_plot, by_measurement.values())
    return [replace(table, plot=plot) for table, plot in zip(tables, drawn, strict=True)]


def _pairs_plot(records: Sequence[RunRecord]) -> Plot:
    """Return mean beside median, and deviation beside interquartile range, of each record."""

    def us(one: RunRecord, name: str) -> float | None:
        value = one.figures.get(f"{name}_ns")
        return None if value is None else value / 1e3

    names = "average", "median", "deviation", "interquartile_range"
    rows = [
        FigurePairs(
            ", ".join(filter(None, (one.system, one.scenario, one.variant, one.by))),
            *(us(one, name) for name in names),
        )
        for one in records
    ]
    title = f"{records[0].subject.title}: mean and median, deviation and interquartile range"
    caption = "A dot and its ring are apart where rare values are far off."
    return Plot(caption, partial(pairs_svg, title, rows))


def thesis(records: Sequence[RunRecord]) -> list[TextTable]:
    """Return a table a measurement: minimum, average, maximum, standard deviation; nanoseconds.

    It has the shape of the thesis whose figures are in the reference `thesis`.
    """
    columns = ("min_ns", "average_ns", "max_ns", "deviation_ns")
    return [
        _table(
            f"{own[0].table_title}, in nanoseconds",
            ("system", "load", "n", "Min", "Avg", "Max", "StDev"),
            own,
            lambda each: [each.system, each.scenario],
            lambda each: [_count(each.n), *(_ns(each, name) for name in columns)],
            notes=(own[0].subject.note,),
        )
        for own in by_table(records).values()
    ]


SHAPES: Final[Mapping[str, Callable[[Sequence[RunRecord]], list[TextTable]]]] = {
    "scenarios": scenarios,
    "comparison": comparison,
    "slides": slides,
    "thesis": thesis,
    "golem": golem,
    "rhealstone": rhealstone,
}


def by_table(records: Iterable[RunRecord]) -> dict[tuple[str, str], list[RunRecord]]:
    """Return the records that may be in one table, in the order in which they first occur."""
    found: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        found.setdefault(record.table, []).append(record)
    return found


def _table(
    title: str,
    head: tuple[str, ...],
    records: Sequence[RunRecord],
    names: Callable[[RunRecord], list[str]],
    numbers: Callable[[RunRecord], list[str]],
    notes: tuple[str, ...],
) -> TextTable:
    last = {
        "by": [record.by or ABSENT for record in records],
        "how": [record.how or ABSENT for record in records],
        WITNESS: [str(record.witness) or ABSENT for record in records],
        "remark": [record.remark for record in records],
    }
    shown = [name for name, cells in last.items() if set(cells) - {"", ABSENT}]
    rows = tuple(
        (*names(each), *numbers(each), *(last[name][place] for name in shown))
        for place, each in enumerate(records)
    )
    if WITNESS in shown:
        notes = (*notes, WITNESSED)
    columns = range(len(names(records[0])), len(head))
    return TextTable((*head, *shown), rows, columns, title=title, notes=tuple(filter(None, notes)))


def _side(record: RunRecord) -> str:
    """Return whether the figures are by pins or from inside the target, by whatever clock."""
    return record.by if record.by in ("", PINS) else _INSIDE


def _deviation_and_average(record: RunRecord) -> str:
    if record.figures.get("average_ns") is None:
        return "*" if record.remark else ABSENT
    marks = ("*" if record.remark else "") + ("+" if record.witness is Word.NONE else "")
    return f"{_us(record, 'deviation_ns')} ({_us(record, 'average_ns')}){marks}"


def _us(record: RunRecord, name: str) -> str:
    return microseconds(record.figures.get(name))


def _ns(record: RunRecord, name: str) -> str:
    value = record.figures.get(name)
    return ABSENT if value is None else f"{value:.2f}"


def _count(value: int | None) -> str:
    return ABSENT if value is None else str(value)
