# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as rich text: the same words and figures as `rig show` prints."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QCoreApplication

from gui.models.runs.verdicts import verdict_color
from gui.theme.palette import Palette
from rig.report.measured import COLUMNS, Measured, measured
from rig.report.words import (
    VERDICT_WORDS,
    counts_table,
    events_of,
    figure_rows,
    run_facts,
    title_of,
)
from rig.session.results import Result

Rows = list[tuple[str, str]]
_CLEAN_CLASSES = 2
"""Stimuli and answered: what follows in the counts should be 0."""
_A_ROW = 5


def tr(text: str) -> str:
    """Words of the report, for translators."""
    return QCoreApplication.translate("Report", text)


def report_html(result: Result, colors: Palette, *, provisional: bool) -> str:
    """All of it, for a QTextBrowser."""
    evaluation, settings = result.evaluation, result.settings
    title = title_of(settings)
    title = title[:1].upper() + title[1:]
    parts = [
        f'<p style="font-size:15px; font-weight:600">{escape(title)}</p>',
        _verdict(result, colors),
        _measured(measured(evaluation), colors),
        _heading(tr("Latency in microseconds"), colors),
        _cells(figure_rows(evaluation), colors),
        _heading(tr("Events"), colors),
        _cells(counts_table(evaluation.counts, events_of(settings)), colors, clean=_CLEAN_CLASSES),
        _heading(tr("Witnesses"), colors),
        _witnesses(result, colors),
        _heading(tr("Run"), colors),
        _facts(run_facts(result), colors),
    ]
    if provisional:
        words = tr("Provisional: the run goes on, or has no stored figures yet.")
        parts.insert(1, f'<p style="color:{colors.warn}">{escape(words)}</p>')
    return "".join(parts)


def _verdict(result: Result, colors: Palette) -> str:
    verdict, reasons = result.evaluation.verdict, result.evaluation.reasons
    color = verdict_color(verdict, colors)
    items = "".join(f"<li>{escape(reason)}</li>" for reason in reasons)
    return (
        f'<p><b style="color:{color}">{verdict.upper()}</b>&nbsp;&nbsp;'
        f"{escape(VERDICT_WORDS[verdict])}</p>"
        + (f'<ul style="margin:0 0 0 -22px">{items}</ul>' if items else "")
    )


def _measured(found: Measured | None, colors: Palette) -> str:
    """What the measurement has beside its latency."""
    if found is None:
        return ""
    head = "".join(f'<td align="right">{escape(name)}</td>' for name in COLUMNS)
    lines = "".join(
        f"<tr><td>{escape(row[0]).replace(' ', '&nbsp;')}</td>"
        + "".join(f'<td align="right">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in found.rows
    )
    table = f'<table width="100%" cellpadding="2"><tr style="color:{colors.dim}">{head}</tr>{lines}'
    return _heading(found.title, colors) + table + "</table>" + _facts(found.facts, colors)


def _heading(text: str, colors: Palette) -> str:
    return f'<p style="color:{colors.dim}; margin:14px 0 4px 0">{escape(text)}</p>'


def _cells(rows: Rows, colors: Palette, clean: int | None = None) -> str:
    """Names over values, a few beside each other."""
    lines = []
    for first in range(0, len(rows), _A_ROW):
        part = rows[first : first + _A_ROW]
        names = "".join(f'<td align="right">{escape(name)}</td>' for name, _ in part)
        values = "".join(
            f'<td align="right" style="color:{_color(first + n, value, colors, clean)}">'
            f"{escape(value)}</td>"
            for n, (_, value) in enumerate(part)
        )
        lines.append(f'<tr style="color:{colors.dim}">{names}</tr><tr>{values}</tr>')
    return f'<table width="100%" cellpadding="2">{"".join(lines)}</table>'


def _color(number: int, value: str, colors: Palette, clean: int | None) -> str:
    """What should not occur stands out if it did."""
    bad = clean is not None and number >= clean and value != "0"
    return colors.bad if bad else colors.ink


def _witnesses(result: Result, colors: Palette) -> str:
    rows = [
        f'<tr><td style="color:{colors.good if w.agrees else colors.bad}">'
        f"{tr('agree') if w.agrees else tr('DISAGREE')}&nbsp;&nbsp;</td>"
        f"<td>{escape(w.name)}: {escape(w.text)}</td></tr>"
        for w in result.evaluation.witnesses
    ]
    return f'<table cellpadding="2">{"".join(rows)}</table>' if rows else f"<p>{tr('none')}</p>"


def _facts(rows: Rows, colors: Palette) -> str:
    lines = [
        f'<tr><td style="color:{colors.dim}">{escape(name)}&nbsp;&nbsp;</td>'
        f"<td>{escape(value)}</td></tr>"
        for name, value in rows
    ]
    return f'<table cellpadding="2">{"".join(lines)}</table>'
