# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign on a real kernel: the same measurement idle and under a load that the agent starts."""

from __future__ import annotations

import json

import pytest

from rig.campaign.index import RunState, load_index
from rig.cli.main import main
from rig.record.reader import RunFile
from rig.resources import find_fixture

CAMPAIGN = """
[campaign]
name = "loads"
scenarios = ["idle", "cpu", "rt-tasks", "forks"]
count = 20
[[measure]]
plan = "interrupt-to-task"
"""
WORKERS = {"idle": None, "cpu": 4, "rt-tasks": 15, "forks": 1}
OWN = """
[scenarios.forks]
command = ["stress-ng", "--quiet", "--fork", "1"]
busy_min = 0.3
"""
"""A command of the fixture's own: the agent of a guest runs it."""


@pytest.mark.guest
@pytest.mark.timeout(600)
def test_loads_run_and_are_told(tmp_path):
    (tmp_path / "loads.toml").write_text(CAMPAIGN)
    own = f"{find_fixture('qemu-debian').read_text()}\n{OWN}"
    (tmp_path / "bench.toml").write_text(own)
    words = [
        str(tmp_path / "loads.toml"),
        "--fixture",
        str(tmp_path / "bench.toml"),
        "-o",
        str(tmp_path / "f"),
    ]
    main(["run", *words])
    index = load_index(tmp_path / "f")
    assert {e.name: (e.state, e.reason) for e in index.entries} == {
        f"interrupt-to-task-{load}": (RunState.DONE, "") for load in WORKERS
    }
    for load, workers in WORKERS.items():
        with RunFile(tmp_path / "f" / f"interrupt-to-task-{load}.h5") as file:
            told = json.loads(file.text("environment/target")).get("scenario")
            report = file.report
        assert report.get("load_workers") == workers
        assert len(report.get("load_tasks", ())) == (15 if load == "rt-tasks" else 0)
        assert (told is None) == (workers is None)
        if told is not None:
            assert told["workers"] == workers
            # How much of its processors a guest gets depends on what else the host does.
            assert told["busy before"] < 0.3
            assert told["busy under load"] > told["busy before"] + 0.1
