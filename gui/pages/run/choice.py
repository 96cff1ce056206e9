# SPDX-License-Identifier: GPL-3.0-or-later
"""A selection of what is measured on which bench, and whether that can be done. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rig.campaign.scenario_override import plan_under
from rig.campaign.skipping import known_abilities
from rig.config.check import check
from rig.config.fixture import REPLAY_PREFIX, Fixture, load_fixture
from rig.config.plan import Plan, load_plan
from rig.errors import RigError
from rig.measurements.registry import MEASUREMENTS
from rig.printable import printable
from rig.services import duration
from rig.services.abilities import why_no_load
from rig.target.scenario import IDLE

FIRST_FIXTURE: Final = "virtual"
FIRST_PLAN: Final = "interrupt"


@dataclass(frozen=True)
class RunSelection:
    """A plan and a fixture as chosen, read and checked."""

    plan_name: str
    fixture_name: str
    count: int | None
    plan: Plan | None = None
    fixture: Fixture | None = None
    error: str = ""
    """The reason why it cannot be run, in the words of the command line; "" if it can."""
    scenario: str = ""
    """The load that was asked for; "": the plan's own."""
    skip: str = ""
    """The reason why this bench cannot load its target so, as far as known without asking it."""

    @property
    def label(self) -> str:
        """The plan with its scenario, for a line of a list."""
        return ", ".join(filter(None, (shown_name(self.plan_name), self.scenario)))

    @property
    def whole_s(self) -> float | None:
        """The expected time with what goes before and after the events, as campaigns reckon it."""
        if self.plan is None:
            return None
        try:
            return duration.expected_s(self.plan, self.fixture)
        except ValueError:
            return None

    @property
    def expected_s(self) -> float | None:
        """The time on hardware from first to last event, with the wait for answers."""
        return None if self.plan is None else expected_s(self.plan)

    @property
    def limit_us(self) -> float | None:
        """The plan's largest latency, of periods their largest error; None if it has none."""
        if self.plan is None:
            return None
        limits = self.plan.limits
        of_intervals = MEASUREMENTS[self.plan.measurement].judges_intervals
        limit_ns = limits.interval_error_ns if of_intervals else limits.max_ns
        return None if limit_ns is None else limit_ns / 1e3


def choose(
    plan_name: str, fixture_name: str, count: int | None = None, scenario: str = ""
) -> RunSelection:
    """Read both and check them against each other; `scenario` goes before the plan's own."""
    plan: Plan | None = None
    fixture: Fixture | None = None
    error = skip = ""
    try:
        plan = load_plan(plan_name)
        if scenario:
            plan = plan_under(plan, scenario)
        plan = plan.with_overrides(count)
        if not fixture_name.startswith(REPLAY_PREFIX):
            fixture = load_fixture(fixture_name)
            check(plan, fixture)
        if scenario not in ("", IDLE):
            # One that must be asked is asked when its run begins.
            known = None if fixture is None else known_abilities(fixture)
            skip = why_no_load(plan, fixture, known)
    except (RigError, ValueError) as problem:
        error = str(problem)
    return RunSelection(plan_name, fixture_name, count, plan, fixture, error, scenario, skip)


def expected_s(plan: Plan) -> float | None:
    """Return the plan's time; None for a train that the firmware cannot make."""
    try:
        return duration.measuring_s(plan)
    except ValueError:
        return None


def shown_name(name: str) -> str:
    """Return a built-in name as it is, of a path the last part."""
    return printable(Path(name).name if "/" in name or name.endswith(".toml") else name)
