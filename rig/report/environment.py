# SPDX-License-Identifier: GPL-3.0-or-later
"""The conditions of a run: what target, instruments and host reported of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rig.document import Block, Fact, Facts, Heading, Section, section
from rig.session.results import Result
from rig.untrusted.json_reader import json_value
from rig.untrusted.toml_reader import toml_table

PARTIES: Final = ("target", "analyzer", "stimulus", "host")
TEXT_MAX: Final = 2000
"""Longer values are cut, with a remark; the run file has them whole."""
_SYSTEM: Final = ("system", "release", "preemption", "machine", "processor")
"""Values that a target is named by, as far as its agent reports them."""


def environment(result: Result) -> tuple[Section, ...]:
    """Return what each party reported of itself when the run began."""
    blocks: list[Block] = []
    for party, known in environment_of(result).items():
        rows = tuple(Fact(*row) for row in flat(known))
        if rows:
            blocks += [Heading(party.capitalize()), Facts(rows, verbatim=True)]
    return section("environment", "Environment", *blocks, is_detail=True)


def environment_of(result: Result) -> dict[str, dict[str, Any]]:
    """Return what each party reported of itself, by party."""
    texts = {party: result.texts.get(f"environment/{party}", "") for party in PARTIES}
    return {party: _object(text) for party, text in texts.items()}


def fixture_of(result: Result) -> dict[str, Any]:
    """Return the fixture's own table [fixture]; empty if there is none."""
    try:
        found = toml_table(result.texts.get("fixture", "")).get("fixture", {})
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def setting_of(result: Result) -> list[tuple[str, str]]:
    """Return target, fixture and analyzer, as far as they are known."""
    parties, fixture = environment_of(result), fixture_of(result)
    inside, analyzer = parties["target"].get("environment"), parties["analyzer"]
    known = inside if isinstance(inside, dict) else {}
    rows = [
        ("target", " ".join(str(known[name]) for name in _SYSTEM if known.get(name))),
        ("fixture", str(fixture.get("title") or fixture.get("name") or "")),
        ("analyzer", str(analyzer.get("model") or analyzer.get("driver") or "")),
    ]
    return [row for row in rows if row[1]]


def _object(text: str) -> dict[str, Any]:
    try:
        value = json_value(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield nested values as lines of text, in their order; empty ones are left out."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, prefix if name == "environment" else f"{prefix}{name} ")
        elif isinstance(value, list):
            if value:
                yield f"{prefix}{name}", _cut(_listed(value))
        elif value not in ("", None):
            yield f"{prefix}{name}", _cut(str(value))


def _listed(values: list[Any]) -> str:
    """Return values as one text; members with names, such as each interrupt, are set apart."""
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
