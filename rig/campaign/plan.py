# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's plan: measurements, scenarios and parameters as TOML.

docs/reference/campaigns.md explains it.

[campaign]                      name, title, scenarios, count
[[measure]]                     plan, and what differs from it
[measure.set]                   values in place of the plan's
[measure.vary]                  arrays of values: each with each
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rig.campaign.toml import leaves
from rig.config.plan import NAME_PATTERN, NAME_VALID
from rig.resources import plan_names
from rig.stimulus.train import COUNT_MAX
from rig.toml.reader import TomlFile, TomlTable, read_document

MEASURES_MAX: Final = 100
VALUES_MAX: Final = 100
"""The most values of one parameter, and scenarios."""
_MEASUREMENT = "[a-z][a-z0-9_]{0,63}"
_TABLES = ("stimulus", "search", "agent", "tools", "capture", "response", "limits")
"""Tables of a plan in which values may be set or varied."""


@dataclass(frozen=True)
class Measure:
    """One measurement of a campaign, before scenarios and parameters are multiplied out."""

    plan: str
    """A built-in plan, or the path of a plan's file."""
    label: str
    """The beginning of the names of its runs."""
    scenarios: tuple[str, ...]
    count: int | None
    """Events of each run; None: the plan's."""
    set: Mapping[str, Any]
    """Values in place of the plan's, by table."""
    vary: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]
    """Path of a key and the values that it takes, one after the other."""
    missing: str
    """The reason why there is no such plan; "" if there is one."""
    table: TomlTable
    """The table that it is written in, for errors."""


@dataclass(frozen=True)
class CampaignPlan:
    """The plan of a campaign: what it measures."""

    name: str
    title: str
    measures: tuple[Measure, ...]
    text: str
    source: str


def load_campaign(path: Path, count: int | None = None) -> CampaignPlan:
    """Read a campaign's file; `count` goes before every other number of events.

    Raises InputError: one line with file, line and key.
    """
    document = read_document(path)
    root = document.root()
    root.allow_only(("campaign", "measure"))
    head = root.table("campaign")
    head.allow_only(("name", "title", "scenarios", "count"))
    scenarios = _scenarios(head, ("idle",))
    common = head.integer("count", 1, COUNT_MAX) if "count" in head else None
    measures = [
        _measure(table, scenarios, common, count, path.parent) for table in root.tables("measure")
    ]
    if not 1 <= len(measures) <= MEASURES_MAX:
        raise root.error("measure", f"{len(measures)} of them", f"1 to {MEASURES_MAX} [[measure]]")
    return CampaignPlan(
        name=head.text("name", pattern=NAME_PATTERN, valid=NAME_VALID),
        title=head.text("title", "", valid="one line of text"),
        measures=tuple(measures),
        text=document.text,
        source=document.source,
    )


def _measure(
    table: TomlTable,
    scenarios: tuple[str, ...],
    common: int | None,
    forced: int | None,
    folder: Path,
) -> Measure:
    table.allow_only(("plan", "label", "measurement", "scenarios", "count", "set", "vary"))
    plan = table.text("plan", valid="a built-in plan, or the path of one")
    missing = ""
    if plan not in plan_names():
        if "/" in plan or plan.endswith(".toml"):
            plan = str(folder / plan)
        elif "measurement" in table:
            name = table.text("measurement", pattern=_MEASUREMENT, valid="such as task_switch")
            missing = f"this version does not measure {name}"
        else:
            valid = f"{', '.join(plan_names())}, or a path with a slash or ending in .toml"
            raise table.error("plan", f"no built-in plan {plan}", valid)
    own = table.integer("count", 1, COUNT_MAX) if "count" in table else common
    _check_tables(table.table("set", optional=True))
    return Measure(
        plan=plan,
        label=table.text("label", Path(plan).stem, pattern=NAME_PATTERN, valid=NAME_VALID),
        scenarios=_scenarios(table, scenarios),
        count=own if forced is None else forced,
        set=table.table("set", optional=True).values,
        vary=_vary(table.table("vary", optional=True)),
        missing=missing,
        table=table,
    )


def _check_tables(table: TomlTable) -> None:
    table.allow_only(_TABLES)
    for key in table.values:
        table.table(key)


def _scenarios(table: TomlTable, default: tuple[str, ...]) -> tuple[str, ...]:
    if "scenarios" not in table:
        return default
    found = table.values["scenarios"]
    valid = f'1 to {VALUES_MAX} different names in an array, such as ["idle", "cpu"]'
    if not isinstance(found, list) or not 1 <= len(found) <= VALUES_MAX:
        raise table.error("scenarios", "no array of names", valid)
    for name in found:
        # Each is read as a key of its own would be, so that the error is the same.
        TomlTable(table.document, table.path, {"scenarios": name}).text(
            "scenarios", pattern=NAME_PATTERN, valid=valid
        )
    if len(set(found)) < len(found):
        raise table.error("scenarios", "a name twice", valid)
    return tuple(found)


def _vary(table: TomlTable) -> tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]:
    _check_tables(table)
    found = []
    for path, values in leaves(table.values):
        many = isinstance(values, list) and 1 <= len(values) <= VALUES_MAX
        if not many or not all(isinstance(value, str | int | float) for value in values):
            place = TomlTable(table.document, (*table.path, *path[:-1]), {})
            raise place.error(path[-1], "no array of values", f"1 to {VALUES_MAX} texts or numbers")
        found.append((path, tuple(values)))
    return tuple(found)


def base_document(measure: Measure) -> TomlFile:
    """The text of its plan. Raises InputError."""
    from rig.resources import find_plan

    built_in = measure.plan in plan_names()
    return read_document(find_plan(measure.plan), measure.plan if built_in else None)
