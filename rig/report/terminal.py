# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from rig.analysis.measurements.saturation import SaturationFigures
from rig.analysis.measurements.verdict import Verdict
from rig.measurements.evaluate import Evaluation
from rig.report import clock_words, saturation_words
from rig.report.beyond import beyond_facts, further_facts
from rig.report.console import SafeConsole
from rig.report.measured import COLUMNS, Measured, measured, quantity_of
from rig.report.tools import COLUMNS as TOOL_COLUMNS
from rig.report.tools import Tools, tools
from rig.report.words import (
    EXCEEDED,
    REASON_LIMIT,
    VERDICT_WORDS,
    counts_table,
    events_of,
    figure_rows,
    limit_rows,
    load_of,
    run_facts,
    title_of,
)
from rig.session.results import Result

CLASSIC_FIGURES = 6
"""n, average, min, max, gap, deviation: the columns of the literature's tables."""
CLEAN_CLASSES = 2
"""Stimuli and answered: what follows in the table of counts should be 0."""
_STYLES = {
    Verdict.PASS: "bold green",
    Verdict.INCONCLUSIVE: "bold yellow",
    Verdict.FAIL: "bold red",
    Verdict.INCONSISTENT: "bold red",
    Verdict.INCOMPLETE: "bold red",
}


def print_result(console: SafeConsole, result: Result) -> None:
    """Facts of the run, figures, witnesses, verdict with its reasons, and where the file is."""
    evaluation, settings = result.evaluation, result.settings
    console.print(Text(title_of(settings), style="bold"))
    for name, value in run_facts(result):
        console.print(f"  {name:<12}{value}", highlight=False, markup=False, soft_wrap=True)
    console.print()
    _print_measured(console, measured(evaluation))
    _print_saturation(console, evaluation)
    _print_tools(console, tools(result))
    quantity = quantity_of(evaluation)
    answered = ", of all that were answered" if quantity == "latency" else ""
    console.print(Text(f"{quantity} in microseconds{answered}", style="bold"))
    for table in _figures(evaluation):
        console.print(table)
    console.print()
    _print_facts(console, beyond_facts(evaluation, load_of(settings)))
    for name, facts in further_facts(evaluation, load_of(settings)):
        console.print(Text(name, style="bold"))
        _print_facts(console, facts)
    _print_counts(console, counts_table(evaluation.counts, events_of(settings)))
    console.print()
    _print_limits(console, evaluation)
    _print_facts(console, clock_words.facts(evaluation) + clock_words.delay_facts(evaluation))
    for witness in evaluation.witnesses:
        mark, style = ("agree", "green") if witness.agrees else ("DISAGREE", "bold red")
        line = Text(f"  {mark:<9}", style=style)
        line.append(f"{witness.name}: {witness.text}", style="default")
        console.print(line, soft_wrap=True)
    console.print()
    _print_verdict(console, evaluation)
    name = "file" if settings.planned is None else "run file"
    console.print(f"{name}: {result.path}", highlight=False, markup=False, soft_wrap=True)


def _figures(evaluation: Evaluation) -> Iterator[Table]:
    """The classic figures in one line, robust ones and percentiles in another: 80 columns do."""
    rows = figure_rows(evaluation)
    for part in (rows[:CLASSIC_FIGURES], rows[CLASSIC_FIGURES:]):
        table = Table(box=None, pad_edge=False, padding=(0, 1))
        for name, _ in part:
            table.add_column(name, justify="right", min_width=10, no_wrap=True)
        table.add_row(*(value for _, value in part))
        yield table


def _print_measured(console: SafeConsole, found: Measured | None) -> None:
    """The measurement's own table, each line of it one witness's."""
    if found is None:
        return
    console.print(Text(found.title, style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for number, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in found.rows:
        table.add_row(*row)
    console.print(table)
    _print_facts(console, found.facts)


def _print_tools(console: SafeConsole, found: Tools | None) -> None:
    """What the target's own tools said, each line of it one's."""
    if found is None:
        return
    console.print(Text(found.title, style="bold"))
    grid = Table(box=None, pad_edge=False, padding=(0, 1))
    for number, name in enumerate(TOOL_COLUMNS):
        grid.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in found.rows:
        grid.add_row(*row)
    console.print(grid)
    width = max(len(name) for name, _ in found.facts)
    for name, value in found.facts:
        line = f"  {name:<{width}}  {value}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print()


def _print_saturation(console: SafeConsole, evaluation: Evaluation) -> None:
    """What the search found, and the holds next to the limit."""
    found = evaluation.details
    if not isinstance(found, SaturationFigures):
        return
    console.print(Text(saturation_words.title(found), style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for number, name in enumerate(saturation_words.COLUMNS):
        right = number < saturation_words.NUMBERS
        width = len(name) if right else 10
        table.add_column(name, justify="right" if right else "left", min_width=width, no_wrap=True)
    for row in saturation_words.rows(found, few=True):
        table.add_row(*row)
    console.print(table)
    _print_facts(console, saturation_words.facts(found))


def _print_facts(console: SafeConsole, facts: list[tuple[str, str]]) -> None:
    for name, value in facts:
        console.print(f"  {name:<12}{value}", highlight=False, markup=False, soft_wrap=True)
    if facts:
        console.print()


def _print_limits(console: SafeConsole, evaluation: Evaluation) -> None:
    styles = {EXCEEDED: "bold red", "kept": "green"}
    rows = limit_rows(evaluation)
    for judgment, title, found, allowed in rows:
        line = Text(f"  {judgment:<12}", style=styles.get(judgment, "bold yellow"))
        line.append(f"{title}: {found}, limit {allowed}", style="default")
        console.print(line, soft_wrap=True)
    if rows:
        console.print()


def _print_counts(console: SafeConsole, counts: list[tuple[str, str]]) -> None:
    """Every class, also those that did not occur; what should not occur stands out if it did."""
    for number, (name, value) in enumerate(counts):
        bad = number >= CLEAN_CLASSES and value != "0"
        console.print(Text(f"{name} {value}", style="bold red" if bad else ""), end="  ")
    console.print()


def _print_verdict(console: SafeConsole, evaluation: Evaluation) -> None:
    verdict = evaluation.verdict
    line = Text(f"{verdict.upper()}", style=_STYLES[verdict])
    line.append(f"  {VERDICT_WORDS[verdict]}", style="default")
    console.print(line)
    for reason in evaluation.reasons[:REASON_LIMIT]:
        console.print(Text(f"  - {reason}"), soft_wrap=True)
    more = len(evaluation.reasons) - REASON_LIMIT
    if more > 0:
        console.print(f"  - and {more} more, in the run file")
