# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples that the virtual analyzer drops without a word, through `rig run`: all are reported."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rig.virtual.truth import load_truth
from tests.cli.command import rig
from tests.stored_events import events_of
from tests.truth.bench import PATTERNS, TICK_PS, Case, fixture_text, plan_text

DROPS = {
    "short": "drop = 0.06\ndrop_length = '2 us'",
    "medium": "drop = 0.06\ndrop_length = '95 us'",
    "long": "drop = 0.04\ndrop_length = '2300 us'",
}
COUNT = 300
REPEATING = ("periodic", "burst")
IN_CI = {("periodic", "short"), ("uniform", "medium")}
"""The others take a minute and a half together."""


def run(
    case: Case, drops: str, folder: Path, latency_us: int = 6
) -> tuple[int, dict[str, Any], Any, list[Any]]:
    """Exit code, what `--json` printed, the true events, and the true drops."""
    truth, out = folder / "truth.bin", folder / "run.h5"
    (folder / "plan.toml").write_text(plan_text(case))
    text = fixture_text(case, truth).replace("[virtual.misbehave]", f"[virtual.misbehave]\n{drops}")
    text = text.replace('latency = "6 us"', f'latency = "{latency_us} us"')
    (folder / "fixture.toml").write_text(text)
    words = ("--fixture", folder / "fixture.toml", "--out", out, "--json")
    ended = rig("run", folder / "plan.toml", *words)
    assert ended.stdout, ended.stderr
    events, facts = load_truth(truth)
    return ended.returncode, json.loads(ended.stdout), events, facts["drops"]


def visible(drops: list[Any], out: Path) -> list[Any]:
    """Those before the last stimulus edge that was received; of the others nothing can tell."""
    last = int(events_of(out)["stimulus_sample"][-1])
    return [drop for drop in drops if drop["sample"] <= last]


def check_gaps(gaps: list[Any], drops: list[Any]) -> None:
    """Each drop lies in a gap, and each gap is as long as the drops in it."""
    found = 0
    for gap in gaps:
        inside = [d for d in drops if gap["first_sample"] <= d["sample"] <= gap["last_sample"]]
        found += len(inside)
        true = sum(drop["samples"] for drop in inside)
        assert abs(gap["missing_samples"] - true) <= gap["tolerance_samples"] * len(inside), gap
    assert found == len(drops)


@pytest.mark.parametrize(
    ("pattern", "length"),
    # Several holes longer than the period of a train that repeats itself: see below.
    [
        pytest.param(*pair, marks=() if pair in IN_CI else pytest.mark.slow)
        for pair in product(PATTERNS, DROPS)
        if pair not in product(REPEATING, ["long"])
    ],
)
def test_every_drop_is_reported_with_its_place(pattern, length, tmp_path):
    seed = 17 + list(PATTERNS).index(pattern)
    case = Case(seed, "gamma", pattern, (24, 100)[seed % 2], count=COUNT)
    code, document, events, drops = run(case, DROPS[length], tmp_path)
    assert len(events) == COUNT
    assert len(drops) >= 4
    assert (code, document["verdict"]) == (4, "incomplete")
    drops = visible(drops, tmp_path / "run.h5")
    gaps = [gap for gap in document["gaps"] if gap["missing_samples"] is not None]
    check_gaps(gaps, drops)
    reasons = [text for text in document["reasons"] if text.startswith("sequence gap at sample")]
    assert len(reasons) == len(document["gaps"])
    check_planned(tmp_path / "run.h5", events, length)
    if length == "medium":
        again = rig("analyze", tmp_path / "run.h5", "--json")
        assert "the same figures as stored" in again.stderr
        assert json.loads(again.stdout)["gaps"] == document["gaps"]


def check_planned(out: Path, events: Any, length: str) -> None:
    """Planned times are those of true stimuli; most events have one even so."""
    planned = events_of(out)["planned_ticks"]
    known = planned[planned >= 0]
    true_ticks = np.round((events["stimulus_ps"] - events["stimulus_ps"][0]) / TICK_PS)
    assert np.isin(known - known[0], true_ticks).all()
    assert (np.diff(known) > 0).all()
    assert len(known) >= 0.9 * len(planned)
    if length == "short":
        assert len(planned) >= COUNT - 2


def test_the_same_bench_without_drops_reports_none(tmp_path):
    case = Case(17, "gamma", "uniform", 100, count=COUNT)
    code, document, _, drops = run(case, "", tmp_path)
    assert (code, document["verdict"], document["gaps"], drops) == (0, "pass", [], [])


def test_events_that_straddle_a_gap_are_named(tmp_path):
    """A target so slow that many holes lie between stimulus and answer."""
    case = Case(23, "constant", "uniform", 24, count=100)
    drops_text = "drop = 0.2\ndrop_length = '20 us'"
    code, document, events, drops = run(case, drops_text, tmp_path, latency_us=150)
    assert code == 4
    assert document["counts"]["n"] == case.count  # so event numbers are those of the truth file
    lists = re.findall(r"the latency of events? ([0-9, ]+)", " ".join(document["reasons"]))
    named = {int(number) for numbers in lists for number in numbers.replace(",", " ").split()}
    times_ps = zip(events["stimulus_ps"].tolist(), events["response_ps"].tolist(), strict=True)
    straddling = {
        number
        for number, (stimulus_ps, response_ps) in enumerate(times_ps)
        if any(stimulus_ps < drop["time_ps"] < response_ps for drop in drops)
    }
    assert len(straddling) >= 3
    assert straddling <= named
    assert len(named) < case.count // 2


def test_holes_of_whole_periods_show_in_the_count(tmp_path):
    """Which samples are missing cannot be told then; that some are, is."""
    case = Case(29, "gamma", "periodic", 24, count=COUNT)
    code, document, _, drops = run(case, DROPS["long"], tmp_path)
    assert (code, document["verdict"]) == (4, "incomplete")
    total = sum(gap["missing_samples"] for gap in document["gaps"])
    true = sum(drop["samples"] for drop in visible(drops, tmp_path / "run.h5"))
    assert abs(total - true) <= 4 * len(drops)
    assert not document["gaps"][0]["placed"]
    assert "whole periods of the train" in document["reasons"][0]
