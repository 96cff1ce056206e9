# SPDX-License-Identifier: GPL-3.0-or-later
"""[scenarios] of a fixture: the user's own loads, and who may run them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from rig.campaign.matrix import CampaignRun
from rig.campaign.skipping import Abilities, why_not
from rig.config.fixture import parse_fixture
from rig.config.plan import load_plan
from rig.config.scenarios import COMMANDS_MAX
from rig.errors import InputError
from rig.instruments import LoadCommand
from rig.resources import find_fixture

BENCH = find_fixture("parallel-port-fx2").read_text()
DOCS = Path(__file__).parents[2] / "docs/reference/scenarios.md"
EXAMPLE = re.search(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL)[1]


def fixture(text: str):
    return parse_fixture(f"{BENCH}\n{text}", "bench.toml")


def test_the_documents_example():
    told = tomllib.loads(EXAMPLE)["scenarios"]
    assert len(told) == 2
    assert fixture(EXAMPLE).scenarios == {
        name: LoadCommand(tuple(each["command"]), each.get("busy_min", 0.0))
        for name, each in told.items()
    }
    assert fixture("").scenarios == {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[scenarios.cpu]\ncommand = ['x']", "cpu: the name of a built-in scenario"),
        ("[scenarios.idle]\ncommand = ['x']", "idle: the name of a built-in scenario"),
        ("[scenarios.A]\ncommand = ['x']", "A: no name for a scenario"),
        ("[scenarios.a]\n", r"command: no array of words; valid: the program and its arguments"),
        ("[scenarios.a]\ncommand = 'x y'", "command: no array of words"),
        ("[scenarios.a]\ncommand = []", "command: no array of words"),
        ("[scenarios.a]\ncommand = " + str(["x"] * 33), "command: no array of words"),
        ("[scenarios.a]\ncommand = ['x', 3]", "a word that is not allowed"),
        ("[scenarios.a]\ncommand = ['']", "a word that is not allowed"),
        ('[scenarios.a]\ncommand = ["a\\u0000b"]', "a word that is not allowed"),
        ('[scenarios.a]\ncommand = ["a\\nb"]', "a word that is not allowed"),
        (f"[scenarios.a]\ncommand = ['{'ü' * 61}']", "a word that is not allowed"),
        ("[scenarios.a]\ncommand = ['x']\nbusy_min = 50", "busy_min: 50 is out of range"),
        ("[scenarios.a]\ncommand = ['x']\nshell = true", "shell: unknown key"),
        ("[scenarios]\na = 1", r"\[scenarios\] a: 1 is an integer"),
        (
            "".join(f"[scenarios.a{n}]\ncommand = ['x']\n" for n in range(COMMANDS_MAX + 1)),
            "51 of them; valid: at most 50",
        ),
    ],
)
def test_what_is_no_scenario_gets_a_line(text, problem):
    with pytest.raises(InputError, match=rf"bench\.toml.*{problem}"):
        fixture(text)


def test_an_agent_that_is_started_over_ssh_may_run_what_the_fixture_says():
    text = "[scenarios.a]\ncommand = ['x']\n"
    ssh = BENCH.replace(
        re.search(r'^link = "tcp:.*"', BENCH, re.MULTILINE)[0], 'link = "ssh"\nhost = "x"'
    )
    assert "ssh" in ssh
    allowed = parse_fixture(f"{ssh}\n{text}", "b").target.link.arguments
    assert allowed == ("--port", "ppdev", "--allow-commands")
    assert "--allow-commands" not in parse_fixture(ssh, "b").target.link.arguments
    twice = ssh.replace('host = "x"', 'host = "x"\nagent_arguments = "--allow-commands"')
    assert parse_fixture(f"{twice}\n{text}", "b").target.link.arguments == ("--allow-commands",)
    assert not hasattr(fixture(text).target.link, "arguments")


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [
        ({"loads": "cpu", "commands": "1"}, "^$"),
        ({"loads": "cpu", "commands": "0"}, "^no load mine: the agent runs none; start rig-agent"),
        ({"loads": "cpu"}, "^no load mine: the agent runs none; start rig-agent with --allow-"),
    ],
)
def test_a_campaign_skips_what_may_not_be_run(greeting, reason):
    plan = load_plan("interrupt")
    bench = fixture("[scenarios.mine]\ncommand = ['x']\n")
    able = Abilities.of_greeting(greeting)
    assert re.search(reason, why_not(CampaignRun("a", "interrupt", "mine", plan), bench, able))
    other = why_not(CampaignRun("a", "interrupt", "yours", plan), bench, able)
    assert other == "the agent cannot start load yours; it has cpu, the fixture mine"


def test_a_load_that_is_started_by_hand():
    found = fixture("[scenarios.kettle]\nby_hand = true")
    assert (dict(found.scenarios), found.loads_by_hand) == ({}, {"kettle"})
    assert not fixture(EXAMPLE).loads_by_hand


@pytest.mark.parametrize("key", ['command = ["make"]', "busy_min = 0.5"])
def test_a_load_that_is_started_by_hand_has_nothing_else(key):
    with pytest.raises(InputError, match="started by hand; valid: by_hand = true alone"):
        fixture(f"[scenarios.kettle]\nby_hand = true\n{key}")
