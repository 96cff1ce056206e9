# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as one self-contained page for the browser: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from pathlib import Path

from rig.analysis.verdict import Verdict
from rig.errors import InputError
from rig.report.histogram_svg import histogram_svg
from rig.report.words import (
    VERDICT_WORDS,
    counts_table,
    figure_rows,
    measurement_words,
    run_facts,
)
from rig.session.results import Result

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --line: #d5dae1; --paper: #fff;
  --bar: #2f6db3; --good: #1a7f4b; --bad: #b3261e; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --dim: #9aa5b4; --line: #3a4350;
  --paper: #161b22; --bar: #6aa7ea; --good: #4cc38a; --bad: #ff7b72; --warn: #e3b341; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 800px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.verdict { font-weight: 600; } .pass { color: var(--good); } .inconclusive { color: var(--warn); }
.fail, .inconsistent, .incomplete, .no { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 500; color: var(--dim); } td.number, th.number { text-align: right; }
.figures { overflow-x: auto; } svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--dim); } .bar { fill: var(--bar); } .grid { stroke: var(--line); }
.axis { stroke: var(--dim); } .worst { stroke: var(--bad); stroke-dasharray: 3 3; }
svg .worst-text { fill: var(--bad); } footer { color: var(--dim); margin-top: 2rem; }
"""


def write_page(path: Path, result: Result) -> None:
    """Write the page. Raises InputError if the file exists or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(page(result))
    except OSError as error:
        raise InputError(f"{path}: report not written ({error.strerror})") from None


def page(result: Result) -> str:
    """The whole page as text."""
    evaluation, settings = result.evaluation, result.settings
    name = measurement_words(settings.measurement).capitalize()
    title = f"{name} latency, scenario {settings.scenario}"
    svg = histogram_svg(evaluation.histogram, settings.sample_rate_hz)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        _verdict(evaluation.verdict, evaluation.reasons),
        "<h2>Latency in microseconds</h2>",
        _table([figure_rows(evaluation)]),
        f"<h2>Distribution of all {evaluation.figures.n:,} latencies</h2>{svg}" if svg else "",
        "<h2>Events</h2>",
        _table([counts_table(evaluation.counts)]),
        "<h2>Witnesses</h2>",
        _witnesses(result),
        "<h2>Run</h2>",
        _facts(result),
        f"<footer>Run file: {escape(result.path.name)}. The observed maximum is that of these "
        f"{evaluation.figures.n:,} values, not a bound.</footer></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _verdict(verdict: Verdict, reasons: tuple[str, ...]) -> str:
    items = "".join(f"<li>{escape(reason)}</li>" for reason in reasons)
    return (
        f'<p class="verdict {verdict}">{verdict.upper()}: {escape(VERDICT_WORDS[verdict])}</p>'
        + (f"<ul>{items}</ul>" if items else "")
    )


def _table(rows: list[list[tuple[str, str]]]) -> str:
    head = "".join(f'<th class="number">{escape(name)}</th>' for name, _ in rows[0])
    body = "".join(
        "<tr>" + "".join(f'<td class="number">{escape(value)}</td>' for _, value in row) + "</tr>"
        for row in rows
    )
    return f'<div class="figures"><table><tr>{head}</tr>{body}</table></div>'


def _witnesses(result: Result) -> str:
    rows = "".join(
        f"<tr><td>{'agree' if w.agrees else '<span class=no>DISAGREE</span>'}</td>"
        f"<td>{escape(w.name)}</td><td>{escape(w.text)}</td></tr>"
        for w in result.evaluation.witnesses
    )
    return f"<table>{rows}</table>" if rows else "<p>None: the run has no end.</p>"


def _facts(result: Result) -> str:
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in run_facts(result)
    )
    return f"<table>{rows}</table>"
