# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run CAMPAIGN` on the modelled target, whole and killed."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
from xml.etree import ElementTree as ET

import pytest

from rig.campaign.index import RunState, load_index
from rig.cli.main import main
from rig.config.fixture import load_fixture
from tests.campaign import plans
from tests.cli.command import RIG, rig

WITHIN_US = 0.1
"""Runs begin anywhere between two samples of 42 ns; what the target does is the same each time."""
KILLED_S = 8.0


def words(folder, *more):
    return ("run", "./small.toml", "--fixture", "virtual", "-o", folder, *more)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A campaign that nothing interrupted: where its plan lies, and what was printed."""
    place = tmp_path_factory.mktemp("whole")
    plans.written(place)
    ended = rig(*words("folder", "--junit", "runs.xml"), folder=place)
    assert ended.returncode == 0, ended.stderr
    return place, ended


def table(folder):
    """The tables as rows of cells."""
    ended = rig("table", folder, "--format", "csv")
    assert ended.returncode == 0, ended.stderr
    return list(csv.reader(io.StringIO(ended.stdout)))


def same(found, expected):
    """Words and counts are the same, times within WITHIN_US."""
    assert [len(row) for row in found] == [len(row) for row in expected]
    for mine, other in zip(found, expected, strict=True):
        for cell, true in zip(mine, other, strict=True):
            if "." in true and true.replace(".", "").replace("-", "").isdigit():
                assert float(cell) == pytest.approx(float(true), abs=WITHIN_US), (mine, other)
            else:
                assert cell == true, (mine, other)


def test_the_folder_and_its_index(whole):
    place, ended = whole
    index = load_index(place / "folder")
    states = {entry.name: entry.state for entry in index.entries}
    assert [name for name in plans.NAMES if states[name] is RunState.DONE] == list(plans.MADE)
    reasons = {entry.name: entry.reason for entry in index.entries}
    assert reasons["interrupt-cpu"].startswith("no load cpu: ")
    assert reasons["telepathy-idle"].startswith("not available: ")
    for name in plans.MADE:
        assert (place / "folder" / f"{name}.html").exists()
    assert "3 done, 2 skipped" in ended.stdout
    assert "skipped telepathy-idle: not available" in ended.stdout
    assert "[5/5]" not in ended.stderr


def test_a_run_of_a_campaign_is_a_run_as_any_other(whole):
    place, _ = whole
    document = json.loads(rig("show", place / "folder/interrupt-idle.h5", "--json").stdout)
    assert document["planned"] == document["counts"]["answered"] == 20


def test_the_server_that_shows_tests_gets_a_case_a_run(whole):
    place, _ = whole
    (suite,) = ET.parse(place / "runs.xml").getroot()  # noqa: S314 - our own file
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == list(plans.NAMES)
    skipped = {name: case.find("skipped") for name, case in cases.items()}
    assert [name for name in cases if skipped[name] is None] == list(plans.MADE)
    assert skipped["interrupt-cpu"].get("message").startswith("no load cpu: ")
    for name in plans.MADE:
        out = cases[name].find("system-out").text
        assert out == f"pass\nfile folder/{name}.h5"


def test_a_junit_file_that_cannot_be_is_told_before_anything_is_measured(tmp_path):
    plans.written(tmp_path)
    ended = rig(*words("folder", "--junit", "none/x.xml"), folder=tmp_path)
    assert ended.returncode == 2
    assert "none/x.xml: there is no folder none" in ended.stderr
    assert not (tmp_path / "folder").exists()


def test_what_is_done_is_not_made_again(whole):
    place, _ = whole
    before = {path: path.stat().st_mtime_ns for path in (place / "folder").glob("*.h5")}
    ended = rig(*words("folder", "--json"), folder=place)
    assert ended.returncode == 0
    assert "running" not in ended.stderr
    assert json.loads(ended.stdout)["name"] == "small"
    assert {path: path.stat().st_mtime_ns for path in (place / "folder").glob("*.h5")} == before


REFUSED = """
[campaign]
name = "small"
count = 5

[[measure]]
plan = "interrupt"

[[measure]]
plan = "interrupt-dispatch"             # no modelled target has a task to interrupt
"""


def test_a_campaign_with_a_refused_run_is_no_success(tmp_path):
    plans.written(tmp_path, REFUSED)
    ended = rig(*words("folder", "--junit", "runs.xml"), folder=tmp_path)
    assert ended.returncode == 6, ended.stderr
    assert "1 done, 1 refused" in ended.stdout
    assert "[2/2] interrupt-dispatch-idle: refused, target tcp:" in ended.stderr
    (suite,) = ET.parse(tmp_path / "runs.xml").getroot()  # noqa: S314 - our own file
    assert (suite.get("errors"), suite.get("skipped")) == ("1", "0")
    left = {path.name for path in (tmp_path / "folder").iterdir()}
    assert not [name for name in left if name.startswith("interrupt-dispatch")], left


def test_a_campaign_that_measures_nothing_is_no_success(tmp_path):
    plans.written(tmp_path, REFUSED.replace("count = 5", 'scenarios = ["cpu"]'))
    ended = rig(*words("folder"), folder=tmp_path)
    assert ended.returncode == 6, ended.stderr
    assert "2 skipped\nnothing was measured\n" in ended.stdout


def test_a_refused_run_is_told_as_such_everywhere(tmp_path):
    ended = rig(
        "run", "interrupt-dispatch", "--fixture", "virtual", "--count", 5, "--out", "x.h5",
        "--json", "--junit", "x.xml", folder=tmp_path,
    )  # fmt: skip
    assert ended.returncode == 6, ended.stderr
    assert "rig: REFUSED, nothing was measured and no file is left: target tcp:" in ended.stderr
    document = json.loads(ended.stdout)
    assert document["verdict"] == "refused"
    (case,) = ET.parse(tmp_path / "x.xml").getroot().iter("testcase")  # noqa: S314 - our own file
    assert case.find("error").text == f"refused: {document['reasons'][0]}"
    assert [path.name for path in tmp_path.iterdir()] == ["x.xml"]


def test_a_dry_run_leaves_nothing(tmp_path):
    plans.written(tmp_path)
    ended = rig(*words("folder", "--dry-run"), folder=tmp_path)
    assert ended.returncode == 0
    assert "5 runs: 0 done, 2 skipped, the others take about 9 s" in ended.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


@pytest.mark.parametrize(
    ("more", "pattern"),
    [
        (("--seed", 3), "--seed: not for a campaign"),
        (("--fixture", "replay:x.h5"), "a campaign measures"),
    ],
)
def test_options_that_mean_nothing_are_refused(tmp_path, monkeypatch, capsys, more, pattern):
    plans.written(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main([str(word) for word in words("folder", *more)]) == 2
    assert pattern in capsys.readouterr().err
    assert not (tmp_path / "folder").exists()


def _under_my_load(folder, more=""):
    """`rig run` of a plan whose load is no one of the agent's; the fixture has some text more."""
    (folder / "mine.toml").write_text(
        '[plan]\nname = "mine"\nmeasurement = "period"\nscenario = "my-load"\n'
        '[agent]\nperiod = "1 ms"\ncount = 5\n'
        '[capture]\nresolution = "50 ns"\nglitch_filter = "0 ns"\n[response]\ntimeout = "5 ms"\n'
    )
    (folder / "bench.toml").write_text(load_fixture("virtual").text + more)
    return rig("run", "./mine.toml", "--fixture", "./bench.toml", "--out", "mine.h5", folder=folder)


def test_a_load_that_nobody_starts_is_refused(tmp_path):
    ended = _under_my_load(tmp_path)
    assert ended.returncode == 6, ended.stderr
    assert "no file is left: no load my-load: the agent starts no loads; " in ended.stderr
    assert "[scenarios.my-load] of the fixture, and by_hand = true there" in ended.stderr
    assert not (tmp_path / "mine.h5").exists()


def test_a_load_that_the_user_starts_is_told_before_the_run(tmp_path):
    ended = _under_my_load(tmp_path, "\n[scenarios.my-load]\nby_hand = true\n")
    assert ended.returncode == 0, ended.stderr
    told = ended.stderr.partition("measuring")[0]
    assert "load my-load: started by hand, says the fixture; see that it runs" in told


def test_a_plan_has_no_dry_run(capsys):
    assert main(["run", "interrupt", "--fixture", "virtual", "--dry-run"]) == 2
    assert "--dry-run: interrupt is no campaign" in capsys.readouterr().err


def _killed_at_line(place, number):
    """Begin or go on, and kill -9 the process after so many lines of what it tells."""
    process = subprocess.Popen(
        [*RIG, *words("killed")], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        for _ in range(number):
            if not process.stderr.readline():
                break
    finally:
        process.kill()
        process.stderr.close()
        process.wait()


def _finished(place, expected):
    ended = rig(*words("killed"), folder=place)
    assert ended.returncode == 0, ended.stderr
    same(table(place / "killed"), expected)
    partial = [
        file for entry in load_index(place / "killed").entries for file in entry.partial_files
    ]
    done = [entry.file for entry in load_index(place / "killed").entries if entry.file]
    assert len({*partial, *done}) == len(partial) + len(done)
    left = {path.name for path in (place / "killed").glob("*.h5")}
    assert set(done) <= left <= {*partial, *done}


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_campaign_killed_at_three_points_ends_with_the_same_table(whole, tmp_path):
    plans.written(tmp_path)
    draw = random.Random(8)  # noqa: S311 - no secret
    for _ in range(3):
        _killed_at_line(tmp_path, draw.randint(1, 7))
    _finished(tmp_path, table(whole[0] / "folder"))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_campaign_killed_at_twenty_moments_ends_with_the_same_table(whole, tmp_path):
    plans.written(tmp_path)
    draw = random.Random(20)  # noqa: S311 - no secret
    for _ in range(20):
        process = subprocess.Popen(
            [*RIG, *words("killed", "--quiet")], cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        try:
            process.wait(draw.uniform(0, KILLED_S))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    _finished(tmp_path, table(whole[0] / "folder"))
