# SPDX-License-Identifier: GPL-3.0-or-later
"""The abilities of a target, asked before anything is measured."""

from __future__ import annotations

from typing import Final

from rig.bench.target import open_target
from rig.campaign.scenario_override import cell_of
from rig.campaign.skipping import Abilities, known_abilities, why_not
from rig.config.fixture import Fixture
from rig.config.plan import Plan
from rig.errors import RefusedError

REPLAYED: Final = "a run that is replayed has no target to load"


def abilities_of(fixture: Fixture) -> Abilities:
    """Return a target's abilities, by its agent unless it is the rig's own. Raises BenchError."""
    known = known_abilities(fixture)
    if known is not None:
        return known
    with open_target(fixture.target.link) as target:
        return Abilities.of_greeting(target.greeting)


def why_no_load(plan: Plan, fixture: Fixture | None, abilities: Abilities | None) -> str:
    """Return why the target cannot be loaded as the plan has it; "" if it may be.

    `fixture` None: the run is replayed. `abilities` None: the target was not asked.
    """
    if fixture is None:
        return f"no load {plan.scenario}: {REPLAYED}"
    return "" if abilities is None else why_not(cell_of(plan), fixture, abilities)


def check_load(plan: Plan, fixture: Fixture | None) -> None:
    """Ask the target for the plan's load; `fixture` None: the run is replayed.

    Raises RefusedError if it cannot be loaded so, BenchError if it does not answer.
    """
    reason = why_no_load(plan, fixture, None if fixture is None else abilities_of(fixture))
    if reason:
        raise RefusedError(reason)
