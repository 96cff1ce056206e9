# SPDX-License-Identifier: GPL-3.0-or-later
"""The conditions of a run: what target, instruments and host reported of themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from rig.document import Block, Fact, Facts, Folded, Heading, Section, section
from rig.session.results import Result
from rig.target.findings import DEBUG_OPTIONS
from rig.untrusted.json_reader import json_value
from rig.untrusted.toml_reader import toml_table

PARTIES: Final = ("target", "analyzer", "stimulus", "host")
TEXT_MAX: Final = 2000
"""Longer values are cut, with a remark; the run file has them whole."""
_SYSTEM: Final = ("system", "release", "preemption", "machine", "processor", "board_model")
"""Values that a target is named by, as far as its agent reports them."""
KERNEL_OPTIONS: Final = "kernel_options"
"""Name under which an agent reports options of the kernel."""
_TOLD: Final = (
    "PREEMPT_RT", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_VOLUNTARY", "PREEMPT_NONE", "HZ",
    "NO_HZ_FULL", "NO_HZ_IDLE", "HZ_PERIODIC", "HIGH_RES_TIMERS", "CPU_IDLE", "CPU_FREQ", "ACPI",
)  # fmt: skip


_RATE: Final = "tick_hz"
"""A reading, too: the rate of the cycle counter, which the agent may have to measure."""
_NAMES: Final = ("thread", "name", "cpu", "irq", "signal")
"""Keys of a member of a list that say which one it is."""
_READINGS: Final = frozenset({
    "uptime", "load", "frequency_khz", "smi_count", "core_throttles", "package_throttles",
    "temperature_mdegc",
})  # fmt: skip
"""Keys of what a target reads at one moment: another value means no other system."""


def environment(result: Result) -> tuple[Section, ...]:
    """Return what each party reported of itself when the run began."""
    blocks: list[Block] = []
    for party, known in environment_of(result).items():
        options = _kernel_options(known)
        rows = [Fact(*row) for row in flat(known) if not row[0].startswith(f"{KERNEL_OPTIONS} ")]
        if options:
            rows.append(Fact("kernel", _brief(options)))
        if rows:
            blocks += [Heading(party.capitalize()), Facts(tuple(rows), verbatim=True)]
        if options:
            title = f"Kernel configuration: {len(options)} options that latencies may depend on"
            listed = tuple(Fact(name, _cut(str(value))) for name, value in options.items())
            blocks.append(Folded(title, (Facts(listed, verbatim=True),)))
    return section("environment", "Environment", *blocks, is_detail=True)


def _kernel_options(known: dict[str, Any]) -> dict[str, Any]:
    inside = known.get("environment")
    options = inside.get(KERNEL_OPTIONS) if isinstance(inside, dict) else None
    return options if isinstance(options, dict) else {}


def _brief(options: dict[str, Any]) -> str:
    """Return the preemption model, tick and timers, and what slows a kernel down."""
    words = [name if options[name] == "y" else f"{name}={options[name]}"
             for name in _TOLD if options.get(name)]  # fmt: skip
    slow = [name for name in DEBUG_OPTIONS if options.get(name)]
    text = ", ".join(words) + (f"; for debugging: {', '.join(slow)}" if slow else "")
    return _cut(text) or "none of the usual options"


def environment_of(result: Result) -> dict[str, dict[str, Any]]:
    """Return what each party reported of itself, by party."""
    texts = {party: result.texts.get(f"environment/{party}", "") for party in PARTIES}
    told = {party: _object(text) for party, text in texts.items()}
    if "version" in told["target"]:  # of the agent; that of the system has the same name
        told["target"]["agent_version"] = told["target"].pop("version")
    return told


def fixture_of(result: Result) -> dict[str, Any]:
    """Return the fixture's own table [fixture]; empty if there is none."""
    found = tables_of(result, "fixture").get("fixture", {})
    return found if isinstance(found, dict) else {}


def tables_of(result: Result, name: str) -> dict[str, Any]:
    """Return the tables of a run's plan or fixture; empty if there are none."""
    try:
        return toml_table(result.texts.get(name, ""))
    except ValueError:
        return {}


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
            yield from _listed(f"{prefix}{name}", value)
        elif value not in ("", None):
            yield f"{prefix}{name}", _cut(str(value))


def without_readings(known: dict[str, Any]) -> dict[str, Any]:
    """Return what a party reported, without what it read at one moment."""
    steady = {name: value for name, value in known.items() if name != _RATE}
    if isinstance(inside := known.get("environment"), dict):
        steady["environment"] = _part(inside, readings=False)
    return steady


def readings_of(known: dict[str, Any]) -> dict[str, Any]:
    """Return what a party read at one moment, such as temperatures and counters."""
    inside = known.get("environment")
    rate = {name: value for name, value in known.items() if name == _RATE}
    return {**rate, **(_part(inside, readings=True) if isinstance(inside, dict) else {})}


def _part(values: dict[str, Any], *, readings: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found[name] = _part(value, readings=readings)
        elif isinstance(value, list):
            found[name] = list(_members(value, readings=readings))
        elif (name in _READINGS) is readings:
            found[name] = value
    return found


def _members(values: list[Any], *, readings: bool) -> Iterator[Any]:
    for value in values:
        if not isinstance(value, dict):
            if not readings:
                yield value
        elif part := _part(value, readings=readings):
            yield {**{name: value[name] for name in _NAMES if name in value}, **part}


def _listed(name: str, values: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield plain values as one line; members with values of their own, as threads, as one each.

    Such a line is named after the member, so that lines of two runs can be compared; of members
    with the same name the second has a 2 behind it.
    """
    plain = [str(value) for value in values if not isinstance(value, dict)]
    used: Counter[str] = Counter()
    for number, member in enumerate((each for each in values if isinstance(each, dict)), 1):
        rest = dict(member)
        called = next((str(rest.pop(key)) for key in _NAMES if key in rest), str(number))
        used[called] += 1
        again = f" {used[called]}" if used[called] > 1 else ""
        if text := ", ".join(f"{key} {text}" for key, text in flat(rest)):
            yield f"{name} {called}{again}", _cut(text)
        else:
            plain.append(called)
    if plain:
        yield name, _cut(", ".join(plain))


def _cut(text: str) -> str:
    if len(text) <= TEXT_MAX:
        return text
    return f"{text[:TEXT_MAX]} ... ({len(text) - TEXT_MAX:,} more characters in the run file)"
