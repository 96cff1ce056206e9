# SPDX-License-Identifier: GPL-3.0-or-later
"""The headlines of a report: the few values that a run was made for."""

from __future__ import annotations

from rig.document import Fact
from rig.formatting import microseconds, rounded
from rig.measurements.registry import measurement_of
from rig.session.results import Result


def headlines(result: Result) -> tuple[Fact, ...]:
    """Return the measurement's own value, n, maximum, average, and the number of bad events."""
    evaluation, measurement = result.evaluation, measurement_of(result.settings.measurement)
    counts, figures, budgets = evaluation.counts, evaluation.figures, evaluation.primary.budgets
    found = [Fact(f"values in {evaluation.duration_s:,.1f} s", f"{figures.n:,}")]
    own = measurement.headline(evaluation)
    if own.name not in _SAME:
        found.insert(0, own)
    for name, figure, value_ns in (
        ("observed maximum", "max", figures.max_ns),
        ("average", "average", figures.average_ns),
    ):
        if (budget := budgets.get(figure)) is not None:
            # U belongs to the corrected value, not to the indicated one (GUM 7.2.2).
            reserve = "" if budget.is_whole else "; U of what is known"
            if budget.correction:
                name += f", corrected; indicated {microseconds(value_ns)} us"
            value = f"{rounded(budget.corrected, budget.expanded)} us"
            found.append(Fact(name + reserve, value))
        elif value_ns is not None:
            found.append(Fact(name, f"{microseconds(value_ns)} us"))
    wrong = counts.n - counts.answered + counts.duplicate + counts.spurious
    sought = ", as the search wants" if measurement.counts_not_limited else ""
    return (*found, Fact(f"events not as they should be{sought}", f"{wrong:,}"))


_SAME = ("observed maximum", "longest interval")
"""Headlines that are the observed maximum."""
