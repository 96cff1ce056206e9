# SPDX-License-Identifier: GPL-3.0-or-later
"""The calibration file: strict TOML, read by people too, only ever appended to."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from rig.config.calibration.record import (
    COUNT_MAX,
    KEY_PATTERN,
    NAME_PATTERN,
    TEXT_MAX,
    VALUE_MAX,
    CalibratedQuantity,
    Calibration,
    CalibrationRecord,
    units_of,
)
from rig.config.plan import NAME_PATTERN as FIXTURE_PATTERN
from rig.config.plan import NAME_VALID
from rig.errors import InputError
from rig.files import replace_atomically
from rig.toml.reader import MAX_BYTES, TomlFile, TomlTable, read_document

FORMAT = 1
LINE_MAX = 96
"""Longest line of an array that is written in one line."""
_TEXT_VALID = f"up to {TEXT_MAX} printable characters"
_NAME_VALID = "small letters, digits, - and _, such as channel-skew"
_DATE_VALID = "a time with its zone, such as 2026-01-31T12:00:00Z"
_DAY_VALID = "a day, such as 2027-01-31"
_HEAD = """\
# SPDX-License-Identifier: GPL-3.0-or-later
# What was found of this bench. Records are only ever added: of each step the newest holds.
# docs/reference/calibration-file.md explains it.

[calibration]
format = {format}
fixture = {fixture}
"""


def load_calibration(path: Path) -> Calibration:
    """Read a file. Raises InputError: one line with file, line and key."""
    return parse_calibration(calibration_file_text(path), str(path))


def calibration_file_text(path: Path) -> str:
    """Return the text of a file, not yet parsed. Raises InputError if it cannot be read."""
    return read_document(path).text


def parse_calibration(text: str, source: str) -> Calibration:
    """A calibration from its text; `source` is the name used in errors. Raises InputError."""
    root = TomlFile(text, source).root()
    root.allow_only(("calibration", "record"))
    head = root.table("calibration")
    head.allow_only(("format", "fixture"))
    head.integer("format", FORMAT, FORMAT)
    return Calibration(
        fixture=head.text("fixture", pattern=FIXTURE_PATTERN, valid=NAME_VALID),
        records=tuple(map(_record, root.tables("record"))),
    )


# --- reading -----------------------------------------------------------------------------------


def _record(table: TomlTable) -> CalibrationRecord:
    table.allow_only(
        ("step", "date", "valid_until", "findings", "instruments", "conditions", "quantity")
    )
    valid_until = table.values.get("valid_until")
    if valid_until is not None and type(valid_until) is not date:
        raise table.error("valid_until", "not a day", _DAY_VALID)
    quantities: list[CalibratedQuantity] = []
    for below in table.tables("quantity"):
        quantity = _quantity(below)
        if any((q.name, q.subject) == (quantity.name, quantity.subject) for q in quantities):
            problem = f"{quantity.name} of {quantity.subject or 'the bench'} is given twice"
            raise below.error("name", problem, "one of each name and subject in a record")
        quantities.append(quantity)
    return CalibrationRecord(
        step=table.text("step", pattern=NAME_PATTERN, valid=_NAME_VALID),
        date=_date(table),
        quantities=tuple(quantities),
        conditions=_pairs(table.table("conditions", optional=True)),
        instruments=_pairs(table.table("instruments", optional=True)),
        findings=_findings(table),
        valid_until=valid_until,
    )


def _date(table: TomlTable) -> datetime:
    value = table.values.get("date")
    if value is None:
        raise table.error("date", "missing", _DATE_VALID)
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise table.error("date", "not a time with its zone", _DATE_VALID)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise table.error("date", "out of range", _DATE_VALID) from None


def _findings(table: TomlTable) -> tuple[str, ...]:
    value = table.values.get("findings", [])
    fine = isinstance(value, list) and all(
        isinstance(text, str) and text.isprintable() and len(text) <= TEXT_MAX for text in value
    )
    if not isinstance(value, list) or not fine:
        raise table.error("findings", "not a list of texts", f'["..."], each {_TEXT_VALID}')
    return tuple(value)


def _pairs(table: TomlTable) -> dict[str, str]:
    for key in table.values:
        if not re.fullmatch(KEY_PATTERN, key):
            raise table.error(key, "not a name", "letters, digits, spaces and _ . -, up to 60")
    return {key: table.text(key, valid=_TEXT_VALID) for key in table.values}


def _quantity(table: TomlTable) -> CalibratedQuantity:
    table.allow_only(("name", "subject", "value", "unit", "standard_uncertainty", "n"))
    name = table.text("name", pattern=NAME_PATTERN, valid=_NAME_VALID)
    return CalibratedQuantity(
        name=name,
        value=table.number("value", -VALUE_MAX, VALUE_MAX),
        unit=table.choice("unit", units_of(name)),
        standard_uncertainty=table.number("standard_uncertainty", 0, VALUE_MAX),
        n=table.integer("n", 0, COUNT_MAX),
        subject=table.text("subject", "", valid=_TEXT_VALID),
    )


# --- writing -----------------------------------------------------------------------------------


def calibration_text(calibration: Calibration) -> str:
    """The whole text; `parse_calibration` reads the same calibration back."""
    head = _HEAD.format(format=FORMAT, fixture=_quoted(calibration.fixture))
    return head + "".join(map(record_text, calibration.records))


def record_text(record: CalibrationRecord) -> str:
    """One record, to be appended to a file's text."""
    lines = ["", "[[record]]", f"step = {_quoted(record.step)}", f"date = {_stamp(record.date)}"]
    if record.valid_until is not None:
        lines.append(f"valid_until = {record.valid_until.isoformat()}")
    lines += _findings_lines(record.findings)
    for name in ("instruments", "conditions"):
        lines += _table_lines(name, getattr(record, name))
    for quantity in record.quantities:
        lines += _quantity_lines(quantity)
    return "\n".join(lines) + "\n"


def _findings_lines(findings: tuple[str, ...]) -> list[str]:
    if not findings:
        return []
    line = f"findings = [{', '.join(map(_quoted, findings))}]"
    if len(line) <= LINE_MAX:
        return [line]
    return ["findings = [", *(f"    {_quoted(text)}," for text in findings), "]"]


def _table_lines(name: str, pairs: Mapping[str, str]) -> list[str]:
    if not pairs:
        return []
    return ["", f"[record.{name}]", *(f"{_key(k)} = {_quoted(v)}" for k, v in pairs.items())]


def _quantity_lines(quantity: CalibratedQuantity) -> list[str]:
    lines = ["", "[[record.quantity]]", f"name = {_quoted(quantity.name)}"]
    if quantity.subject:
        lines.append(f"subject = {_quoted(quantity.subject)}")
    return [
        *lines,
        f"value = {float(quantity.value)!r}",
        f"unit = {_quoted(quantity.unit)}",
        f"standard_uncertainty = {float(quantity.standard_uncertainty)!r}",
        f"n = {quantity.n}",
    ]


def _stamp(time: datetime) -> str:
    return time.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """Return a basic string of TOML; JSON's escapes are among TOML's."""
    return json.dumps(text, ensure_ascii=False)


# --- appending ---------------------------------------------------------------------------------


def append_record(path: Path, fixture: str, record: CalibrationRecord) -> Calibration:
    """Add a record to the file of this fixture, which is made if there is none.

    All that the file held stays as it is, to the byte; after a crash it is the old file or the new
    one. Raises InputError if the file is another fixture's, cannot be read or cannot be written;
    then it is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent):
            text, before = _existing(path, fixture)
            text += record_text(record)
            after = Calibration(fixture, (*before.records, record))
            _check_whole(path, text, after)
            _replace(path, text)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}), it is as it was; "
            "free some space, make its folder writable, or name another file"
        ) from None
    return after


def _existing(path: Path, fixture: str) -> tuple[str, Calibration]:
    if not path.exists():
        new = Calibration(fixture)
        return calibration_text(new), new
    text = calibration_file_text(path)
    found = parse_calibration(text, str(path))
    if found.fixture != fixture:
        raise InputError(
            f"{path}: is a calibration of fixture {found.fixture}, not of {fixture}; "
            "name another file"
        )
    return text if text.endswith("\n") else text + "\n", found


def _check_whole(path: Path, text: str, wanted: Calibration) -> None:
    """Check that a text can be read again as the same calibration, before it is written."""
    if len(text.encode()) > MAX_BYTES:
        raise InputError(
            f"{path}: would be larger than {MAX_BYTES >> 20} MiB; "
            "move it to another name, a new one will be begun"
        )
    if parse_calibration(text, str(path)) != wanted:
        raise InputError(f"{path}: the record cannot be written so that it reads the same")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of one writer at a time: of two records that come together none is lost."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str) -> None:
    with replace_atomically(path) as new:
        new.write_text(text, encoding="utf-8", newline="")
