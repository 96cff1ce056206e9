# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/reference/run-file.md: its table of forgeries, from what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.forgeries.catalog import FORGERIES, Forgery, Keys

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "run-file.md"
BEGIN, END = "<!-- table: python -m tests.forgeries -->\n", "<!-- end of table -->\n"
Rows = dict[str, dict[str, Any]]


def write_table(rows: Rows) -> None:
    """Put the table between the two marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + table(rows) + END + after, encoding="utf-8")


def table(rows: Rows) -> str:
    """All forgeries by what is changed, and why some are not seen."""
    lines = ["\n| changed, sealed again | sizes | seen from | as |\n| --- | --- | --- | --- |\n"]
    reasons = []
    for title, forgeries in FORGERIES.items():
        lines.append(f"| **{title}** | | | |\n")
        for forgery in forgeries:
            found = rows[forgery.name]
            lines.append(f"| {' | '.join(_cells(forgery, found))} |\n")
            if found["uncaught"] not in (None, []):
                reasons.append(f"- `{forgery.name}`: {forgery.reason}{_named(found)}.\n")
    return "".join(lines) + "\nWhy not, or not below some size:\n\n" + "".join(reasons) + "\n"


def _cells(forgery: Forgery | Keys, found: dict[str, Any]) -> tuple[str, ...]:
    name, by = f"`{forgery.name}` {forgery.title}", found["by"] or ""
    if isinstance(forgery, Keys):
        seen = found["keys"] - len(found["uncaught"])
        return name, f"{found['keys']} values", f"{seen} of {found['keys']}", by
    sizes = (
        f"{forgery.unit}, {forgery.low:,} to {forgery.high:,}" if forgery.unit else "made or not"
    )
    if found["caught"] is None:
        return name, sizes, "never", by
    return name, sizes, f"{found['caught']:,}" if forgery.unit else "yes", by


def _named(found: dict[str, Any]) -> str:
    """Keys that were not seen."""
    if not isinstance(found["uncaught"], list):
        return ""
    return f" (`{'`, `'.join(found['uncaught'])}`)"
