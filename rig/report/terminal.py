# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rig.analysis.evaluate import Evaluation
from rig.analysis.pairing import Counts
from rig.analysis.verdict import Verdict
from rig.report.words import (
    REASON_LIMIT,
    VERDICT_WORDS,
    counts_table,
    figure_rows,
    measurement_words,
    run_facts,
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


def print_result(console: Console, result: Result) -> None:
    """Facts of the run, figures, witnesses, verdict with its reasons, and where the file is."""
    evaluation, settings = result.evaluation, result.settings
    title = Text(measurement_words(settings.measurement), style="bold")
    title.append(f" latency, scenario {settings.scenario}", style="default")
    console.print(title)
    for name, value in run_facts(result):
        console.print(f"  {name:<12}{value}", highlight=False, markup=False, soft_wrap=True)
    console.print()
    console.print("latency in microseconds, of all that were answered", style="bold")
    for table in _figures(evaluation):
        console.print(table)
    console.print()
    _print_counts(console, evaluation.counts)
    console.print()
    for witness in evaluation.witnesses:
        mark, style = ("agree", "green") if witness.agrees else ("DISAGREE", "bold red")
        line = Text(f"  {mark:<9}", style=style)
        line.append(f"{witness.name}: {witness.text}", style="default")
        console.print(line, soft_wrap=True)
    console.print()
    _print_verdict(console, evaluation)
    name = "run file" if settings.train else "file"
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


def _print_counts(console: Console, counts: Counts) -> None:
    """Every class, also those that did not occur; what should not occur stands out if it did."""
    for number, (name, value) in enumerate(counts_table(counts)):
        bad = number >= CLEAN_CLASSES and value != "0"
        console.print(Text(f"{name} {value}", style="bold red" if bad else ""), end="  ")
    console.print()


def _print_verdict(console: Console, evaluation: Evaluation) -> None:
    verdict = evaluation.verdict
    line = Text(f"{verdict.upper()}", style=_STYLES[verdict])
    line.append(f"  {VERDICT_WORDS[verdict]}", style="default")
    console.print(line)
    for reason in evaluation.reasons[:REASON_LIMIT]:
        console.print(Text(f"  - {reason}"), soft_wrap=True)
    more = len(evaluation.reasons) - REASON_LIMIT
    if more > 0:
        console.print(f"  - and {more} more, in the run file")
