# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign that is made again and again: when, where, and how it goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rig.campaign.index import RunState, load_index
from rig.campaign.repetition import folder_at, folders_of, next_due, repetition_of
from rig.cli.main import main
from rig.cli.repeated import repeat
from rig.errors import BenchError, InputError
from tests.campaign import plans
from tests.campaign.test_run import words
from tests.cli.command import rig

FIRST = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
ONE_RUN = '[campaign]\nname = "small"\ncount = 20\n[[measure]]\nplan = "interrupt"\n'


@pytest.mark.parametrize(
    ("hours", "due_hour", "left_out"),
    [(1, 12, 0), (11.9, 12, 0), (12, 12, 0), (13, 12, 0), (23.9, 12, 0), (24, 24, 1), (61, 60, 4)],
)
def test_times_are_an_interval_apart_from_the_first_on(tmp_path, hours, due_hour, left_out):
    folders = [folder_at(tmp_path, FIRST)]
    found = next_due(folders, 12 * 3600, FIRST + timedelta(hours=hours))
    assert found == (FIRST + timedelta(hours=due_hour), left_out)


def test_without_an_interval_the_next_is_due_now(tmp_path):
    now = FIRST + timedelta(hours=5, milliseconds=3)
    assert next_due([folder_at(tmp_path, FIRST)], 0, now) == (FIRST + timedelta(hours=5), 0)
    assert next_due([], 3600, now) == (FIRST + timedelta(hours=5), 0)


@pytest.mark.parametrize(
    ("count", "every", "what"),
    [
        (0, None, "--repeat: 0 is out of range; valid: 1 to 100000"),
        (2, "12", '--every: "12" is not a number and a unit; valid: such as 12 h'),
        (2, "3 ms", '--every: "ms" is not a unit of interval; valid: such as 12 h'),
        (2, "400 d", "--every: 400 d is out of range; valid: 1 s to 366 d"),
    ],
)
def test_what_makes_no_sense_is_refused(count, every, what):
    with pytest.raises(InputError) as error:
        repetition_of(count, every)
    assert str(error.value) == what


def test_each_time_has_a_folder_and_the_same_command_goes_on(tmp_path):
    """One that was left is made first, then a second one; a third is none of them."""
    plans.written(tmp_path, ONE_RUN)
    ended = rig(*words("often", "--repeat", 1), folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    (first,) = folders_of(tmp_path / "often")
    stored = (first / "campaign.json").read_text()
    (first / "campaign.json").write_text(stored.replace('"done"', '"planned"'))
    ended = rig(*words("often", "--repeat", 2, "--every", "1s"), folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    folders = folders_of(tmp_path / "often")
    assert len(folders) == 2
    assert folders[0] == first
    assert sorted(path.name for path in first.glob("*.h5")) == [
        "interrupt-idle-2.h5",
        "interrupt-idle.h5",
    ]
    assert all(load_index(each).state_count(RunState.DONE) == 1 for each in folders)
    files = [str(path) for path in sorted((tmp_path / "often").glob("*/interrupt-idle.h5"))]
    ended = rig("table", *files, "--history", "-o", "history.html", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    ended = rig(*words("often"), folder=tmp_path)
    assert ended.returncode == 2
    assert "campaigns that are repeated" in ended.stderr


def test_a_bench_that_is_away_is_tried_again_at_the_next_time(tmp_path, capsys):
    tries: list[Path] = []

    def away(folder: Path) -> int:
        tries.append(folder)
        if len(tries) == 3:
            return 130
        raise BenchError("no agent answered")

    repetition = repetition_of(5, "1 s")
    assert repetition is not None
    assert repeat(tmp_path, repetition, away) == 130
    assert len(set(tries)) == 3
    assert capsys.readouterr().err.count("rig: no agent answered") == 2
    at_once = repetition_of(5, None)
    assert at_once is not None
    del tries[:]
    assert repeat(tmp_path, at_once, away) == BenchError.exit_code
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("--repeat", "2", "--json"), "--json: not with --repeat and --every"),
        (("--every", "1h", "--junit", "x.xml"), "--junit: not with --repeat and --every"),
    ],
)
def test_one_document_of_many_campaigns_there_is_none(more, what, capsys):
    assert main(["run", "quick", "--fixture", "virtual", *more]) == 2
    assert what in capsys.readouterr().err


def test_a_plan_is_not_repeated(capsys):
    assert main(["run", "interrupt", "--fixture", "virtual", "--repeat", "2"]) == 2
    assert "--repeat: interrupt is no campaign" in capsys.readouterr().err
