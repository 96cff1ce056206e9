# SPDX-License-Identifier: GPL-3.0-or-later
"""The uncertainty budget as a table: of the observed maximum, and of the average."""

from __future__ import annotations

from rig.analysis.inference.run_budgets import Budgets
from rig.analysis.measurements.dispatch import DispatchFigures
from rig.analysis.measurements.period import PeriodFigures
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution
from rig.printable import html_text
from rig.report.page_data import PageData
from rig.report.sections.html import note, section
from rig.report.sections.numbers import signed, three_digits
from rig.session.results import Result


def maximum_of(data: PageData) -> Budget | None:
    """None if nothing was measured."""
    return budgets_of(data.result).get("max")


def average_of(data: PageData) -> Budget | None:
    """None if nothing was measured."""
    return budgets_of(data.result).get("average")


def budgets_of(result: Result) -> Budgets:
    """Of its figures; empty where there is none."""
    return result.evaluation.primary.budgets


def budget(data: PageData) -> str:
    """Both tables, and what is not known."""
    found = [b for b in (maximum_of(data), average_of(data)) if b is not None]
    if not found:
        return ""
    return section(
        "Uncertainty",
        note(
            f"{_what(data)}, after the GUM (JCGM 100:2008). Figures elsewhere in this report are "
            "as indicated; the correction here is what the bench is known to add."
        ),
        *(_budget_table(each) for each in found),
        _unknown(found),
    )


def _what(data: PageData) -> str:
    """The quantity that the budgets are of."""
    match data.result.evaluation.details:
        case PeriodFigures():
            return (
                "Latency of each period's pin edge past its due time, on the grid of the earliest"
            )
        case DispatchFigures(pins=None):
            return "Dispatch latency between two readings of the target's counter"
        case DispatchFigures():
            return "Dispatch latency from the edge of the handler's pin to that of the task's"
    return (
        "Latency from the stimulus edge at the target's line to the beginning of the agent's pin "
        "write"
    )


def _budget_table(found: Budget) -> str:
    head = "".join(
        f"<th{'' if text in _TEXT_COLUMNS else ' class=number'}>{text}</th>" for text in _COLUMNS
    )
    body = "".join(_row(found, line) for line in found.contributions)
    body += "".join(
        f"<tr><td>{html_text(u.name)}</td><td class=no>not known</td>" + "<td></td>" * 5 + "</tr>"
        for u in found.unknown
    )
    return (
        f"<h3>{html_text(found.figure.capitalize())}</h3>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"</div><p><b>{html_text(_statement(found))}</b></p>"
    )


_COLUMNS = (
    "contribution", "distribution", "type", "u of it", "sensitivity", "u in ns", "share",
)  # fmt: skip
_TEXT_COLUMNS = ("contribution", "distribution", "type", "share")


def _row(found: Budget, line: Contribution) -> str:
    quantity, part = line.quantity, found.share(line)
    numbers = (
        f"{three_digits(quantity.standard_uncertainty)} {quantity.unit}",
        three_digits(line.sensitivity),
        three_digits(line.uncertainty),
    )
    return (
        f"<tr><td>{html_text(line.name)}<br>"
        f"<span class=note>{html_text(quantity.source)}</span></td>"
        f"<td>{html_text(quantity.distribution)}</td><td>{quantity.evaluation}</td>"
        + "".join(f"<td class=number>{html_text(text)}</td>" for text in numbers)
        + f'<td class=share><span class="bar" style="width: {4 * part:.2f}em"></span> '
        f"{part:.0%}</td></tr>"
    )


def _statement(found: Budget) -> str:
    degrees = found.degrees_of_freedom
    few = "" if degrees > 100 else f", {degrees:,.0f} effective degrees of freedom"
    reserve = "" if found.is_whole else "; what is not known comes on top"
    return (
        f"Indicated {found.indication / 1e3:.3f} us, correction {signed(found.correction)} ns: "
        f"{found.corrected / 1e3:.3f} us. u = {three_digits(found.combined)} ns, "
        f"U = {three_digits(found.expanded)} ns (k = {found.coverage_factor:.2f}{few}){reserve}."
    )


def _unknown(found: list[Budget]) -> str:
    remedies = {u.name: u.remedy for each in found for u in each.unknown}
    if not remedies:
        return ""
    items = "".join(f"<li>{html_text(n)}: {html_text(r)}</li>" for n, r in remedies.items())
    return f"<p>What would make the budget whole:</p><ul>{items}</ul>"
