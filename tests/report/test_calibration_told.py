# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons and JUnit say how a run's calibration stands, and whether two runs had the same."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from rig.cli.main import main
from rig.report.calibration_brief import calibration_state
from rig.report.junit import junit
from rig.session.results import read
from tests.calibration.skewed import MADE, measure, records, text

STATES = {
    "": "none",
    text(*records()): "valid",
    text(*(replace(each, valid_until=MADE.date()) for each in records())): (
        "expired: time-base, channel-skew, line-delay, toggle"
    ),
    text(replace(records()[1], instruments={"sample_rate_hz": "12000000"}), records()[0]): (
        "not matching: channel-skew; valid: time-base; absent: line-delay, toggle"
    ),
    text(*records(), fixture="another"): "not used",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Made with the calibration that knows all."""
    folder = tmp_path_factory.mktemp("told")
    path, _ = measure(folder, calibration=text(*records()))
    return path


def properties(path, calibration=None):
    root = ET.fromstring(junit([read(path, calibration)]))  # noqa: S314 - made here
    return {each.get("name"): each.get("value") for each in root.iter("property")}


@pytest.mark.parametrize(("calibration", "state"), list(STATES.items()), ids=STATES.values())
def test_every_state_is_told(run, calibration, state):
    assert calibration_state(read(run, calibration)) == state
    told = properties(run, calibration)
    assert told["calibration"] == state
    if state == "none":
        # The agent's own log tells how long its pin write takes, 400 ns: half of it, and a tick.
        assert told["taken_off"] == "+200.5 ns"


def test_what_is_taken_off_is_what_the_bench_adds(run):
    """Mean of rising and falling answers' delays, less the stimulus's; and half of the pin write.

    A rate that is too high by 100 ppm is taken off as a part.
    """
    response = (95 + 71.5) / 2 + (12.25 + 20) / 2
    offset, _, rate = properties(run)["taken_off"].partition(" and ")
    assert float(offset.removesuffix(" ns")) == pytest.approx(
        response - (15.3 + 7.0) + 200, abs=0.06
    )
    assert rate == "+100.000 ppm"


@pytest.fixture
def recalibrated(run, tmp_path):
    """The same run, its figures computed with what was found a day later."""
    later = [replace(each, date=MADE + dt.timedelta(days=1)) for each in records()]
    (tmp_path / "later.toml").write_text(text(*later))
    again = tmp_path / "again.h5"
    shutil.copy(run, again)
    assert main(["analyze", str(again), "--calibration", str(tmp_path / "later.toml")]) == 0
    return again


def compared(capsys, *words):
    capsys.readouterr()
    assert main(["compare", *map(str, words)]) == 0
    return capsys.readouterr().out


def test_a_comparison_says_that_calibrations_differ(run, recalibrated, capsys):
    document = json.loads(compared(capsys, run, recalibrated, "--json"))
    first, second = document["environment"]["calibration applied"]
    assert "channel-skew of 2026-01-02T" in first
    assert "channel-skew of 2026-01-03T" in second
    told = [each["calibration"] for each in document["runs"]]
    assert [each["state"] for each in told] == ["valid", "valid"]
    assert told[0]["factor"] == pytest.approx(1 - 100e-6)
    words = " ".join(compared(capsys, run, recalibrated).split())
    assert "calibration valid valid" in words
    assert "and +100.000 ppm" in words


def test_the_same_calibration_is_no_difference(run, tmp_path, capsys):
    shutil.copy(run, tmp_path / "copy.h5")
    document = json.loads(compared(capsys, run, tmp_path / "copy.h5", "--json"))
    assert "calibration applied" not in document["environment"]
