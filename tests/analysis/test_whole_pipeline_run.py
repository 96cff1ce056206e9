# SPDX-License-Identifier: GPL-3.0-or-later
"""The same through `rig run`: real firmware, libsigrok, a run file."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import EventClass
from rig.measurements.evaluate import evaluate
from rig.measurements.stored_settings import account_from_json, settings_from_json
from rig.record.reader import RunFile
from rig.virtual.truth import load_truth
from tests.analysis.lies import LIES
from tests.analysis.whole_bench import ArrayRun, Clocks
from tests.cli.command import RIG
from tests.stored_events import events_of
from tests.truth.bench import expected_classes
from tests.virtual_bench import virtual_fixture

RATE_PPM = 0.01

PLAN = """
[plan]
name = "whole"
title = "Whole pipeline"
measurement = "interrupt"
scenario = "idle"
[stimulus]
pattern = "uniform"
interval_min = "0.2 ms"
interval_max = "0.6 ms"
count = {count}
seed = {seed}
pulse_width = "10 us"
polarity = "positive"
delay = "1 ms"
[capture]
resolution = "50 ns"
glitch_filter = "200 ns"
[response]
timeout = "5 ms"
[limits]
missed = "any"
late = "any"
merged = "any"
duplicate = "any"
"""
VIRTUAL = """\
[virtual.target]
model = "mixture"
mean = "6 us"
deviation = "0.5 us"
minimum = "4 us"
outlier_probability = 0.01
outlier_latency = "60 us"
seed = {seed}
toggle_time = "50 ns"
clock = "2.8 GHz"
clock_error_ppb = {error[2]}
clock_drift_ppb_per_s = {drift[2]}
[virtual.misbehave]
miss = {probability}
duplicate = {probability}
duplicate_after = "40 us"
glitch = {probability}
glitch_width = "120 ns"
merge = {probability}
merge_mask = "800 us"
[virtual.clocks]
stimulus_error_ppb = {error[0]}
stimulus_drift_ppb_per_s = {drift[0]}
analyzer_error_ppb = {error[1]}
analyzer_drift_ppb_per_s = {drift[1]}
"""


@dataclass(frozen=True)
class Finished:
    """A run file, what `rig run` printed of it, and what was true."""

    path: Path
    document: dict[str, Any]
    truth: Any
    facts: dict[str, Any]
    clocks: Clocks

    @property
    def rate_ppm(self) -> float:
        """True mean rate from the first answer to the last."""
        answers = self.truth["response_ps"][self.truth["response_ps"] >= 0]
        first, last = int(answers[0]), int(answers[-1])
        return self.clocks.rate_ppm(first, last, self.facts["capture_origin_ps"])


def measure(folder: Path, seed: int, count: int, probability: float) -> Finished:
    """`rig run` on the virtual bench."""
    clocks = Clocks.drawn(seed)
    words = {"seed": seed, "count": count, "probability": probability}
    (folder / "plan.toml").write_text(PLAN.format(**words))
    clock_words = {"error": clocks.error_ppb, "drift": clocks.drift_ppb_per_s}
    (folder / "fixture.toml").write_text(
        virtual_fixture("whole", VIRTUAL.format(**words, **clock_words))
    )
    command = [*RIG, "run", "plan.toml", "--fixture", "fixture.toml", "--out", "run.h5", "--json"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    return Finished(
        folder / "run.h5", json.loads(ended.stdout), *load_truth(folder / "truth.bin"), clocks
    )


def check(run: Finished) -> None:
    """Every event by its sample and class, every witness, and the clock.

    A stimulus may come while its interrupt is just taken, so that two readings are possible.
    """
    events = events_of(run.path)
    decided = events["status"] != EventClass.AMBIGUOUS
    assert (~decided).sum() == run.document["counts"]["ambiguous"] <= len(decided) // 100_000
    assert run.document["verdict"] == ("pass" if decided.all() else "inconclusive")
    assert len(run.document["reasons"]) == (not decided.all())
    assert (events["status"] == expected_classes(run.truth))[decided].all()
    served = decided & (run.truth["response_ps"] >= 0)
    analyzer, origin_ps = run.clocks.analyzer, run.facts["capture_origin_ps"]
    for name in ("stimulus", "response"):
        true_ps = run.truth[f"{name}_ps"][served].tolist()
        samples = [analyzer.ticks_at_or_after(time_ps - origin_ps) for time_ps in true_ps]
        assert events[f"{name}_sample"][served].tolist() == samples
    counts = run.document["counts"]
    assert counts["duplicate"] == run.truth["duplicates"].sum()
    assert counts["glitches"] == run.truth["glitches"].sum()
    assert counts["spurious"] == 0


def tell_lies(run: Finished, places: list[int]) -> None:
    """Each lie, at each of these answers, is found and named."""
    with RunFile(run.path) as file:
        settings = settings_from_json(file.path, file.settings)
        account = account_from_json(file.path, file.report)
        raw = ArrayRun.of(file)
    for kind, lie in LIES.items():
        for turn, number in enumerate(places):
            told = lie(raw, number, 1 - 2 * (turn % 2))
            found = evaluate(told.raw, settings, account)
            assert found.verdict is Verdict.INCONSISTENT, (kind, number)
            reasons = "; ".join(found.reasons)
            assert all(words in reasons for words in told.named), (told.named, reasons)


def test_two_thousand_events(tmp_path: Path) -> None:
    run = measure(tmp_path, seed=7, count=2_000, probability=6e-3)
    kinds = np.bincount(expected_classes(run.truth), minlength=4)
    assert min(kinds[0], kinds[2], kinds[3]) > 0
    assert min(run.truth["duplicates"].sum(), run.truth["glitches"].sum()) > 0
    check(run)
    tell_lies(run, [0, 1_234])


@pytest.mark.truth
def test_a_million_events(tmp_path: Path) -> None:
    run = measure(tmp_path, seed=8, count=1_000_000, probability=1e-4)
    check(run)
    clock = run.document["clock_agreement"]
    assert clock["n"] == clock["of"] > 999_000
    assert clock["rate_ppm"] == pytest.approx(run.rate_ppm, abs=RATE_PPM)
    tell_lies(run, [543_210])
