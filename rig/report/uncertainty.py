# SPDX-License-Identifier: GPL-3.0-or-later
"""The uncertainty budget as a table: of the observed maximum, and of the average."""

from __future__ import annotations

from typing import Final

from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution
from rig.document import Heading, Items, Note, Section, TextTable, Tone, Toned, section
from rig.formatting import (
    capitalized,
    expanded_microseconds,
    microseconds,
    percent,
    signed,
    three_digits,
)
from rig.measurements.registry import measurement_of
from rig.session.results import Result

_HEAD: Final = (
    "contribution", "distribution", "type", "u of it", "sensitivity", "u in ns", "share",
)  # fmt: skip


def uncertainty(result: Result) -> tuple[Section, ...]:
    """Return both tables, and what is not known."""
    budgets = result.evaluation.primary.budgets
    found = [budgets[figure] for figure in ("max", "average") if figure in budgets]
    if not found:
        return ()
    quantity = measurement_of(result.settings.measurement).quantity_defined(result.evaluation)
    remedies = {each.name: each.remedy for budget in found for each in budget.unknown}
    return section(
        "uncertainty",
        "Uncertainty",
        Note(
            f"{quantity}, after the GUM (JCGM 100:2008). Figures elsewhere in this report are as "
            "indicated; the correction here is what the bench is known to add."
        ),
        *(block for budget in found for block in _budget(budget)),
        Note("What would make the budget whole:" if remedies else ""),
        Items(tuple(f"{name}: {remedy}" for name, remedy in remedies.items())),
        is_detail=True,
    )


def _budget(found: Budget) -> tuple[Heading, TextTable, Note]:
    unknown = [(each.name, Toned("not known", Tone.BAD), *[""] * 5) for each in found.unknown]
    table = TextTable(
        _HEAD,
        (*(_row(found, line) for line in found.contributions), *unknown),
        range(3, 6),
        remarks=(*(line.quantity.source for line in found.contributions), *[""] * len(unknown)),
        bars=(*map(found.share, found.contributions), *[0.0] * len(unknown)),
    )
    return Heading(capitalized(found.figure)), table, Note(_statement(found), strong=True)


def _row(found: Budget, line: Contribution) -> tuple[str, ...]:
    quantity = line.quantity
    return (
        line.name,
        quantity.distribution,
        quantity.evaluation,
        f"{three_digits(quantity.standard_uncertainty)} {quantity.unit}",
        three_digits(line.sensitivity),
        three_digits(line.uncertainty),
        percent(found.share(line)),
    )


def _statement(found: Budget) -> str:
    degrees = found.degrees_of_freedom
    few = "" if degrees > 100 else f", {degrees:,.0f} effective degrees of freedom"
    reserve = "" if found.is_whole else "; what is not known comes on top"
    return (
        f"Indicated {microseconds(found.indication)} us, correction {signed(found.correction)} ns: "
        f"{microseconds(found.corrected)} us. u = {three_digits(found.combined)} ns, "
        f"U = {expanded_microseconds(found.expanded)} us "
        f"(k = {found.coverage_factor:.2f}{few}){reserve}."
    )
