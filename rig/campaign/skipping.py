# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs that a bench cannot make, and why, before they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rig.campaign.matrix import CampaignRun
from rig.config.check import check
from rig.config.fixture import Fixture
from rig.config.virtual.bench import VirtualGuest
from rig.errors import InputError
from rig.target.scenario import IDLE, LOADS, NOT_ALLOWED, runs_commands

_NO_LOADS: Final = "a modelled target has no processors to load"


@dataclass(frozen=True)
class Abilities:
    """The abilities of a target, by its agent."""

    measurements: frozenset[str] | None = None
    """The measurements; None: not reported, so they are tried."""
    loads: frozenset[str] = frozenset()
    """The scenarios besides idle."""
    no_loads: str = ""
    """The reason why there are no loads."""
    commands: bool = False
    """Whether it runs commands of the fixture."""

    @classmethod
    def of_greeting(cls, greeting: Mapping[str, str]) -> Abilities:
        """Return the abilities in the words of an agent's answer to HELLO."""
        return cls(
            _listed(greeting, "measurements"),
            _listed(greeting, "loads") or frozenset(),
            commands=runs_commands(greeting),
        )


def is_guest(fixture: Fixture) -> bool:
    """Return whether the fixture's target boots for each run."""
    return fixture.virtual is not None and isinstance(fixture.virtual.target, VirtualGuest)


def known_abilities(fixture: Fixture) -> Abilities | None:
    """Return the abilities of a target that comes with the rig; None for one that must be asked."""
    if fixture.virtual is None:
        return None
    if is_guest(fixture):
        return Abilities(loads=frozenset(LOADS), commands=True)
    return Abilities(no_loads=_NO_LOADS)


def why_not(cell: CampaignRun, fixture: Fixture, abilities: Abilities) -> str:
    """Return why this run cannot be made on this bench; "" if it may be."""
    if cell.plan is None:
        return f"not available: {cell.missing}"
    try:
        check(cell.plan, fixture)
    except InputError as error:
        return str(error)
    known = abilities.measurements
    asked = cell.plan.asked_of_agent
    if known is not None and asked not in known:
        return f"the agent does not measure {asked}; it has {_words(known)}"
    return "" if cell.scenario == IDLE else _why_no_load(cell, fixture, abilities)


def _why_no_load(cell: CampaignRun, fixture: Fixture, abilities: Abilities) -> str:
    if abilities.no_loads:
        return f"no load {cell.scenario}: {abilities.no_loads}"
    if cell.scenario in fixture.loads_by_hand:
        return f"load {cell.scenario} is started by hand, and between runs there is nobody to do it"
    if cell.scenario in fixture.scenarios:
        return "" if abilities.commands else f"no load {cell.scenario}: {NOT_ALLOWED}"
    if cell.scenario not in abilities.loads:
        own = f", the fixture {_words(frozenset(fixture.scenarios))}" if fixture.scenarios else ""
        return f"the agent cannot start load {cell.scenario}; it has {_words(abilities.loads)}{own}"
    return ""


def _listed(greeting: Mapping[str, str], key: str) -> frozenset[str] | None:
    words = greeting.get(key)
    return None if words is None else frozenset(filter(None, words.split(",")))


def _words(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) if names else "none"
