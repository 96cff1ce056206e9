# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of every event, by either witness; whether they agree; what was lost."""

from __future__ import annotations

from rig.analysis.log.contingency import Accounts, Evidence, evidence
from rig.printable import html_text
from rig.report import clock_words
from rig.report.page_data import PageData
from rig.report.sections.html import note, section, table
from rig.report.words import counts_table, events_of


def events(data: PageData) -> str:
    """Each class with its evidence; without a train, only what was counted."""
    result = data.result
    if result.settings.train is None:
        rows = counts_table(result.evaluation.counts, events_of(result.settings))
        head, values = zip(*rows, strict=True)
        return section("Events", table(head, [values], range(len(rows))))
    body = "".join(_row(row) for row in _evidence(data))
    return section(
        "Events",
        '<div class="scroll"><table><thead><tr><th>class</th><th class=number>edges</th>'
        "<th class=number>log, firmware</th><th></th><th>evidence</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div>",
    )


def _evidence(data: PageData) -> tuple[Evidence, ...]:
    account, counts = data.result.account, data.result.evaluation.counts
    train = data.result.settings.train
    served = counts.answered + counts.late
    accounts = Accounts(
        planned=None if train is None else train.count,
        sent=account.sent,
        stimuli=counts.n,
        responses=served + counts.duplicate + counts.spurious,
        handled=account.handled,
        log_dropped=account.log_dropped,
    )
    return evidence(accounts, counts, data.log if account.handled is not None else None)


def _row(row: Evidence) -> str:
    def number(value: int | None) -> str:
        return "" if value is None else f"{value:,}"

    mark = {True: "agree", False: "<span class=no>DIFFER</span>", None: ""}[row.agrees]
    return (
        f"<tr><td>{html_text(row.name)}</td><td class=number>{number(row.external)}</td>"
        f"<td class=number>{number(row.internal)}</td><td>{mark}</td>"
        f"<td>{html_text(row.text)}</td></tr>"
    )


def witnesses(data: PageData) -> str:
    """Each comparison of the verdict."""
    found = data.result.evaluation.witnesses
    if not found:
        return section("Witnesses", note("None: nothing but the capture itself is there."))
    body = "".join(
        f"<tr><td>{'agree' if w.agrees else '<span class=no>DISAGREE</span>'}</td>"
        f"<td>{html_text(w.name)}</td><td>{html_text(w.text)}</td></tr>"
        for w in found
    )
    return section("Witnesses", f'<div class="scroll"><table>{body}</table></div>')


def clocks(data: PageData) -> str:
    """Rates of all clocks against each other, and what they may be."""
    rows = clock_words.rows(data.result.evaluation)
    return section(clock_words.TITLE, table(clock_words.COLUMNS, rows, (1,))) if rows else ""


def delays(data: PageData) -> str:
    """Constants that were fitted, and what they may be."""
    rows = clock_words.delay_rows(data.result.evaluation)
    return section(clock_words.DELAY_TITLE, table(clock_words.DELAY_COLUMNS, rows)) if rows else ""


def loss(data: PageData) -> str:
    """Signs of lost samples, found by the instruments or by the train."""
    evaluation = data.result.evaluation
    rows = [(kind, f"{sample:,}", text) for kind, sample, text in data.losses]
    rows += [
        (
            "sequence gap",
            f"{gap.first_sample:,}",
            "unknown length"
            if gap.missing_samples is None
            else f"about {gap.missing_samples:,} samples, {gap.swallowed:,} stimuli",
        )
        for gap in evaluation.gaps
    ]
    if not rows:
        return section("Loss", "<p>No sign of lost samples.</p>")
    return section("Loss", table(("sign", "at sample", "what"), rows, (1,)))
