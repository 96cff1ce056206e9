# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig selftest`: the first-day protocol leaves one archive, on a sound bench and on a dead one."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from rig.cli.main import main
from rig.services.selftest import TRIALS
from tests.cli.command import rig

DEAD = """
[fixture]
name = "dead"
title = "A bench that is not there"
[analyzer]
driver = "beaglelogic"
connection = "tcp-raw/127.0.0.1/9"
sample_rate = "20 MHz"
channels = 8
[stimulus]
port = "/dev/no-such-port"
chip = "atmega328p"
[target]
link = "tcp:127.0.0.1:9"
[[wire]]
signal = "stimulus"
channel = "D0"
stimulus_pin = "D9"
[[wire]]
signal = "response"
channel = "D1"
stimulus_pin = "D8"
"""


@pytest.mark.timeout(150)
def test_a_sound_bench_passes_and_everything_is_in_the_archive(tmp_path: Path) -> None:
    done = rig("selftest", "--fixture", "virtual", "--save", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        names = set(archive.getnames())
        summary = archive.extractfile("out/summary.txt").read().decode()
    assert summary in done.stdout.replace(done.stdout.partition("archive:")[2], "")
    for trial in TRIALS:
        assert {f"out/{trial.plan}.h5", f"out/{trial.plan}.html"} <= names
        assert f"PASS          {trial.plan}, {trial.count:,} events" in summary


def test_a_dead_bench_is_told_step_by_step(tmp_path: Path) -> None:
    (tmp_path / "dead.toml").write_text(DEAD)
    words = ("selftest", "--fixture", "./dead.toml", "--save", "out")
    done = rig(*words, folder=tmp_path)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    summary = (tmp_path / "out" / "summary.txt").read_text()
    assert "MISSING  stimulus  cannot be looked at" in summary
    assert summary.count("\nFAILED ") == len(TRIALS)
    assert (tmp_path / "out.tar.gz").is_file()
    again = rig(*words, folder=tmp_path)
    assert again.returncode == 2
    assert again.stderr == "rig: out: exists already and is not overwritten; name another folder\n"


@pytest.mark.parametrize("full", ["fixture.toml", "summary.txt"])
def test_a_full_disk_is_one_line_that_names_the_file(
    full: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    made = Path.mkdir

    def make(folder: Path, *args, **kwargs) -> None:
        made(folder, *args, **kwargs)
        if folder == tmp_path / "day":
            (folder / full).symlink_to("/dev/full")

    monkeypatch.setattr(Path, "mkdir", make)
    assert main(["selftest", "--fixture", "virtual", "--save", str(tmp_path / "day")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"{full}: cannot be written (No space left on device); make room, or "
                         "name another folder")  # fmt: skip
