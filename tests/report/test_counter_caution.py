# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose calibration says that the target's counter goes with the frequency says so."""

from __future__ import annotations

import json

import pytest

from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.report.calibration_brief import calibration_state
from rig.report.calibration_facts import calibration_facts
from rig.session.calibration import calibration_warnings
from rig.session.results import read
from tests.calibration.skewed import MADE, measure, records, text


def counter(ppm: float, u_ppm: float = 0.1) -> CalibrationRecord:
    return CalibrationRecord(
        "counter", MADE, (CalibratedQuantity("counter_stability", ppm, "ppm", u_ppm, 1000),)
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path, _ = measure(tmp_path_factory.mktemp("run"), calibration=text(*records(), counter(40.0)))
    return path


def test_it_is_told_wherever_the_calibration_is(run):
    result = read(run)
    facts = dict(calibration_facts(result))
    assert "counter CHANGES ITS RATE by 40 ppm" in facts["calibration"]
    assert "counter of 2026-01-02" in facts["calibration"]
    assert calibration_state(result) == "valid; warnings: 1"
    assert result.calibration is not None
    summary = result.calibration.summary
    assert summary.complete
    (caution,) = summary.warnings
    assert caution in facts["calibration"]


def test_one_that_keeps_its_rate_is_silent(run):
    result = read(run, text(*records(), counter(0.3, 0.2)))
    assert calibration_state(result) == "valid"
    assert "CHANGES" not in dict(calibration_facts(result))["calibration"]


def test_of_another_target_it_says_nothing(run):
    other = CalibrationRecord(
        "counter", MADE, counter(40.0).quantities, instruments={"target_link": "tcp:10.0.0.1:1"}
    )
    assert calibration_state(read(run, text(*records(), other))) == "valid"


def environment(*limits: object) -> dict[str, str]:
    cpus = [{"cpu": n, "minimum_khz": low, "maximum_khz": high} for n, (low, high) in limits]
    return {"environment/target": json.dumps({"environment": {"cpus": cpus}})}


FIXED = [(0, ("2000000", "2000000")), (1, ("1800000", "1800000"))]


def test_a_frequency_that_was_fixed_takes_no_harm_from_it():
    assert calibration_warnings([counter(40.0)], environment(*FIXED)) == ()
    free = (2, ("800000", "1800000"))
    assert len(calibration_warnings([counter(40.0)], environment(*FIXED, free))) == 1


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"environment/target": ""},
        {"environment/target": "[" * 100_000},
        {"environment/target": '{"environment": {"cpus": 3}}'},
        {"environment/target": '{"environment": {"cpus": []}}'},
        {"environment/target": '{"environment": {"cpus": [{"cpu": 0}]}}'},
        environment((0, ("many", "many"))),
    ],
)
def test_what_the_environment_does_not_tell_was_not_fixed(texts):
    assert len(calibration_warnings([counter(40.0)], texts)) == 1


def test_what_may_be_chance_is_no_caution():
    assert calibration_warnings([counter(2.0, 0.6)], {}) == ()  # hard limits: from 0.96 ppm
    assert len(calibration_warnings([counter(2.0, 0.5)], {})) == 1
    assert calibration_warnings(records(), {}) == ()
