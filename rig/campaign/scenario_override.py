# SPDX-License-Identifier: GPL-3.0-or-later
"""One plan under another load, as a matrix of measurements and scenarios has it."""

from __future__ import annotations

import re
import tomllib

from rig.campaign.matrix import CampaignRun
from rig.campaign.toml import merged, written
from rig.config.plan import NAME_PATTERN, Plan, parse_plan


def plan_under(plan: Plan, scenario: str) -> Plan:
    """Return the plan under this scenario, with the limits that the plan has for it.

    Its name then ends with the scenario, as far as it still is a name: run files begin with it.
    Overrides are lost, see Plan.with_overrides. Raises InputError if `scenario` is no name.
    """
    if scenario == plan.scenario:
        return plan
    name = f"{plan.name}-{scenario}"
    if not re.fullmatch(NAME_PATTERN, name):
        name = plan.name
    head = {"plan": {"name": name, "scenario": scenario}}
    return parse_plan(written(merged(tomllib.loads(plan.text), head)), plan.source)


def cell_of(plan: Plan) -> CampaignRun:
    """The run of the matrix that a whole plan stands for."""
    return CampaignRun(plan.name, plan.measurement, plan.scenario, plan)
