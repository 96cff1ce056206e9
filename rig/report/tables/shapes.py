# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as tables in the shapes of the publications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rig.measurements.saturation import Saturation
from rig.report.tables.record import PERIOD, PERIOD_LATENCY, PERIOD_START, Record, Word

ABSENT: Final = "-"
EARLIEST: Final = (
    "Latencies of periods are against the earliest answers: what all answers have in common does "
    "not show. Published ones are from the time when the task was due, by the target's own clock, "
    "and so are ours of timer periodic: compare those."
)
FROM_EARLIEST: Final = "Starts and finishes are against the earliest of each."
SPACING: Final = (
    "Of saturation, Average is the best estimate of the least spacing of stimuli that is kept up "
    "with (its inverse is the highest rate), and Deviation its standard uncertainty; Min was tried "
    "and lost, Max was tried and kept."
)
_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    PERIOD_LATENCY: (EARLIEST,),
    Saturation.name: (SPACING,),
}
"""Below the tables of a measurement."""
START_FINISH: Final = "start_finish"
WITNESS: Final = "witness"
WITNESSED: Final = (
    "Witness agrees: one clock puts every edge between its record's two readings (bracket test), "
    "and all counts agree."
)
_MARKS: Final = {
    "*": "A star: see the remark in the table by scenario.",
    "+": "A plus: no pin was seen, the figure is the target's own.",
}


@dataclass(frozen=True)
class Grid:
    """One table, its cells as text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int
    """The first so many columns are words, the others numbers, but for those of remarks."""
    remarks: int = 0
    """The last so many columns are words again: the witness, and what there is to say of a row."""
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
            notes=_NOTES.get(subject[0], ()),
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
    notes = tuple(
        note
        for mark, note in _MARKS.items()
        if any(mark in cell for row in rows for cell in row[2:])
    )
    return [Grid(title, head, tuple(rows), 2, notes=notes)]


def slides(records: Sequence[Record]) -> list[Grid]:
    """Latency of periodic tasks: mean, maximum, deviation and overruns; microseconds.

    The shape of the slides whose figures are in the reference `slides`. They begin when the task
    was due, and a column says which of ours do, too.
    """
    begins = {PERIOD_START: "due", PERIOD_LATENCY: "earliest"}
    own = [record for record in records if record.measurement in begins]
    if not own:
        return []
    return [
        _grid(
            "Latency of periodic tasks, in microseconds",
            ("system", "load", "period", "from", "n", "mean", "max", "deviation", "overruns"),
            own,
            lambda each: [each.system, each.scenario, each.variant, begins[each.measurement]],
            lambda each: [
                _count(each.figures.n),
                *(_us(each, name) for name in ("average_ns", "max_ns", "deviation_ns")),
                _count(each.figures.overruns),
            ],
            notes=(EARLIEST,) if any(r.measurement == PERIOD_LATENCY for r in own) else (),
        )
    ]


def golem(records: Sequence[Record]) -> list[Grid]:
    """One table a measurement, what it is of in a column: mean beside median, deviation beside
    interquartile range; microseconds.

    RT-golem compares the two of each pair: they differ where rare values are far off.
    """
    columns = (
        "average_ns", "median_ns", "min_ns", "max_ns", "gap_ns", "deviation_ns", "range_ns",
    )  # fmt: skip
    own = [record for record in records if record.measurement != PERIOD_LATENCY]
    by_measurement: dict[str, list[Record]] = {}
    for record in own:
        by_measurement.setdefault(record.measurement, []).append(record)
    return [
        _grid(
            f"{subject_words((measurement, ''))}, in microseconds",
            ("system", "scenario", "of", "n",
             "Mean", "Median", "Min", "Max", "Gap", "Deviation", "IQR"),
            each,
            lambda one: [one.system, one.scenario, one.variant or ABSENT],
            lambda one: [_count(one.figures.n), *(_us(one, name) for name in columns)],
            notes=(FROM_EARLIEST,) if measurement == START_FINISH else (),
        )
        for measurement, each in by_measurement.items()
    ]  # fmt: skip


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
            notes=_NOTES.get(subject[0], ()),
        )
        for subject, own in by_subject(records).items()
    ]


SHAPES: Final[Mapping[str, Callable[[Sequence[Record]], list[Grid]]]] = {
    "scenarios": scenarios,
    "comparison": comparison,
    "slides": slides,
    "thesis": thesis,
    "golem": golem,
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
    name = {PERIOD: "period", PERIOD_LATENCY: "period latency", PERIOD_START: "period start"}.get(
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
    last = {
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
    return Grid(title, (*head, *shown), rows, len(names(records[0])), len(shown), notes)


def _deviation_and_average(record: Record) -> str:
    if record.figures.average_ns is None:
        return "*" if record.remark else ABSENT
    marks = ("*" if record.remark else "") + ("+" if record.witness is Word.NONE else "")
    return f"{_us(record, 'deviation_ns')} ({_us(record, 'average_ns')}){marks}"


def _us(record: Record, name: str) -> str:
    value = getattr(record.figures, name)
    return ABSENT if value is None else f"{value / 1e3:.3f}"


def _ns(record: Record, name: str) -> str:
    value = getattr(record.figures, name)
    return ABSENT if value is None else f"{value:.2f}"


def _count(value: int | None) -> str:
    return ABSENT if value is None else str(value)
