# SPDX-License-Identifier: GPL-3.0-or-later
"""A calibration that the bench has measured of itself, used by a run on it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from rig.bench.open import open_bench
from rig.config.calibration import append_record
from rig.config.fixture import parse_fixture
from rig.session.results import document, read
from tests.calibration import skewed

SETTINGS = CalibrationSettings(seconds=6, pps_channel=7, pps_limit_ns=10)
FAN_OUT = '[virtual.jumpers]\nfan_out = "D0 D1"\n'
PPS = '[virtual.jumpers]\npps = "D7"\n'


def calibrate(folder: Path, steps: list[str], jumpers: str) -> None:
    """Connect as the steps want it, run them, keep what they found."""
    text = skewed.fixture_text(folder / "other.bin") + jumpers
    fixture = parse_fixture(text, str(folder / "skewed.toml"))
    opener = partial(open_bench, every_channel=True)
    for outcome in run_steps(fixture, chosen(steps), opener, settings=SETTINGS):
        assert outcome.passed
        append_record(folder / "measured.toml", skewed.NAME, outcome.record)


def test_a_run_with_it_is_right_to_a_quarter_of_a_sample(tmp_path):
    calibrate(tmp_path, ["channel-skew"], FAN_OUT)
    calibrate(tmp_path, ["time-base", "toggle"], PPS)
    measured = (tmp_path / "measured.toml").read_text()
    path, true_ns = skewed.measure(tmp_path, calibration=measured)
    figures = document(read(path))["measurands"][0]["corrected"]
    indicated_ns = read(path, "").evaluation.figures.average_ns
    assert abs(indicated_ns - true_ns) > 5 * skewed.SAMPLE_NS
    assert abs(figures["average_ns"] - true_ns) < skewed.SAMPLE_NS / 4
