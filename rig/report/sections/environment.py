# SPDX-License-Identifier: GPL-3.0-or-later
"""How the run was made, and under what conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rig.report.page_data import PageData
from rig.report.sections.html import facts, section
from rig.report.words import run_facts

PARTIES = ("target", "analyzer", "stimulus", "host")
TEXT_MAX = 2000
"""Longer values are cut, and say so; the run file has them whole."""


def run(data: PageData) -> str:
    """What one must know to read the figures."""
    fixture = data.fixture.get("fixture", {})
    bench = [("fixture", str(fixture.get("title") or fixture.get("name")))] if fixture else []
    return section("Run", facts([*run_facts(data.result), *bench]))


def environment(data: PageData) -> str:
    """What each party said of itself when the run began."""
    parts = []
    for party in PARTIES:
        rows = list(flat(data.environment.get(party, {})))
        if rows:
            parts.append(f"<h3>{party.capitalize()}</h3>{facts(rows)}")
    return section("Environment", *parts)


def flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested values as lines of text, in the order they have; empty ones are left out."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, prefix if name == "environment" else f"{prefix}{name} ")
        elif isinstance(value, list):
            if value:
                yield f"{prefix}{name}", _cut(_listed(value))
        elif value not in ("", None):
            yield f"{prefix}{name}", _cut(str(value))


def _listed(values: list[Any]) -> str:
    """Members with names of their own, such as one for each interrupt, are set apart."""
    if not any(isinstance(value, dict) for value in values):
        return ", ".join(map(str, values))
    return "; ".join(
        ", ".join(f"{name} {text}" for name, text in flat(value))
        if isinstance(value, dict)
        else str(value)
        for value in values
    )


def _cut(text: str) -> str:
    if len(text) <= TEXT_MAX:
        return text
    return f"{text[:TEXT_MAX]} ... ({len(text) - TEXT_MAX:,} more characters in the run file)"
