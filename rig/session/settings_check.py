# SPDX-License-Identifier: GPL-3.0-or-later
"""A run file's settings and counts against the texts beside them that tell the same.

Settings follow from these texts, so in a file that this rig wrote they cannot differ. Digests show
that a file was changed; this shows it as well if the digests were computed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rig.analysis.model.settings import Settings
from rig.config.fixture import parse_fixture
from rig.config.plan import Plan, parse_plan
from rig.errors import InputError
from rig.measurements.stored_settings import settings_from_json, settings_to_json
from rig.record.layout import DIGESTS_SINCE, OVERRIDES
from rig.record.reader import RunFile
from rig.session.settings import settings_of
from rig.untrusted.json_reader import json_value

IMPORTED = "imported"
"""The state of a capture that was made without this rig, so without plan and fixture."""
_RATES = {
    "sample_rate_hz": ("analyzer", "sample_rate_hz"),
    "stimulus_clock_hz": ("stimulus", "clock_hz"),
    "tick_hz": ("target", "tick_hz"),
}
"""The settings that instruments reported, and where."""
_OPTIONS: dict[str, type] = {"count": int, "seed": int, "period": str, "timer": str}
"""The options of Plan.with_overrides."""
_SHOWN_MAX = 3


def checked_settings(file: RunFile) -> Settings:
    """Return the settings of a run file that analysis needs.

    Raises InputError if they make no sense, or are not what follows from the file's own texts.
    """
    settings = settings_from_json(file.path, file.settings)
    if file.format_version >= DIGESTS_SINCE:
        found = [] if file.state == IMPORTED else contradictions(file.texts(), settings)
        if not file.left_open:  # of one being written, the report may be newer than the extent
            found += _lengths(file.report, file.covered_samples)
        if found:
            more = f"; and {len(found) - _SHOWN_MAX} more" if len(found) > _SHOWN_MAX else ""
            raise InputError(
                f"{file.path}: {'; '.join(found[:_SHOWN_MAX])}{more}: one of the two was changed "
                "after the run; use an unchanged copy"
            )
    return settings


def check_stored_settings(path: Path) -> None:
    """Check the settings of a file whose digests were looked at. Raises InputError."""
    with RunFile(path, checked=False) as file:
        checked_settings(file)


def contradictions(texts: Mapping[str, str], settings: Settings) -> list[str]:
    """Return what settings and texts that follow from each other have differently, as clauses.

    texts: those of the run file, by name.
    """
    try:
        plan = _plan(texts)
        fixture = parse_fixture(texts.get("fixture", ""), "its fixture")
        rates = {name: _rate(texts, *place) for name, place in _RATES.items()}
        derived = settings_of(plan, fixture, **rates)
    except (InputError, ValueError) as error:
        return [f"settings cannot be compared with what they follow from: {error}"]
    ours, theirs = (_plain(each) for each in (settings, derived))
    told, asked = rates["sample_rate_hz"], fixture.analyzer.sample_rate_hz
    other_rate = f"environment/analyzer has sample_rate_hz = {told}, its fixture {asked}"
    # An analyzer that takes another rate is refused before a run.
    return [*([other_rate] if told != asked else []), *_differences(ours, theirs)]


def _lengths(report: Mapping[str, Any], covered: int) -> list[str]:
    """Return what differs between the samples covered and those that the analyzer reported."""
    said = report.get("samples")
    if said is None or (type(said) is int and said == covered):
        return []
    return [f"report has samples = {said!r:.60}, edges/covered {covered}"]


def _plan(texts: Mapping[str, str]) -> Plan:
    plan = parse_plan(texts.get("plan", ""), "its plan")
    given = _object(texts, OVERRIDES) if texts.get(OVERRIDES) else {}
    for name, value in given.items():
        if type(value) is not _OPTIONS.get(name):
            raise ValueError(f"{OVERRIDES} has {name} = {value!r:.60}")
    return plan.with_overrides(**given)


def _object(texts: Mapping[str, str], name: str) -> dict[str, Any]:
    try:
        value = json_value(texts.get(name, ""))
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a JSON object")
    return value


def _rate(texts: Mapping[str, str], party: str, name: str) -> int:
    value = _object(texts, f"environment/{party}").get(name)
    if type(value) is not int or not 1 <= value < 2**63:
        raise ValueError(f"environment/{party} has {name} = {value!r:.60}")
    return value


def _plain(settings: Settings) -> dict[str, Any]:
    """Return the settings by path, with values as JSON has them."""
    return dict(_leaves("", json.loads(json.dumps(settings_to_json(settings)))))


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from _leaves(f"{path}.{name}" if path else name, below)
    else:
        yield path, value


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    missing = object()
    for name in sorted(ours.keys() | theirs.keys()):
        mine, derived = ours.get(name, missing), theirs.get(name, missing)
        if mine != derived:
            said = "nothing" if mine is missing else f"{mine!r:.60}"
            other = "nothing" if derived is missing else f"{derived!r:.60}"
            yield f"settings have {name:.60} = {said}, {_place_of(name)} {other}"


def _place_of(name: str) -> str:
    """Return the source of a setting, as the beginning of a clause."""
    if name in _RATES:
        party, field = _RATES[name]
        return f"environment/{party} has {field} ="
    if name.startswith(("wiring.", "clocks.")) and name != "wiring.active_level":
        return "from its fixture follows"
    return "from its plan follows"
