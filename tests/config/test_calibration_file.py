# SPDX-License-Identifier: GPL-3.0-or-later
"""The calibration file: written and read back, only ever added to, mistakes told by their line."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.calibration import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.calibration.file import (
    append_record,
    calibration_text,
    load_calibration,
    parse_calibration,
)
from rig.config.calibration.record import COUNT_MAX, UNITS, VALUE_MAX
from rig.errors import InputError

DAY = dt.datetime(2026, 5, 4, 12, 30, tzinfo=dt.UTC)
SKEW = CalibrationRecord(
    step="channel-skew",
    date=DAY,
    quantities=(
        CalibratedQuantity("channel_skew", 1.25, "ns", 0.125, 1000, "D1 rising"),
        CalibratedQuantity("channel_skew", -3.5, "ns", 0.125, 1000, "D1 falling"),
    ),
    conditions={"room temperature": "23 C"},
    instruments={"analyzer_driver": "fx2lafw", "sample_rate_hz": "24000000"},
    findings=('D1 is "late"', "a path C:\\x", "µ and 時"),
    valid_until=dt.date(2027, 5, 4),
)

texts = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=200).filter(
    str.isprintable
)
names = st.from_regex(r"[a-z][a-z0-9_-]{0,39}", fullmatch=True)
keys = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,59}", fullmatch=True)
days = st.dates(dt.date(1970, 1, 2), dt.date(9999, 12, 30))
values = st.floats(-VALUE_MAX, VALUE_MAX)
quantities = st.builds(
    CalibratedQuantity,
    names,
    values,
    st.sampled_from(UNITS),
    values.map(abs),
    st.integers(0, COUNT_MAX),
    texts,
)
records = st.builds(
    CalibrationRecord,
    step=names,
    date=st.datetimes(
        dt.datetime(1970, 1, 2), dt.datetime(9999, 12, 30), timezones=st.just(dt.UTC)
    ),
    quantities=st.lists(quantities, max_size=4, unique_by=lambda q: (q.name, q.subject)).map(tuple),
    conditions=st.dictionaries(keys, texts, max_size=3),
    instruments=st.dictionaries(keys, texts, max_size=3),
    findings=st.lists(texts, max_size=3).map(tuple),
    valid_until=st.none() | days,
)


@given(st.lists(records, max_size=3).map(tuple))
def test_what_is_written_is_read_back(found):
    calibration = Calibration("bench-7", found)
    assert parse_calibration(calibration_text(calibration), "x") == calibration


@given(records)
def test_the_text_is_toml_to_others_too(record):
    """Python's own reader finds the numbers and texts under their names."""
    (table,) = tomllib.loads(calibration_text(Calibration("bench-7", (record,))))["record"]
    assert (table["step"], table["date"]) == (record.step, record.date)
    assert tuple(table.get("findings", ())) == record.findings
    assert table.get("instruments", {}) == dict(record.instruments)
    stored = [(q["name"], q["value"], q["n"]) for q in table.get("quantity", [])]
    assert stored == [(q.name, q.value, q.n) for q in record.quantities]


def test_history_is_kept_to_the_byte(tmp_path):
    path = tmp_path / "new" / "bench.calibration.toml"
    append_record(path, "bench", SKEW)
    noted = path.read_text() + "# a note by hand, without a line end"
    path.write_text(noted)
    later = CalibrationRecord("channel-skew", DAY + dt.timedelta(days=1))
    after = append_record(path, "bench", later)
    assert path.read_text().startswith(noted + "\n")
    assert load_calibration(path) == after == Calibration("bench", (SKEW, later))
    assert after.newest("channel-skew") == later
    assert after.history("channel-skew") == (SKEW, later)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_newest_holds_wherever_it_stands():
    older = CalibrationRecord("channel-skew", DAY - dt.timedelta(days=9))
    twin = CalibrationRecord("channel-skew", DAY, findings=("same second, later in the file",))
    assert Calibration("bench", (SKEW, older)).newest("channel-skew") == SKEW
    assert Calibration("bench", (SKEW, twin, older)).newest("channel-skew") == twin
    assert Calibration("bench").newest("channel-skew") is None


def test_two_writers_lose_nothing(tmp_path):
    path = tmp_path / "bench.calibration.toml"
    code = (
        "import datetime as dt, sys; from pathlib import Path\n"
        "from rig.config.calibration import CalibrationRecord, append_record\n"
        "for n in range(20):\n"
        "    append_record(Path(sys.argv[1]), 'bench',"
        " CalibrationRecord('wiring', dt.datetime(2026, 1, 1, tzinfo=dt.UTC),"
        " findings=(f'{sys.argv[2]} {n}',)))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    found = [record.findings[0] for record in load_calibration(path).records]
    assert sorted(found) == sorted(f"{name} {n}" for name in "ab" for n in range(20))


def test_another_fixtures_file_is_not_added_to(tmp_path):
    path = tmp_path / "bench.calibration.toml"
    append_record(path, "bench", SKEW)
    before = path.read_bytes()
    with pytest.raises(InputError, match="is a calibration of fixture bench, not of other"):
        append_record(path, "other", SKEW)
    assert path.read_bytes() == before


def test_a_file_that_would_not_be_read_again_is_not_written(tmp_path):
    path = tmp_path / "bench.calibration.toml"
    append_record(path, "bench", SKEW)
    path.write_text(path.read_text() + "# " + "x\n# " * 261_000)
    before = path.read_bytes()
    with pytest.raises(InputError, match="would be larger than 1 MiB"):
        append_record(path, "bench", CalibrationRecord("wiring", DAY, findings=("x" * 200,) * 20))
    assert path.read_bytes() == before


def test_a_damaged_file_is_not_written_over(tmp_path):
    path = tmp_path / "bench.calibration.toml"
    path.write_text("[calibration]\nformat = 1\nfixture = ")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"calibration\.toml:3: not TOML"):
        append_record(path, "bench", SKEW)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        append_record(tmp_path / "file" / "bench.toml", "bench", SKEW)


HEAD = "[calibration]\nformat = 1\nfixture = 'bench'\n"
ONE = HEAD + "[[record]]\nstep = 'wiring'\ndate = 2026-05-04T12:00:00Z\n"
VALUE = "[[record.quantity]]\nname = 'x'\nvalue = 1\nunit = 'ns'\nstandard_uncertainty = 0\nn = 1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"f: calibration: table missing"),
        (HEAD.replace("1", "2"), r"f:2: \[calibration\] format: 2 is out of range"),
        (HEAD.replace("bench", "Bench"), r"f:3: \[calibration\] fixture"),
        (HEAD + "[recrod]\n", r"f:4: recrod: unknown table \(did you mean record\?\)"),
        (HEAD + "[[record]]\nstep = 'wiring'\n", r"f:4: \[\[record\]\] date: missing"),
        (ONE.replace("Z", ""), r"f:6: \[\[record\]\] date: not a time with its zone"),
        (ONE.replace("wiring", "W"), r"f:5: \[\[record\]\] step"),
        (ONE + "valid_until = 2027-01-01T00:00:00Z\n", r"f:7: \[\[record\]\] valid_until: not a"),
        (ONE + "findings = 'x'\n", r"f:7: \[\[record\]\] findings: not a list"),
        (ONE + "findings = [1]\n", r"f:7: \[\[record\]\] findings: not a list"),
        (ONE + "[record.instruments]\na = 1\n", r"f:8: \[\[record.instruments\]\] a: 1 is an int"),
        (ONE + "[record.conditions]\n'=' = '1'\n", r"f:8: .*=: not a name"),
        (ONE + VALUE + "m = 1\n", r"f:13: \[\[record.quantity\]\] m: unknown key"),
        (ONE + VALUE.replace("= 0", "= -1"), r"f:11: .* standard_uncertainty: -1 is out of"),
        (ONE + VALUE.replace("= 0", "= nan"), r"f:11: .* standard_uncertainty: nan is no number"),
        (ONE + VALUE.replace("ns", "furlong"), r"f:10: .* unit: unknown unit"),
        (ONE + VALUE.replace("'x'", "'time_base'"), r"f:10: .* unit: unknown unit .*valid: ppm"),
        (ONE + VALUE + VALUE, r"f:14: .* name: x of the bench is given twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, words):
    with pytest.raises(InputError, match=words) as caught:
        parse_calibration(text, "f")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Skew"},
        {"value": float("inf")},
        {"value": True},
        {"unit": "m"},
        {"standard_uncertainty": -1.0},
        {"n": 1.5},
        {"n": -1},
        {"subject": "a\nb"},
    ],
)
def test_a_quantity_that_no_file_holds_cannot_be_made(change):
    fine = {"name": "x", "value": 1.0, "unit": "ns", "standard_uncertainty": 0.0, "n": 1}
    CalibratedQuantity(**fine)
    with pytest.raises(ValueError, match=next(iter(change))):
        CalibratedQuantity(**fine | change)


def test_a_record_needs_a_time_zone():
    with pytest.raises(ValueError, match="time zone"):
        CalibrationRecord("wiring", dt.datetime(2026, 1, 1))


def test_a_link_stays_one(tmp_path):
    real, link = tmp_path / "real.toml", tmp_path / "link.toml"
    append_record(real, "bench", SKEW)
    link.symlink_to(real)
    append_record(link, "bench", SKEW)
    assert Path(link).is_symlink()
    assert len(load_calibration(real).records) == 2
