# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures without the values above a threshold stand beside those of all values."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from rig.analysis.measurements.without_above import without_above
from rig.cli.main import main
from rig.measurements.evaluate import evaluate
from tests.golden.runs import unpacked
from tests.measure.inside_runs import known_run


@pytest.mark.parametrize("threshold_ns", [0.0, 999.0, 1000.0, 1500.0, 2e9])
def test_it_is_what_numpy_makes_of_the_rest(threshold_ns):
    values = np.random.default_rng(1).integers(500, 3000, (300, 3))
    values[0] = 1000
    known = known_run("preemption", "semaphore", values)
    found = without_above(
        evaluate(known.raw, known.settings, known.account).measurands, threshold_ns
    )
    assert found.threshold_ns == threshold_ns
    for part, each in enumerate(found.measurands):
        rest = values[:, part][values[:, part] <= threshold_ns]
        assert each.above == len(values) - len(rest)
        assert each.statistics.n == len(rest)
        if len(rest):
            assert each.statistics.average_ns == pytest.approx(rest.mean())
            assert each.statistics.deviation_ns == pytest.approx(rest.std())
            assert each.statistics.max_ns == rest.max()


def test_all_values_are_shown_as_before(tmp_path, capsys):
    run = str(unpacked("preemption", tmp_path))
    assert main(["show", run, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main(["show", run, "--json", "--without-above", "4us"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert plain.pop("without_above") is None
    beside = both.pop("without_above")
    assert both == plain
    assert beside["threshold_ns"] == 4000
    for all_values, rest in zip(plain["measurands"], beside["measurands"], strict=True):
        assert rest["name"] == all_values["name"]
        assert rest["above"] + rest["statistics"]["n"] == all_values["statistics"]["n"]
        assert rest["statistics"]["max_ns"] <= 4000 < all_values["statistics"]["max_ns"]
    assert main(["show", run, "--without-above", "4us"]) == 0
    text = capsys.readouterr().out
    assert "and without those above 4.000" in text
    n, above = beside["measurands"][0]["statistics"]["n"], beside["measurands"][0]["above"]
    assert re.search(rf"latency, without +{n} +{above} ", text)


def test_what_is_no_time_is_refused(capsys):
    assert main(["show", "x.h5", "--without-above", "25"]) == 2
    assert "is not a number and a unit" in capsys.readouterr().err
