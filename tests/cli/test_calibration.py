# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig calibration show`"""

from __future__ import annotations

import datetime as dt
import json

import pytest

from calibration.cli.show import value_text
from rig.cli.main import main
from rig.config.calibration import CalibratedQuantity, CalibrationRecord, append_record

NOW = dt.datetime.now(dt.UTC)
YESTERDAY = NOW.date() - dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def file(tmp_path):
    """A time base that holds, a skew that has expired and one before it."""
    path = tmp_path / "bench.calibration.toml"
    skew = CalibratedQuantity("channel_skew", 1.2345, "ns", 0.0613, 100, "D1 rising")
    records = (
        CalibrationRecord(
            "time-base", NOW, (CalibratedQuantity("time_base", 12.3456, "ppm", 0.0211, 60),)
        ),
        CalibrationRecord("channel-skew", NOW - dt.timedelta(days=9), (skew,)),
        CalibrationRecord(
            "channel-skew", NOW, (skew,), findings=("D1 is late",), valid_until=YESTERDAY
        ),
    )
    for record in records:
        append_record(path, "bench", record)
    return path


def shown(capsys, *words):
    """Exit code and the lines printed."""
    code = main(["calibration", "show", *map(str, words)])
    return code, capsys.readouterr().out


def test_the_table(file, capsys):
    code, out = shown(capsys, file)
    assert code == 1
    lines = [" ".join(line.split()) for line in out.splitlines()]
    day = NOW.date().isoformat()
    at = lines.index(f"time-base {day} valid")
    assert lines[at + 1] == "time_base 12.346 +- 0.043 ppm n 60"
    at = lines.index(f"channel-skew {day} expired: was valid until {YESTERDAY.isoformat()}")
    assert lines[at + 1] == "channel_skew D1 rising 1.23 +- 0.13 ns n 100"
    assert lines[at + 2] == "D1 is late"
    assert "line-delay absent: never calibrated" in lines
    assert out.count("D1 rising") == 1
    assert shown(capsys, file, "--all")[1].count("D1 rising") == 2


def test_as_json(file, capsys):
    code, out = shown(capsys, file, "--json")
    steps = {each["step"]: each for each in json.loads(out)["steps"]}
    assert (code, steps["time-base"]["validity"]) == (1, "valid")
    assert steps["channel-skew"]["validity"] == "expired"
    assert steps["time-base"]["quantities"][0]["value"] == 12.3456


def test_0_if_all_that_there_is_holds(tmp_path, capsys):
    path = tmp_path / "c.toml"
    append_record(path, "bench", CalibrationRecord("time-base", NOW))
    assert shown(capsys, path)[0] == 0


def test_a_fixture_tells_what_differs(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / "latency-rig/calibration/virtual.toml"
    append_record(
        path, "virtual", CalibrationRecord("wiring", NOW, instruments={"sample_rate_hz": "1"})
    )
    code, out = shown(capsys, "--fixture", "virtual")
    assert code == 1
    assert "not matching: sample_rate_hz was 1, is 24000000" in " ".join(out.split())


def test_what_is_missing_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for words, told in (
        ([], "no calibration named; give FILE, or --fixture"),
        (["--fixture", "virtual"], "fixture virtual has no calibration yet"),
        ([str(tmp_path / "x.toml")], "no such file"),
    ):
        assert main(["calibration", "show", *words]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "u", "unit", "told"),
    [
        (1.0, 0.0, "ns", "1 ns (no U: none is stated)"),
        (1.23456, 0.05, "ns", "1.23 +- 0.10 ns"),
        (1.23456, 0.05001, "ns", "1.23 +- 0.11 ns"),
        (16_000_123.4, 61.0, "Hz", "16000123 +- 130 Hz"),
        (-3.0, 0.4999, "1", "-3.00 +- 1.00"),
    ],
)
def test_u_has_two_digits_and_is_rounded_up(value, u, unit, told):
    assert value_text(CalibratedQuantity("x", value, unit, u, 1)) == told


@pytest.mark.parametrize(
    ("quantity", "told"),
    [
        (CalibratedQuantity("samples_in_a_row", 120_000_123.0, "samples", 0.0, 1),
         "120000123 samples (no U: a count)"),
        (CalibratedQuantity("backlog_maximum", 0.0125, "s", 0.0, 1),
         "0.0125 s (no U: the largest seen)"),
        (CalibratedQuantity("channel_skew", 0.0, "ns", 0.0, 4000, "D0 rising"),
         "0 ns (no U: the reference itself)"),
        (CalibratedQuantity("time_base", 1.5, "ppm", 0.0, 0), "1.5 ppm (no U: as told)"),
    ],
)  # fmt: skip
def test_a_value_without_uncertainty_says_why(quantity, told):
    assert value_text(quantity) == told


def test_a_run_with_one_that_is_not_there_does_not_begin(tmp_path, capsys):
    out = tmp_path / "run.h5"
    words = ("--fixture", "virtual", "--out", out, "--calibration", tmp_path / "no.toml")
    assert main(["run", "interrupt", *map(str, words), "--quiet"]) == 2
    assert "no.toml: no such file" in capsys.readouterr().err
    assert not out.exists()
