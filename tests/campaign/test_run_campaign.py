# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of each run: done, failed, skipped, half; and what is made again."""

from __future__ import annotations

import threading

from rig.campaign.folder import opened
from rig.campaign.index import RunState, load_index
from rig.campaign.matrix import cells_of
from rig.campaign.plan import load_campaign
from rig.config.fixture import load_fixture
from rig.errors import BenchError, RefusedError
from rig.services.campaign import run_campaign
from rig.services.series import RunOutcome
from tests.campaign import plans

SKIPPED = {"interrupt-cpu": "no load", "telepathy-idle": "not available"}


class Bench:
    """Makes runs as files with their number, and fails as told."""

    def __init__(self, **outcomes):
        self.outcomes = outcomes
        self.made = []
        self.stop = threading.Event()

    def make(self, cell, path):
        outcome = self.outcomes.get(cell.name.replace("-", "_"), RunOutcome("pass", 0))
        assert not path.exists()
        self.made.append(path.name)
        path.write_text(str(len(self.made)))
        if outcome == "stop":
            self.stop.set()
            return RunOutcome("inconclusive", 130)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def run(tmp_path, bench, skipped=SKIPPED):
    campaign = load_campaign(plans.written(tmp_path))
    cells = cells_of(campaign)
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    index = opened(folder, campaign, cells, load_fixture("virtual"))
    told = []
    end = run_campaign(
        folder, index, cells, skipped, bench.make, lambda _, e: told.append((e.name, e.state)),
        bench.stop,
    )  # fmt: skip
    assert load_index(folder) == end
    return {entry.name: entry for entry in end.entries}, told


def test_all_that_can_be_made_is_made_in_order(tmp_path):
    bench = Bench()
    found, told = run(tmp_path, bench)
    assert bench.made == [f"{name}.h5" for name in plans.MADE]
    assert {found[name].state for name in plans.MADE} == {RunState.DONE}
    assert (found["telepathy-idle"].state, found["telepathy-idle"].reason) == (
        RunState.SKIPPED, "not available",
    )  # fmt: skip
    assert told[:3] == [
        ("interrupt-idle", RunState.RUNNING), ("interrupt-idle", RunState.DONE),
        ("interrupt-cpu", RunState.SKIPPED),
    ]  # fmt: skip
    again = Bench()
    run(tmp_path, again)
    assert again.made == []


def test_a_failed_run_has_its_reason_and_is_tried_again_later(tmp_path):
    bench = Bench(
        interrupt_idle=RunOutcome(failure="the analyzer was unplugged"),
        period_500us_idle=RefusedError("target tcp: ARM refused: no timer"),
        period_2ms_idle=BenchError("no port"),
    )
    found, _ = run(tmp_path, bench)
    assert [(found[n].state, found[n].reason) for n in plans.MADE] == [
        (RunState.FAILED, "the analyzer was unplugged"),
        (RunState.REFUSED, "target tcp: ARM refused: no timer"),
        (RunState.FAILED, "no port"),
    ]
    again = Bench()
    found, _ = run(tmp_path, again)
    assert again.made == [f"{name}-2.h5" for name in plans.MADE]
    assert {found[name].state for name in plans.MADE} == {RunState.DONE}
    assert found["interrupt-idle"].partial_files == ("interrupt-idle.h5",)
    assert [row.subject for row in found["interrupt-idle"].rows] == ["interrupt"]
    assert found["interrupt-idle"].reason == ""
    assert (tmp_path / "folder" / "interrupt-idle.h5").read_text() == "1"


def test_a_stopped_campaign_goes_on_with_the_half_run_under_a_new_name(tmp_path):
    found, _ = run(tmp_path, Bench(period_500us_idle="stop"))
    assert [found[name].state for name in plans.NAMES] == [
        RunState.DONE, RunState.SKIPPED, RunState.RUNNING, RunState.PLANNED, RunState.PLANNED,
    ]  # fmt: skip
    again = Bench()
    found, _ = run(tmp_path, again)
    assert again.made == ["period-500us-idle-2.h5", "period-2ms-idle.h5"]
    assert found["period-500us-idle"].partial_files == ("period-500us-idle.h5",)


def test_a_done_run_whose_file_is_gone_is_made_again(tmp_path):
    run(tmp_path, Bench())
    (tmp_path / "folder" / "interrupt-idle.h5").unlink()
    again = Bench()
    run(tmp_path, again)
    assert again.made == ["interrupt-idle.h5"]
