# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan under another load: the same measurement, the limits of that scenario."""

from __future__ import annotations

import tomllib

import pytest

from rig.campaign.matrix import cells_of
from rig.campaign.plan import load_campaign
from rig.campaign.scenario_override import plan_under
from rig.campaign.skipping import is_guest, known_abilities
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan, parse_plan
from rig.errors import InputError
from rig.target.scenario import LOADS

CAMPAIGN = """
[campaign]
name = "one"
scenarios = ["io"]
[[measure]]
plan = "interrupt"
"""


def test_as_a_campaign_makes_it(tmp_path):
    """The campaign's own matrix is the oracle."""
    (tmp_path / "one.toml").write_text(CAMPAIGN)
    (cell,) = cells_of(load_campaign(tmp_path / "one.toml"))
    made = plan_under(load_plan("interrupt"), "io")
    assert made.name == cell.name == "interrupt-io"
    assert made.scenario == "io"
    assert tomllib.loads(made.text) == tomllib.loads(cell.plan.text)


def test_its_own_scenario_leaves_it_as_it_is():
    plan = load_plan("interrupt")
    assert plan_under(plan, "idle") is plan


def test_limits_are_those_of_the_scenario():
    text = load_plan("interrupt").text + '\n[limits.cpu]\nmax_latency = "7 ms"\n'
    plan = parse_plan(text, "mine.toml")
    assert plan.limits.max_ns != 7e6
    assert plan_under(plan, "cpu").limits.max_ns == 7e6


def test_a_long_name_stays_a_name():
    text = load_plan("interrupt").text.replace('name = "interrupt"', f'name = "{"a" * 62}"')
    made = plan_under(parse_plan(text, "mine.toml"), "rt-tasks")
    assert (made.name, made.scenario) == ("a" * 62, "rt-tasks")


def test_what_is_no_name_is_refused():
    with pytest.raises(InputError, match="scenario"):
        plan_under(load_plan("interrupt"), "two words")


def test_what_is_known_of_targets_without_asking():
    modelled, guest, real = (load_fixture(n) for n in ("virtual", "qemu-debian", "dslogic"))
    assert known_abilities(modelled).loads == frozenset()
    assert "modelled" in known_abilities(modelled).no_loads
    assert known_abilities(guest).loads == frozenset(LOADS)
    assert known_abilities(real) is None
    assert [is_guest(each) for each in (modelled, guest, real)] == [False, True, False]
