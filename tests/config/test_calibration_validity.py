# SPDX-License-Identifier: GPL-3.0-or-later
"""Which calibration a bench uses, and whether it still holds."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import pytest

from rig.config.calibration import (
    Calibration,
    CalibrationRecord,
    Validity,
    append_record,
    calibration_path,
    judge,
    present_instruments,
)
from rig.config.calibration.bench_identity import present_of_fixture, present_of_texts
from rig.config.calibration.names import depends_on
from rig.config.calibration.paths import chosen_text
from rig.config.fixture import load_fixture, parse_fixture
from rig.errors import InputError
from rig.instruments import AnalyzerIdentity, StimulusIdentity, TargetIdentity
from rig.resources import find_fixture

MADE = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
DAY = MADE.date()
PRESENT = {"stimulus_serial": "55A", "sample_rate_hz": "24000000"}
ANALYZER = AnalyzerIdentity("fx2lafw", "Cypress", "FX2", "0.5.2", 24_000_000, ("D0",))
STIMULUS = StimulusIdentity("Latency Rig", "ATmega328P", "55A", "0.1.0", 1, 16_000_000)
TARGET = TargetIdentity("rig-agent", "0.1.0", 1, 1_000_000_000)


def judged(record, present=PRESENT, day=DAY):
    (found,) = judge(Calibration("bench", (record,)), present, day)
    return found


def record(**changes):
    return replace(CalibrationRecord("time-base", MADE, instruments=PRESENT), **changes)


def test_a_record_holds_to_the_end_of_its_last_day():
    until = record(valid_until=DAY)
    assert judged(until).validity is Validity.VALID
    expired = judged(until, day=DAY + dt.timedelta(days=1))
    assert (expired.validity, expired.why) == (Validity.EXPIRED, "was valid until 2026-03-01")
    assert judged(record(), day=dt.date.max).validity is Validity.VALID


@pytest.mark.parametrize("key", PRESENT)
def test_any_change_that_can_be_noticed_ends_it(key):
    other = judged(record(), PRESENT | {key: "7"})
    assert (other.validity, other.record) == (Validity.NOT_MATCHING, record())
    assert other.why == f"{key} was {PRESENT[key]}, is 7"


def test_what_cannot_be_noticed_is_not_judged():
    counter = record(instruments={**PRESENT, "counter_serial": "MY123"})
    assert judged(counter).validity is Validity.VALID
    assert judged(counter, present={}).validity is Validity.VALID


def test_a_lost_serial_number_is_a_change():
    found = judged(record(), PRESENT | {"stimulus_serial": ""})
    assert found.why == "stimulus_serial was 55A, is not told"


def test_steps_that_were_never_taken_are_absent():
    found = judge(None, PRESENT, DAY, ("wiring", "time-base"))
    assert [(each.step, each.validity) for each in found] == [
        ("wiring", Validity.ABSENT),
        ("time-base", Validity.ABSENT),
    ]


def test_only_the_newest_counts():
    old = record(date=MADE - dt.timedelta(days=400), instruments={"stimulus_serial": "older"})
    found = judge(Calibration("bench", (record(), old)), PRESENT, DAY)
    assert [each.validity for each in found] == [Validity.VALID]


# --- what is on a bench ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"sample_rate_hz": 12_000_000}, "sample_rate_hz"),
        ({"vendor": "Other"}, "analyzer_model"),
        ({"serial": "55B"}, "stimulus_serial"),
        ({"firmware": "0.2.0"}, "stimulus_firmware"),
        ({"clock_hz": 8_000_000}, "stimulus_clock_hz"),
        ({"version": "0.2.0"}, "agent_version"),
        ({"tick_hz": 2_000_000_000}, "tick_hz"),
    ],
)
def test_each_identity_is_noticed(change, key):
    fixture = load_fixture("parallel-port-fx2")
    parties = (ANALYZER, STIMULUS, TARGET)
    before = present_instruments(fixture, *parties)
    changed = [
        replace(party, **change) if next(iter(change)) in vars(party) else party
        for party in parties
    ]
    after = present_instruments(fixture, *changed)
    assert {name for name in before if before[name] != after[name]} == {key}


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("24 MHz", "12 MHz", "sample_rate_hz"),
        ("/dev/ttyACM0", "/dev/ttyUSB3", "stimulus_port"),
    ],
)
def test_each_port_is_noticed(old, new, key):
    text = find_fixture("parallel-port-fx2").read_text()
    assert old in text
    before, after = (
        present_of_fixture(parse_fixture(each, "x")) for each in (text, text.replace(old, new))
    )
    assert {name for name in before if before[name] != after[name]} == {key}


def test_a_run_file_tells_the_same_as_its_instruments():
    fixture = load_fixture("parallel-port-fx2")
    texts = {
        "environment/analyzer": json.dumps(vars(ANALYZER)),
        "environment/stimulus": json.dumps(vars(STIMULUS)),
        "environment/target": json.dumps(vars(TARGET)),
    }
    there = present_instruments(fixture, ANALYZER, STIMULUS, TARGET)
    assert present_of_texts(fixture, texts) == there
    assert present_of_texts(fixture, {"environment/target": "[1]"}) == present_of_fixture(fixture)
    assert "stimulus_serial" not in depends_on("channel-skew", there)
    assert depends_on("some-other-step", there) == there


# --- where it lies -----------------------------------------------------------------------------


def bench(folder):
    file = folder / "bench.toml"
    text = find_fixture("parallel-port-fx2").read_text()
    file.write_text(text.replace('name = "parallel-port-fx2"', 'name = "bench"'))
    return load_fixture(str(file))


def test_a_fixtures_own_lies_beside_it(tmp_path):
    fixture = bench(tmp_path)
    assert calibration_path(fixture) == tmp_path / "bench.calibration.toml"
    assert chosen_text(fixture, None) == ""
    append_record(calibration_path(fixture), "bench", record())
    assert chosen_text(fixture, None) == calibration_path(fixture).read_text()
    assert chosen_text(fixture, "none") == ""


def test_a_built_in_fixtures_lies_in_the_users_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    fixture = load_fixture("virtual")
    path = tmp_path / "latency-rig" / "calibration" / "virtual.toml"
    assert calibration_path(fixture) == path
    append_record(path, "virtual", record())
    assert chosen_text(fixture, None) == path.read_text()


def test_a_data_folder_that_is_not_absolute_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    path = calibration_path(load_fixture("virtual"))
    assert path == tmp_path / ".local/share/latency-rig/calibration/virtual.toml"


def test_one_that_is_wrong_is_not_passed_over(tmp_path):
    fixture = bench(tmp_path)
    place = calibration_path(fixture)
    place.write_text("[calibration]\nformat = 1\nfixture = 'other'\n")
    with pytest.raises(InputError, match="is a calibration of fixture other, not of bench"):
        chosen_text(fixture, None)
    place.write_text("[calibration]\n")
    with pytest.raises(InputError, match=r"bench\.calibration\.toml:1: .* format: missing"):
        chosen_text(fixture, None)
    with pytest.raises(InputError, match="no such file"):
        chosen_text(fixture, str(tmp_path / "nowhere.toml"))
