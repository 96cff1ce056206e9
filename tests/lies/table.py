# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/explanation/witnesses.md: its tables, from what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.lies.catalog import AGENT, ALL, ANALYZER, FIRMWARE, LOAD_LIES, LOADS, VALUED, Lie

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "witnesses.md"
BEGIN, END = "<!-- tables: python -m tests.lies -->\n", "<!-- end of tables -->\n"
TOPICS = {
    "times": ("all_stamps_late", "answers_late", "one_late", "one_early", "wide", "scaled", "rate"),
    "records and counts": (
        "dropped", "duplicated", "reordered", "handled_off", "handled_count", "coalesced_false",
        "trigger_count",
    ),
    "pins": ("pin_not_written", "pin_twice", "pin_pulse", "pin_late", "pin_early"),
    "values that it measures itself": (
        "values_scaled", "values_shifted", "values_longer", "values_clipped", "one_value_shorter",
        "one_value_ends_early",
    ),
    "its handler, its task, its triggers": (
        "entry_late", "entry_early", "exits_late", "exits_early", "tasks_late", "tasks_early",
        "triggers_late", "triggers_early",
    ),
}  # fmt: skip
"""Lies of the agent, by what they are about."""
TABLES = (
    *(
        (f"A lying agent: {topic}", tuple(lie for lie in AGENT if lie.name in names))
        for topic, names in TOPICS.items()
    ),
    ("A lying agent: the load", LOAD_LIES),
    ("A lying analyzer", ANALYZER),
    ("A lying firmware", FIRMWARE),
)
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
    "priority_inversion": "inversion",
    "semaphore_shuffle": "shuffle",
    "start_finish": "start-finish",
    "smi": "smi",
    "interrupt_dispatch": "dispatch",
    "self_triggered": "self-triggered",
    "saturation": "saturation",
}
"""Heads of columns, by measurement."""
GROUPS = {
    "Measured from outside": tuple(m for m in ALL if m not in VALUED),
    "Measured by the target itself": VALUED,
    "": LOADS,
}
_MANY = 10
Rows = dict[str, dict[str, Any]]


def write_table(rows: Rows) -> None:
    """Put the tables between the two marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + tables(rows) + END + after, encoding="utf-8")


def tables(rows: Rows) -> str:
    """For each liar, by what it lies of, and what is not caught."""
    parts = []
    for title, lies in TABLES:
        parts.append(f"\n### {title}\n")
        found = [(group, _table(lies, names, rows)) for group, names in GROUPS.items()]
        found = [(group, table) for group, table in found if table]
        for group, table in found:
            parts.append(f"\n{group}:\n\n{table}" if group and len(found) > 1 else f"\n{table}")
        reasons = "".join(_reasons(lies, rows))
        parts.append(f"\nWhy not, or not below some size:\n\n{reasons}" if reasons else "")
    return "".join(parts) + "\n"


def _table(lies: Sequence[Lie], names: Sequence[str], rows: Rows) -> str:
    """Of these measurements, as far as one of these lies was told in them."""
    told = [lie for lie in lies if any(name in rows.get(_key(lie), {}) for name in names)]
    columns = [m for m in names if any(m in rows.get(_key(lie), {}) for lie in told)]
    if not columns:
        return ""
    lines = [
        _row("lie", "sizes told", *(SHORT.get(m, f"`{m}`") for m in columns)),
        _row(*["---"] * (2 + len(columns))),
    ]
    lines += [
        _row(
            f"`{lie.name}` {lie.title}",
            f"{lie.unit}, {lie.low:,} to {lie.high:,}" if lie.unit else "told or not",
            *(_cell(lie, m, rows.get(_key(lie), {}).get(m)) for m in columns),
        )
        for lie in told
    ]
    return "".join(lines)


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
        text = "never"
    elif lie.unit:
        text = f"{found['caught']:,}"
    else:
        text = "yes"
    share = found["of_u"]
    if share is None or share <= 1:
        return text
    return f"{text}; {share:,.0f} U" if share >= _MANY else f"{text}; {share:.1f} U"


def _reasons(lies: Sequence[Lie], rows: Rows) -> list[str]:
    """Of every lie that was told without being caught in some size."""
    return [
        f"- `{lie.name}`: {lie.reason}.\n"
        for lie in lies
        if any(found["uncaught"] is not None for found in rows.get(_key(lie), {}).values())
    ]
