# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/witnesses.md: its tables, from what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lies.catalog import AGENT, ALL, ANALYZER, FIRMWARE, Lie

PAGE = Path(__file__).parents[2] / "docs" / "witnesses.md"
BEGIN, END = "<!-- tables: python -m tests.lies -->\n", "<!-- end of tables -->\n"
TITLES = {
    "agent": "A lying agent",
    "analyzer": "A lying analyzer",
    "firmware": "A lying firmware",
}
SHORT = {
    "interrupt": "interrupt",
    "interrupt_to_task": "to task",
    "period": "period",
    "task_switch": "switch",
    "task_preemption": "task preemption",
    "preemption": "preemption",
    "timer": "timer",
    "clock_resolution": "clock",
    "task_creation": "creation",
    "services": "services",
    "start_finish": "start-finish",
    "smi": "smi",
}
"""Heads of columns, by measurement."""
Rows = dict[str, dict[str, Any]]


def write_table(rows: Rows) -> None:
    """Put the tables between the two marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + tables(rows) + END + after, encoding="utf-8")


def tables(rows: Rows) -> str:
    """One a liar, and what is not caught."""
    parts = []
    for lies in (AGENT, ANALYZER, FIRMWARE):
        measurements = [m for m in ALL if any(m in rows.get(_key(lie), {}) for lie in lies)]
        parts.append(f"\n### {TITLES[lies[0].liar]}\n\n")
        parts.append(_row("lie", "unit", *(SHORT[m] for m in measurements)))
        parts.append(_row(*["---"] * (2 + len(measurements))))
        parts += [
            _row(
                f"`{lie.name}` {lie.title}",
                lie.unit or "told or not",
                *(_cell(lie, m, rows.get(_key(lie), {}).get(m)) for m in measurements),
            )
            for lie in lies
        ]
        parts.append("\n" + "".join(_reasons(lies, rows)) + "\n")
    return "".join(parts)


def _key(lie: Lie) -> str:
    return f"{lie.liar} {lie.name}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(lie: Lie, measurement: str, found: dict[str, Any] | None) -> str:
    if measurement not in lie.of:
        return "-"
    if found is None:
        return ""
    if found["caught"] is None:
        text = f"never (to {found['uncaught']:,})" if lie.unit else "never"
    elif lie.unit:
        text = f"{found['caught']:,}"
    else:
        text = "yes"
    share = found["of_u"]
    return text if share is None or share <= 1 else f"{text}; {share:.1f} U"


def _reasons(lies: tuple[Lie, ...], rows: Rows) -> list[str]:
    """Of every lie that was told without being caught in some size."""
    return [
        f"- `{lie.name}`: {lie.reason}.\n"
        for lie in lies
        if any(found["uncaught"] is not None for found in rows.get(_key(lie), {}).values())
    ]
