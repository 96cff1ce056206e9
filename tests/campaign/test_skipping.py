# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a run is not tried: each reason in words, and none for what may work."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rig.campaign.matrix import cells_of
from rig.campaign.plan import load_campaign
from rig.campaign.skipping import Abilities, why_not
from rig.config.fixture import load_fixture
from rig.target.scenario import LOADS
from tests.campaign import plans

GREETING = {"measurements": "interrupt,period", "loads": "cpu,io", "port": "kmod"}


@pytest.fixture
def cells(tmp_path):
    """The small campaign's, by name."""
    return {cell.name: cell for cell in cells_of(load_campaign(plans.written(tmp_path)))}


@pytest.mark.parametrize(
    ("name", "greeting", "pattern"),
    [
        ("interrupt-idle", GREETING, "^$"),
        ("interrupt-cpu", GREETING, "^$"),
        ("interrupt-cpu", {}, "^the agent cannot start load cpu; it has none$"),
        ("interrupt-cpu", {"loads": "io,half"}, "cannot start load cpu; it has half, io$"),
        ("interrupt-idle", {"measurements": "period"}, "not measure interrupt; it has period$"),
        ("interrupt-idle", {"measurements": ""}, "not measure interrupt; it has none$"),
        ("interrupt-idle", {}, "^$"),
        ("telepathy-idle", GREETING, "^not available: this version does not measure telepathy$"),
    ],
)
def test_by_what_the_agent_says(cells, name, greeting, pattern):
    reason = why_not(cells[name], load_fixture("virtual"), Abilities.of_greeting(greeting))
    assert re.search(pattern, reason), reason


def test_by_the_fixture(cells):
    fixture = load_fixture("virtual")
    slow = replace(fixture, analyzer=replace(fixture.analyzer, sample_rate_hz=1_000_000))
    for name in plans.MADE:
        assert "fixture virtual samples at 1 MHz" in why_not(cells[name], slow, Abilities())


def test_a_target_without_loads_says_why(cells):
    able = Abilities(loads=frozenset(LOADS), no_loads="it is a model")
    fixture = load_fixture("virtual")
    assert why_not(cells["interrupt-cpu"], fixture, able) == "no load cpu: it is a model"
    assert why_not(cells["interrupt-idle"], fixture, able) == ""
