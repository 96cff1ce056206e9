# SPDX-License-Identifier: GPL-3.0-or-later
"""[clocks] of a fixture, and the bounds that a run is judged by."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rig.analysis.model.settings import ClockBounds
from rig.config.clocks import KINDS, ClockKind, ClockSettings
from rig.config.fixture import parse_fixture
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.measurements.stored_settings import settings_from_json, settings_to_json
from rig.resources import find_fixture
from rig.session.clock_bounds import clock_bounds
from rig.session.run_error_model import bench_of
from rig.session.settings import settings_of

HARDWARE = find_fixture("parallel-port-fx2").read_text()
EXAMPLE = re.search(
    r"```\n(\[clocks\].*?)```",
    (Path(__file__).parents[2] / "docs/reference/fixtures.md").read_text(),
    re.DOTALL,
).group(1)


def fixture(table: str = ""):
    return parse_fixture(f"{HARDWARE}\n{table}", "bench.toml")


def test_the_documents_example() -> None:
    assert fixture(EXAMPLE).clocks == ClockSettings(
        KINDS["crystal"], KINDS["resonator"], ClockKind(20_000, 100)
    )


def test_what_is_not_told_is_as_before() -> None:
    assert fixture().clocks == ClockSettings()
    assert clock_bounds(ClockSettings()) == ClockBounds(200.0, 1.0, 10.0)
    # The usual kinds, told or not, are the same.
    usual = ClockSettings(KINDS["crystal"], KINDS["resonator"], KINDS["crystal"])
    assert clock_bounds(usual) == ClockBounds()


def test_bounds_of_two_clocks_add() -> None:
    found = clock_bounds(fixture(EXAMPLE).clocks)
    assert found == ClockBounds(120.0, 0.6, 10.0)
    one = clock_bounds(ClockSettings(target=KINDS["resonator"]))
    assert one == ClockBounds(5100.0, 10.0, 10.0)
    assert clock_bounds(ClockSettings(analyzer=ClockKind(1000, 1))) == ClockBounds(
        101.0, 0.501, 9.501
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('analyser = "crystal"', r"analyser: unknown key \(did you mean analyzer\?\)"),
        ('target = "quartz"', r'target: unknown kind "quartz"; valid: crystal, resonator, or \{'),
        ("target = 5", "target: 5 is an integer"),
        ("target = { ppm = 50 }", "ppm_per_s: missing"),
        ("target = { ppm = 50, ppm_per_s = 0 }", "ppm_per_s: 0 is out of range; valid: a number"),
        ("target = { ppm = -1, ppm_per_s = 1 }", "ppm: -1 is out of range"),
        ("target = { ppm = nan, ppm_per_s = 1 }", "ppm: nan is no number"),
        ("target = { ppm = 1, ppm_per_s = 1, age = 2 }", "age: unknown key"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        fixture(f"[clocks]\n{line}")
    number = HARDWARE.count("\n") + 3
    assert str(caught.value).startswith(f"bench.toml:{number}: [clocks")


def test_a_run_file_keeps_the_bounds_and_an_older_one_has_the_usual(tmp_path: Path) -> None:
    settings = settings_of(load_plan("interrupt"), fixture(), 24_000_000, 16_000_000, 10**9)
    assert "clocks" not in settings_to_json(settings)
    assert settings_from_json(tmp_path, settings_to_json(settings)) == settings
    own = replace(settings, clocks=clock_bounds(fixture(EXAMPLE).clocks))
    assert settings_from_json(tmp_path, settings_to_json(own)) == own
    damaged = settings_to_json(own) | {"clocks": {"target_ppm": "many"}}
    with pytest.raises(InputError, match="damaged run file, settings: "):
        settings_from_json(tmp_path, damaged)


def test_the_analyzers_kind_is_in_the_budget_unless_more_is_known() -> None:
    crystal = '[clocks]\nanalyzer = "crystal"\n'
    found = bench_of(fixture(crystal), "", 24_000_000).time_base_ppm
    assert found.standard_uncertainty == pytest.approx(100 / 3**0.5)
    better = fixture(f"{crystal}[uncertainty]\ntime_base_ppb = 20_000\n")
    found = bench_of(better, "", 24_000_000).time_base_ppm
    assert found.standard_uncertainty == pytest.approx(20 / 3**0.5)
