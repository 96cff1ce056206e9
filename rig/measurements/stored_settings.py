# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and instrument counts of a run as the run file stores them, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import ClockBounds, Settings
from rig.errors import InputError
from rig.measurements.registry import measurement_of, source_kinds
from rig.untrusted.decode import KIND, Layout, WrongValueError, decoded
from rig.untrusted.encode import encoded
from rig.untrusted.json_reader import found


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Return settings as plain values. Limits and clocks that are the default are left out."""
    stored: dict[str, Any] = encoded(settings, LAYOUT)
    if not settings.limits.others:
        del stored["limits"]["others"]
    if settings.clocks == ClockBounds():
        del stored["clocks"]
    return stored


def settings_from_json(path: Path, stored: dict[str, Any]) -> Settings:
    """Return stored settings. Raises InputError naming the file if the values make no sense."""
    try:
        present = stored if "source" in stored else _renamed(stored)
        settings = decoded(Settings, present, layout=LAYOUT)
        measurement_of(settings.measurement).check_source(settings.source)
    except ValueError as error:
        raise InputError(f"{path}: damaged run file, settings: {error}") from None
    return settings


def _renamed(stored: dict[str, Any]) -> dict[str, Any]:
    """Return settings of format versions 1 to 4, which had a key for each kind of source.

    Raises ValueError for more than one source.
    """
    others = {key: value for key, value in stored.items() if key not in _OLDER_SOURCES}
    limits = stored.get("limits")
    if isinstance(limits, dict) and _OLDER_LIMITS in limits:
        rest = {key: value for key, value in limits.items() if key != _OLDER_LIMITS}
        others["limits"] = {**rest, "others": limits[_OLDER_LIMITS]}
    given = [key for key in _OLDER_SOURCES if stored.get(key) is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} given; valid: one of them at most")
    if not given:
        return {**others, "source": None}
    value = stored[given[0]]
    source = {"count": value} if given[0] == _OLDER_COUNT else value
    if not isinstance(source, dict):
        raise ValueError(f"{given[0]}: {found(source)} found; valid: an object")
    return {**others, "source": {**source, KIND: _OLDER_SOURCES[given[0]]}}


_OLDER_LIMITS: Final = "further"
_OLDER_COUNT: Final = "inside"
_OLDER_SOURCES: Final = {
    "train": "train",
    "schedule": "schedule",
    "triggers": "self_triggers",
    "search": "rate_search",
    _OLDER_COUNT: "self_measured",
}
"""Keys of the older versions, and the kinds that they stand for. The last had a number alone."""
LAYOUT: Final = Layout(tags={kind: kind.kind for kind in source_kinds()})


def account_to_json(account: InstrumentCounts) -> dict[str, Any]:
    """Return the instruments' counts; those that they did not report are left out."""
    return {name: value for name, value in asdict(account).items() if value not in (None, "")}


def account_from_json(path: Path, stored: dict[str, Any]) -> InstrumentCounts:
    """Return stored instrument counts; extra entries are for people only."""
    try:
        return decoded(InstrumentCounts, stored, ignore_unknown=True)
    except WrongValueError as error:
        raise InputError(f"{path}: damaged run file, report: {error}") from None
