# SPDX-License-Identifier: GPL-3.0-or-later
"""A serial line to the stimulus that loses and damages bytes, through `rig run`, real firmware."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rig.virtual.truth import load_truth
from tests.cli.command import rig
from tests.stored_events import events_of
from tests.truth.bench import Case, fixture_text, plan_text


def run(folder: Path, seed: int, count: int, faults: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a run with such a line."""
    case = Case(seed, "gamma", "uniform", 24, count=count)
    (folder / "plan.toml").write_text(plan_text(case))
    fixture = fixture_text(case, folder / "truth.bin") + f"[virtual.serial]\n{faults}"
    (folder / "fixture.toml").write_text(fixture)
    words = ("--fixture", folder / "fixture.toml", "--out", folder / "run.h5", "--json")
    ended = rig("run", folder / "plan.toml", *words)
    return ended.returncode, ended.stdout, ended.stderr


def check_figures(folder: Path, count: int) -> None:
    """Every latency is the true one, to two samples."""
    true, _ = load_truth(folder / "truth.bin")
    stored = events_of(folder / "run.h5")
    assert len(stored["status"]) == len(true) == count
    latency_ns = (stored["response_sample"] - stored["stimulus_sample"]) * 1e3 / 24
    true_ns = (true["response_ps"] - true["stimulus_ps"]) / 1e3
    assert np.abs(latency_ns - true_ns).max() <= 2e3 / 24


@pytest.mark.parametrize(
    ("seed", "faults"),
    [
        (1, "lose = 4e-4"),
        (2, "damage = 4e-4"),
        *(
            pytest.param(seed, "lose = 3e-4\ndamage = 3e-4", marks=pytest.mark.slow)
            for seed in range(3, 6)
        ),
    ],
)
def test_damaged_replies_cost_nothing_and_are_named(tmp_path, seed, faults):
    count = 1000
    code, said, complaint = run(tmp_path, seed, count, faults)
    assert code == 0, complaint
    document = json.loads(said)
    texts = {witness["name"]: witness["text"] for witness in document["witnesses"]}
    found = re.search(r"(\d+) repl(y|ies) damaged", texts["answers by input capture"])
    assert found is not None
    assert int(found[1]) >= 1
    check_figures(tmp_path, count)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 3))
def test_a_line_that_is_hopeless_never_passes_with_a_wrong_figure(tmp_path, seed):
    code, _, complaint = run(tmp_path, seed, 300, "lose = 2e-3\ndamage = 2e-3")
    if code == 0:
        check_figures(tmp_path, 300)
    else:
        assert complaint.strip()
        assert "Traceback" not in complaint
