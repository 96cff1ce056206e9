# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of a campaign: measurements x parameters x scenarios, with names that never change."""

from __future__ import annotations

import hashlib
import itertools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from rig.campaign.plan import CampaignPlan, Measure, base_document
from rig.campaign.toml import merged, nested, written
from rig.config.plan import NAME_PATTERN, Plan, parse_plan
from rig.errors import InputError

RUNS_MAX: Final = 10_000
_PREFIX = re.compile(r"^[^:]*(:[0-9]+)?: ")


@dataclass(frozen=True)
class CampaignRun:
    """One run of the matrix."""

    name: str
    """The name of the run and of its file, unique in the campaign."""
    measurement: str
    scenario: str
    plan: Plan | None
    """Whole, with everything set; None if this version cannot measure it."""
    missing: str = ""
    """The reason why there is no plan."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's text; "" without one. Runs of equal ones mean the same."""
        return "" if self.plan is None else hashlib.sha256(self.plan.text.encode()).hexdigest()


def cells_of(campaign: CampaignPlan) -> tuple[CampaignRun, ...]:
    """All runs, in the order in which they are made. Raises InputError for what makes no plan."""
    found: dict[str, CampaignRun] = {}
    for measure in campaign.measures:
        for cell in _cells(measure):
            if cell.name in found:
                problem = f"two runs would be called {cell.name}"
                raise measure.table.error("label", problem, "another label for one of them")
            if len(found) == RUNS_MAX:
                raise measure.table.error("vary", "too many runs", f"at most {RUNS_MAX}")
            found[cell.name] = cell
    return tuple(found.values())


def _cells(measure: Measure) -> Iterator[CampaignRun]:
    base: dict[str, Any] = {}
    if not measure.missing:
        document = base_document(measure)
        parse_plan(document.text, document.source)  # errors of its own name its own lines
        base = tomllib.loads(document.text)
    keys = [path for path, _ in measure.vary]
    for values in itertools.product(*(values for _, values in measure.vary)):
        changes: dict[str, Any] = dict(measure.set)
        for path, value in zip(keys, values, strict=True):
            changes = merged(changes, nested(path, value))
        for scenario in measure.scenarios:
            name = "-".join((measure.label, *map(_slug, values), scenario))
            yield _cell(measure, base, changes, name, scenario)


def _cell(
    measure: Measure, base: dict[str, Any], changes: dict[str, Any], name: str, scenario: str
) -> CampaignRun:
    if not re.fullmatch(NAME_PATTERN, name):
        raise measure.table.error("label", f"{name} is no name for a run", "shorter names")
    if measure.missing:
        words = measure.missing.rsplit(" ", 1)
        return CampaignRun(name, words[-1], scenario, None, measure.missing)
    head = {"plan": {"name": name, "scenario": scenario}}
    if measure.count is not None:
        table = next((name for name in ("stimulus", "search") if name in base), "agent")
        changes = merged({table: {"count": measure.count}}, changes)
    text = written(merged(base, merged(changes, head)))
    try:
        plan = parse_plan(text, name)
    except InputError as error:
        line = measure.table.document.line_of(measure.table.path)
        where = measure.table.document.source + ("" if line is None else f":{line}")
        words_of = _PREFIX.sub("", str(error), count=1)
        raise InputError(f"{where}: [[measure]] run {name}: {words_of}") from None
    return CampaignRun(name, plan.measurement, scenario, plan)


def _slug(value: object) -> str:
    """A value as part of a name: `500 us` becomes `500us`."""
    text = str(value).lower().replace(" ", "").replace("µ", "u")
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-") or "none"
