# SPDX-License-Identifier: GPL-3.0-or-later
"""The same measurement of several runs side by side: figures, differences, what differs around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.uncertainty.difference import (
    Difference,
    Sample,
    average_difference,
    quantile_difference,
)
from rig.errors import InputError
from rig.report.calibration_brief import (
    calibration_identity,
    calibration_state,
    calibration_values,
    taken_off,
)
from rig.report.page_data import PageData
from rig.report.sections.environment import PARTIES, flat
from rig.report.words import counts_table, events_of, figure_rows

ABSENT = "-"
DIFFERENCES = (("average", None), ("median", Fraction(1, 2)), ("p99", Fraction(99, 100)))


@dataclass(frozen=True)
class Comparison:
    """Several runs; the first is what the others are compared with."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Name of a figure, then its value in each run."""
    differences: tuple[tuple[str, tuple[Difference | None, ...]], ...]
    """Name of a figure, then its difference in each run but the first."""
    around: tuple[tuple[str, ...], ...]
    """What is not the same in all: name, then its value in each run."""


def compare(runs: Sequence[PageData]) -> Comparison:
    """Raises InputError for runs of different measurements."""
    _check_comparable(runs)
    names = _names([data.result.path.name for data in runs])
    samples = [Sample(data.result.evaluation.histogram, data.unit_hz) for data in runs]
    return Comparison(
        names,
        tuple(_rows(runs)),
        tuple(
            (name, tuple(_difference(samples[0], other, p) for other in samples[1:]))
            for name, p in DIFFERENCES
        ),
        tuple(_around(runs)),
    )


def document(found: Comparison, runs: Sequence[PageData]) -> dict[str, Any]:
    """As plain values, for `--json`."""
    return {
        "runs": [
            {
                "name": name,
                "file": str(data.result.path),
                "verdict": data.result.evaluation.verdict,
                "calibration": calibration_values(data.result),
                **as_dict(data.result.evaluation.figures),
            }
            for name, data in zip(found.names, runs, strict=True)
        ],
        "differences": [
            {"figure": figure, "run": name, "value_ns": d.value_ns, "low_ns": d.low_ns,
             "high_ns": d.high_ns}
            for figure, each in found.differences
            for name, d in zip(found.names[1:], each, strict=True)
            if d is not None
        ],
        "environment": {row[0]: list(row[1:]) for row in found.around},
    }  # fmt: skip


def _check_comparable(runs: Sequence[PageData]) -> None:
    first = runs[0].result
    for data in runs[1:]:
        other = data.result
        if other.settings.measurement != first.settings.measurement:
            raise InputError(
                f"{other.path}: measured {other.settings.measurement}, {first.path} "
                f"{first.settings.measurement}; compare runs of the same measurement"
            )


def _names(files: Sequence[str]) -> tuple[str, ...]:
    """File names, numbered where they are the same."""
    if len(set(files)) == len(files):
        return tuple(files)
    return tuple(f"{number}: {name}" for number, name in enumerate(files, 1))


def _rows(runs: Sequence[PageData]) -> list[tuple[str, ...]]:
    columns = []
    for data in runs:
        evaluation = data.result.evaluation
        rows = [("verdict", str(evaluation.verdict)), *figure_rows(evaluation)]
        rows += counts_table(evaluation.counts, events_of(data.result.settings))
        rows.append(("calibration", calibration_state(data.result)))
        columns.append([*rows, ("taken off", taken_off(data.result) or ABSENT)])
    return [(cells[0][0], *(value for _, value in cells)) for cells in zip(*columns, strict=True)]


def _difference(first: Sample, second: Sample, p: Fraction | None) -> Difference | None:
    if p is None:
        return average_difference(first, second)
    return quantile_difference(first, second, p)


def _around(runs: Sequence[PageData]) -> list[tuple[str, ...]]:
    found = [dict(_conditions(data)) for data in runs]
    names = list(dict.fromkeys(name for each in found for name in each))
    rows = [(name, *(each.get(name, ABSENT) for each in found)) for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


def _conditions(data: PageData) -> list[tuple[str, str]]:
    """All that may make a difference."""
    settings, fixture = data.result.settings, data.fixture.get("fixture", {})
    rows = [
        ("scenario", settings.scenario),
        ("sample rate", f"{settings.sample_rate_hz:,} Hz"),
        ("fixture", str(fixture.get("name", ABSENT))),
        ("calibration applied", calibration_identity(data.result)),
    ]
    if settings.train is not None:
        train = settings.train
        rows += [
            ("pattern", train.shape.name),
            ("count", f"{train.count:,}"),
            ("seed", str(train.seed)),
        ]
    rows += [(f"agent {name}", value) for name, value in settings.agent.items()]
    for party in PARTIES:
        rows += [(f"{party} {name}", text) for name, text in flat(data.environment.get(party, {}))]
    return rows
