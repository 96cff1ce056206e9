# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a table in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rig.analysis.evaluate import Evaluation
from rig.analysis.verdict import Verdict
from rig.report.words import REASON_LIMIT, VERDICT_WORDS, counts_text, figure_rows, run_facts
from rig.session.results import Result

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
    console.print(f"[bold]{settings.measurement}[/] latency, scenario {settings.scenario}")
    for name, value in run_facts(result):
        console.print(f"  {name:<12}{value}", highlight=False)
    console.print()
    console.print(_figures(evaluation))
    console.print(Text(counts_text(evaluation.counts)))
    console.print()
    for witness in evaluation.witnesses:
        mark, style = ("agree", "green") if witness.agrees else ("DISAGREE", "bold red")
        line = Text(f"  {mark:<9}", style=style)
        line.append(f"{witness.name}: {witness.text}", style="default")
        console.print(line)
    console.print()
    _print_verdict(console, evaluation)
    console.print(f"run file: {result.path}", highlight=False, soft_wrap=True)


def _figures(evaluation: Evaluation) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    rows = figure_rows(evaluation)
    for name, _ in rows:
        table.add_column(name, justify="right")
    table.add_row(*(value for _, value in rows))
    table.caption = "microseconds"
    table.caption_justify = "left"
    return table


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
