# SPDX-License-Identifier: GPL-3.0-or-later
"""The measuring steps from the command line: options, what is printed, what is kept."""

from __future__ import annotations

import pytest

from calibration.runner import chosen
from calibration.steps import STEPS
from rig.cli.main import main
from rig.config.calibration import load_calibration


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--frequency-counter", "16 MHz"], "valid: a rate and its limits"),
        (["--pps", "7"], "--pps '7': no channel; valid: D0 to D63"),
        (["--far", "x"], "--far 'x': no channel"),
        (["--seconds", "0"], "--seconds 0: out of range; valid: 2 to 600"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, words, capsys):
    assert main(["calibrate", "time-base", "--fixture", "virtual", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_step_prints_values_with_their_uncertainty_and_keeps_them(tmp_path, capsys):
    file = tmp_path / "bench.calibration.toml"
    code = main(["calibrate", "edge-shape", "--fixture", "virtual", "-o", str(file), "--quiet"])
    assert code == 0
    printed = capsys.readouterr().out
    assert "width of every 16 samples less one: " in printed
    assert "16 more values are in the record" in printed
    assert " +- " in printed
    assert "PASS  edge-shape" in printed
    record = load_calibration(file).newest("edge-shape")
    assert record is not None
    assert record.instruments["sample_rate_hz"] == "24000000"
    assert len(record.quantities) == 17


def test_steps_that_want_their_own_wires_are_asked_for_by_name():
    everything = [step.name for step in chosen(["all"])]
    assert everything == ["wiring", "instruments", "time-base", "toggle", "counter", "edge-shape"]
    assert [step.name for step in chosen(["all", "loopback"])] == [*everything, "loopback"]
    assert set(STEPS) - set(everything) == {"channel-skew", "loopback", "line-delay"}
