# SPDX-License-Identifier: GPL-3.0-or-later
"""Periods from plan to report on the virtual bench, whose every wake-up is known."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rig.record.reader import RunFile
from rig.resources import find_fixture
from rig.virtual.truth import load_truth
from tests.cli.command import RIG, rig

MISBEHAVIOR = """
[virtual.misbehave]
miss = 0.02
late = 0.02
late_by = "1.2 ms"
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """The virtual bench with a target that misses periods and is late, and tells the truth."""
    text = find_fixture("virtual").read_text()
    text = text.replace("[virtual.clocks]", f"{MISBEHAVIOR}\n[virtual.clocks]")
    path = tmp_path / "bench.toml"
    path.write_text(f'{text}\n[virtual]\ntruth_file = "{tmp_path}/truth"\n')
    return path


def test_every_period_is_what_it_was(bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    words = ["run", "period", "--fixture", bench, "--period", "1 ms", "--count", 500, "--out", out]
    ended = rig(*words, "--json")
    assert ended.returncode == 1, ended.stderr
    told = json.loads(ended.stdout)
    truth, _ = load_truth(tmp_path / "truth")
    assert len(truth) == told["planned"] == 500
    counts = told["counts"]
    missed = truth["response_ps"] < 0
    latency_ps = truth["response_ps"] - truth["stimulus_ps"]
    late = ~missed & (latency_ps >= 1_000_000_000)
    assert missed.sum() > late.sum() > 2
    assert (counts["n"], counts["missed"], counts["late"]) == (500, missed.sum(), late.sum())
    # The target's clock is 12 ppm slow, and so are its periods; the grid's place is unknown.
    pins, ticks = told["details"]["pins"], told["details"]["ticks"]
    assert pins["rate_ppm"] == pytest.approx(12, abs=1)
    assert ticks["rate_ppm"] == pytest.approx(0, abs=1)
    latency_ns = latency_ps[~missed] / 1000
    for side in (pins, ticks):
        assert side["latency"]["deviation_ns"] == pytest.approx(latency_ns.std(), rel=0.001)
        assert side["latency"]["gap_ns"] == pytest.approx(np.ptp(latency_ns), abs=800)
    with RunFile(out) as file:
        events = file.events(0, file.event_count)
    assert ((events["status"] == 2) == missed).all()
    assert ((events["status"] == 1) == late).all()


def test_the_report_says_what_was_measured(tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    ended = rig("run", "period", "--fixture", "virtual", "--count", 200, "--out", out)
    assert ended.returncode == 0, ended.stderr
    for line in (
        "Period accuracy, scenario idle",
        "  periods     200 of 10 ms, by the target's own clock",
        "interval error by ticks  199",
        "latency by pin           200",
        "periods 200  answered 200  late 0  missed 0",
        "  agree       periods elapsed: as many by the analyzer's clock as the target counted",
    ):
        assert line in ended.stdout
    assert "200/200 periods answered" in ended.stderr
    again = rig("analyze", out, "--json")
    assert "the same figures as stored" in again.stderr
    replayed = ["run", "period", "--fixture", f"replay:{out}", "--out", tmp_path / "again.h5"]
    assert rig(*replayed, "--count", 200, "--json").returncode == 0
    other = rig(*replayed[:-1], tmp_path / "other.h5", "--count", 100)
    assert other.returncode == 3
    assert "was made with other periods; give the plan, --count and --period" in other.stderr


def test_a_model_has_no_task_to_interrupt(tmp_path: Path) -> None:
    ended = rig("run", "interrupt-dispatch", "--fixture", "virtual", "--out", tmp_path / "run.h5")
    assert ended.returncode == 6
    assert "CHECK refused: measurement must be interrupt or interrupt_to_task or" in ended.stderr


def test_interrupted_it_keeps_what_it_has(tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    words = ["run", "period", "--fixture", "virtual", "--count", "1000000", "--out", str(out)]
    with subprocess.Popen([*RIG, *words], stdout=-1, stderr=-1, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("measuring"):
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    told = json.loads(rig("show", out, "--json").stdout)
    assert told["verdict"] == "inconclusive"
    assert told["reasons"][0].startswith("interrupted by the user after ")
    assert told["counts"]["n"] < 1_000_000
    assert told["counts"]["missed"] == 0
