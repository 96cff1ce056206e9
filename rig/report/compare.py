# SPDX-License-Identifier: GPL-3.0-or-later
"""Several runs of one measurement side by side: figures, differences, different conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.uncertainty.difference import (
    Difference,
    Sample,
    average_difference,
    quantile_difference,
)
from rig.document import Note, Plot, ReportDocument, TextTable, section
from rig.errors import InputError
from rig.formatting import ABSENT, capitalized, microseconds
from rig.measurements.registry import measurement_of
from rig.report.calibration_brief import (
    calibration_identity,
    calibration_state,
    calibration_values,
    taken_off,
)
from rig.report.distribution import quantity_of
from rig.report.environment import (
    KERNEL_OPTIONS,
    environment_of,
    flat,
    readings_of,
    tables_of,
    without_readings,
)
from rig.report.labels import count_rows, figure_rows, title_of
from rig.report.run_facts import disturbances
from rig.session.results import Result

_INTERVAL: Final = (
    "Intervals of 95 %, from the scatter of the values alone and for independent events. What the "
    "bench adds is in all runs alike if it is the same bench."
)
ALIKE: Final = "Nothing that plans, fixtures and environments tell."
DIFFERENCES: Final = (("average", None), ("median", Fraction(1, 2)), ("p99", Fraction(99, 100)))


@dataclass(frozen=True)
class Comparison:
    """A comparison of several runs, of which the first is what the others are compared with."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Rows of the name of a figure, then its value in each run."""
    differences: tuple[tuple[str, tuple[Difference | None, ...]], ...]
    """Rows of the name of a figure, then its difference in each run but the first."""
    around: tuple[tuple[str, ...], ...]
    """Rows of conditions that are not the same in all: name, then its value in each run."""
    readings: tuple[tuple[str, ...], ...]
    """The same of what targets read when their runs began, such as temperatures."""


def compare(runs: Sequence[Result]) -> Comparison:
    """Return the comparison of runs. Raises InputError for runs of different measurements."""
    _check_comparable(runs)
    names = _names([result.path.name for result in runs])
    samples = [Sample(result.evaluation.histogram, result.unit_hz) for result in runs]
    return Comparison(
        names,
        tuple(_rows(runs)),
        tuple(
            (name, tuple(_difference(samples[0], other, p) for other in samples[1:]))
            for name, p in DIFFERENCES
        ),
        differing(runs),
        _unequal([dict(_told(result, readings_of)) for result in runs]),
    )


def document(found: Comparison, runs: Sequence[Result]) -> dict[str, Any]:
    """Return the comparison as plain values, for `--json`."""
    return {
        "environment": {row[0]: list(row[1:]) for row in found.around},
        "runs": [
            {
                "name": name,
                "file": str(result.path),
                "verdict": result.evaluation.verdict,
                "calibration": calibration_values(result),
                **as_dict(result.evaluation.figures),
            }
            for name, result in zip(found.names, runs, strict=True)
        ],
        "differences": [
            {"figure": figure, "run": name, "value_ns": d.value_ns, "low_ns": d.low_ns,
             "high_ns": d.high_ns}
            for figure, each in found.differences
            for name, d in zip(found.names[1:], each, strict=True)
            if d is not None
        ],
        "readings": {row[0]: list(row[1:]) for row in found.readings},
    }  # fmt: skip


def comparison(found: Comparison, runs: Sequence[Result]) -> ReportDocument:
    """Return the report of a comparison."""
    numbers = range(1, len(runs) + 1)

    def draw() -> str:
        from rig.plots.overlay import LatencyCurve, overlay_svg

        curves = [
            LatencyCurve(name, h.values, h.counts, 1e9 / result.unit_hz)
            for name, result in zip(found.names, runs, strict=True)
            for h in [result.evaluation.histogram]
        ]
        return overlay_svg(curves, quantity=quantity_of(runs[0]))

    differences = tuple((name, *map(_difference_text, each)) for name, each in found.differences)
    return ReportDocument(
        title=f"Comparison of {len(runs)} runs",
        subtitle="; ".join(dict.fromkeys(capitalized(title_of(each.settings)) for each in runs)),
        sections=(
            *section(
                "around",
                "What differs around the runs",
                TextTable(("", *found.names), found.around),
                None if found.around else Note(ALIKE),
            ),
            *section("distributions", "Distributions", Plot("", draw)),
            *section(
                "figures",
                "Figures in microseconds, and counts",
                TextTable(("", *found.names), found.rows, numbers),
            ),
            *section(
                "differences",
                f"Differences from {found.names[0]} in microseconds",
                TextTable(("", *found.names[1:]), differences, range(1, len(runs))),
                Note(_INTERVAL),
            ),
            *section(
                "readings",
                "Read when the runs began",
                TextTable(("", *found.names), found.readings),
            ),
        ),
    )


def _difference_text(difference: Difference | None) -> str:
    if difference is None:
        return ABSENT
    value = microseconds(difference.value_ns, sign=True)
    if difference.low_ns is None or difference.high_ns is None:
        return f"{value} (too few for an interval)"
    low, high = (microseconds(end, sign=True) for end in (difference.low_ns, difference.high_ns))
    clear = "" if difference.is_clear else ", no clear difference"
    return f"{value} [{low}, {high}]{clear}"


def _check_comparable(runs: Sequence[Result]) -> None:
    first, *others = runs
    for other in others:
        if other.settings.measurement != first.settings.measurement:
            raise InputError(
                f"{other.path}: measured {other.settings.measurement}, {first.path} "
                f"{first.settings.measurement}; compare runs of the same measurement"
            )


def _names(files: Sequence[str]) -> tuple[str, ...]:
    """Return the file names, numbered if two are the same."""
    if len(set(files)) == len(files):
        return tuple(files)
    return tuple(f"{number}: {name}" for number, name in enumerate(files, 1))


def _rows(runs: Sequence[Result]) -> list[tuple[str, ...]]:
    columns = []
    for result in runs:
        evaluation = result.evaluation
        columns.append(
            [
                ("verdict", str(evaluation.verdict)),
                *((row.name, row.text) for row in figure_rows(evaluation)),
                *((row.name, row.text) for row in count_rows(result.settings, evaluation.counts)),
                ("calibration", calibration_state(result)),
                ("taken off", taken_off(result) or ABSENT),
            ]
        )
    return [(cells[0][0], *(value for _, value in cells)) for cells in zip(*columns, strict=True)]


def _difference(first: Sample, second: Sample, p: Fraction | None) -> Difference | None:
    if p is None:
        return average_difference(first, second)
    return quantile_difference(first, second, p)


def differing(runs: Sequence[Result]) -> tuple[tuple[str, ...], ...]:
    """Return the conditions that are not the same in all: name, then its value in each run.

    The kernel's options come last, since there may be many.
    """
    found = [dict(_conditions(result)) for result in runs]
    prefix = f"target {KERNEL_OPTIONS} "
    rows = _unequal(found)
    others = tuple(row for row in rows if not row[0].startswith(prefix))
    if not all(any(name.startswith(prefix) for name in each) for each in found):
        return others  # of a run whose kernel is not known no option differs
    return (*others, *(row for row in rows if row[0].startswith(prefix)))


def _unequal(found: Sequence[dict[str, str]]) -> tuple[tuple[str, ...], ...]:
    names = dict.fromkeys(name for each in found for name in each)
    rows = ((name, *(each.get(name, ABSENT) for each in found)) for name in names)
    return tuple(row for row in rows if len(set(row[1:])) > 1)


def _conditions(result: Result) -> list[tuple[str, str]]:
    """Return all conditions that may make a difference."""
    settings = result.settings
    rows = [
        ("scenario", settings.scenario),
        ("sample rate", f"{settings.sample_rate_hz:,} Hz"),
        ("calibration applied", calibration_identity(result)),
    ]
    rows += [
        (fact.name, fact.text) for fact in measurement_of(settings.measurement).conditions(settings)
    ]
    rows += [(f"agent {name}", value) for name, value in settings.agent.items()]
    for name in ("plan", "fixture"):
        for key, text in flat(tables_of(result, name)):
            rows.append((key if key.startswith(f"{name} ") else f"{name} {key}", text))
    return [*rows, *disturbances(result), *_told(result, without_readings)]


def _told(
    result: Result, part: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    for party, known in environment_of(result).items():
        for name, text in flat(part(known)):
            yield f"{party} {name}", text
