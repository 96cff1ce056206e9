# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures without the values above a threshold, beside those of all values."""

from __future__ import annotations

from rig.analysis.measurements.without_above import WithoutAbove
from rig.document import Section, TextTable, section
from rig.formatting import count, microseconds
from rig.session.results import Result

_COLUMNS = ("average_ns", "max_ns", "deviation_ns")


def beside_all(result: Result, found: WithoutAbove | None) -> tuple[Section, ...]:
    """Return the figures of each measurand with and without them; nothing if not asked for."""
    if found is None:
        return ()
    all_values = {each.name: each.statistics for each in result.evaluation.measurands}
    rows = []
    for each in found.measurands:
        name = each.name.replace("_", " ")
        for text, figures in (("all", all_values[each.name]), ("without", each.statistics)):
            times = (microseconds(getattr(figures, column)) for column in _COLUMNS)
            above = count(each.above) if text == "without" else ""
            rows.append((f"{name}, {text}", count(figures.n), above, *times))
    threshold = microseconds(found.threshold_ns)
    return section(
        "without-above",
        f"In microseconds: all values, and without those above {threshold}",
        TextTable(
            head=("", "n", "above", *(column.removesuffix("_ns") for column in _COLUMNS)),
            rows=tuple(rows),
            numbers=range(1, len(_COLUMNS) + 3),
        ),
    )
