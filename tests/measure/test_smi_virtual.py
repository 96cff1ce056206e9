# SPDX-License-Identifier: GPL-3.0-or-later
"""On the virtual bench: the gaps reported of a spinning task are those it was held up by."""

from __future__ import annotations

import json
import re
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rig.bench.open import open_bench
from rig.bench.replay import open_replay
from rig.config.fixture import Fixture, parse_fixture
from rig.config.plan import Plan, load_plan, parse_plan
from rig.report.page import page
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, document, evaluation_text, store
from rig.session.run import run
from rig.virtual.truth import load_truth

COUNT = 6000
THRESHOLD_NS = 50_000
MODEL = """
model = "mixture"               # held up now and then
mean = "1 us"
deviation = "100 ns"
minimum = "0 ns"
outlier_probability = 0.01
outlier_latency = "200 us"
"""


def plan() -> Plan:
    return load_plan("smi").with_overrides(count=COUNT)


def measured(
    fixture: Fixture, out: Path, opener: object = open_bench, asked: Plan | None = None
) -> Result:
    failure = run(asked or plan(), fixture, out, lambda _live: None, threading.Event(), opener)
    assert failure is None, failure
    return store(out)


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> tuple[Result, np.ndarray, Fixture]:
    folder = tmp_path_factory.mktemp("smi")
    truth = folder / "truth.bin"
    text = find_fixture("virtual").read_text(encoding="utf-8")
    text = re.sub(r'model = "gamma".*\nminimum = .*\nscale = .*\nshape = .*\n', MODEL, text)
    text = text.replace("[virtual.target]", f'[virtual]\ntruth_file = "{truth}"\n[virtual.target]')
    fixture = parse_fixture(text, "virtual")
    return measured(fixture, folder / "run.h5"), load_truth(truth)[0], fixture


def test_every_gap_that_was_made_is_found_with_its_length(result):
    found, truth, _ = result
    assert found.exit_code == 0, found.evaluation.reasons
    assert len(truth) == COUNT
    true_ns = (truth["response_ps"] - truth["stimulus_ps"])[1:] / 1000
    sample_ns = 1e9 / found.settings.sample_rate_hz
    near = np.abs(true_ns - THRESHOLD_NS) <= 2 * sample_ns
    assert not near.any(), "choose another seed: whether these are gaps is open"
    gaps = np.flatnonzero(true_ns > THRESHOLD_NS) + 2
    assert len(gaps) > 20
    spin = found.evaluation.details
    assert spin.gaps == spin.gaps_by_log == spin.gaps_by_both == len(gaps)
    listed = {gap.number: gap for gap in spin.listed}
    longest = gaps[np.argsort(-true_ns[gaps - 2])[: len(listed)]]
    assert set(listed) == set(longest.tolist())
    for number, gap in listed.items():
        length_ns = true_ns[number - 2]
        assert abs(gap.pins_ns - length_ns) <= sample_ns + 1e-4 * length_ns
        assert gap.lowest_ns - 10 <= length_ns <= gap.highest_ns + 10


@pytest.mark.parametrize(
    ("key", "ended_by"), [("gaps = 7", "gaps"), ('duration = "1 ms"', "duration")]
)
def test_it_ends_after_so_many_gaps_or_so_long(result, tmp_path, key, ended_by):
    text = find_plan("smi").read_text(encoding="utf-8").replace("[agent]\n", f"[agent]\n{key}\n")
    found = measured(result[2], tmp_path / "run.h5", asked=parse_plan(text, "plan.toml"))
    evaluation = found.evaluation
    assert found.exit_code == 0, evaluation.reasons
    assert evaluation.details.ended_by == ended_by
    assert "stops at sample" not in page(found)
    assert evaluation.counts.n == evaluation.details.toggles < 1_000_000
    assert evaluation.details.gaps == 7 or ended_by == "duration"
    if ended_by == "duration":
        assert 0.9999e-3 <= evaluation.duration_s < 3e-3  # by another clock than the target's


def test_the_clocks_are_fitted_to_the_toggles_that_were_logged(result):
    seen = {witness.name: witness for witness in result[0].evaluation.witnesses}
    assert all(witness.agrees for witness in seen.values())
    assert seen["toggles"].text == f"analyzer {COUNT}, target {COUNT}"
    assert result[0].account.log_dropped == 0


def test_a_model_has_no_tools_and_says_so(result):
    (tool,) = document(result[0])["tools"]
    assert tool["tool"] == "hwlat"
    assert tool["reason"] == "the target's agent starts no tools"
    assert "starts no tools" in page(result[0])


def test_a_replayed_run_gives_the_same(result, tmp_path):
    found, _, fixture = result
    again = measured(fixture, tmp_path / "again.h5", partial(open_replay, found.path))
    assert evaluation_text(again.evaluation) == evaluation_text(found.evaluation)
    assert json.dumps(document(again)["tools"]) == json.dumps(document(found)["tools"])
