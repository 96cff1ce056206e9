# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig calibration show [FILE]`"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path

from rich.text import Text

from calibration.formatting import name_of, value_text
from rig.cli.options import add_json
from rig.config.calibration.bench_identity import present_of_fixture
from rig.config.calibration.file import load_calibration
from rig.config.calibration.names import CORRECTING_STEPS
from rig.config.calibration.paths import calibration_path, require_fixture
from rig.config.calibration.record import Calibration, CalibrationRecord
from rig.config.calibration.validity import RecordStatus, Validity, judge, judge_record
from rig.config.fixture import Fixture, load_fixture
from rig.errors import InputError
from rig.printable import json_text
from rig.report.console import SafeConsole

_STYLES = {Validity.VALID: "green", Validity.ABSENT: "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    actions = parser.add_subparsers(
        required=True, metavar="ACTION", dest="action", parser_class=argparse.ArgumentParser
    )
    text = "show what was found of a bench, and whether it still holds; 1 if not all of it does"
    show = actions.add_parser("show", help=text, description=text)
    show.add_argument("file", metavar="FILE", type=Path, nargs="?", help="a calibration file")
    show.add_argument("--fixture", metavar="FIXTURE", help="the one of this fixture")
    show.add_argument("--all", action="store_true", help="older records too")
    add_json(show)


def command(options: argparse.Namespace) -> int:
    """Show the calibration; 0 if all that a run would use of it holds by what the fixture tells."""
    fixture = None if options.fixture is None else load_fixture(options.fixture)
    path = _path(options.file, fixture)
    calibration = load_calibration(path)
    if fixture is not None:
        require_fixture(calibration, fixture, str(path))
    judged = _judged(calibration, fixture, every=options.all)
    if options.json:
        sys.stdout.write(json_text(_document(path, calibration, judged), indent=2) + "\n")
    else:
        _print(SafeConsole(), path, calibration, judged)
    newest = [each for each in judged if each.record in calibration.current()]
    return 0 if newest and all(each.validity is Validity.VALID for each in newest) else 1


def _path(file: Path | None, fixture: Fixture | None) -> Path:
    if file is not None:
        return file
    if fixture is None:
        raise InputError("no calibration named; give FILE, or --fixture FIXTURE for its own")
    path = calibration_path(fixture)
    if not path.exists():
        raise InputError(
            f"{path}: fixture {fixture.name} has no calibration yet; `rig calibrate` makes one"
        )
    return path


def _judged(
    calibration: Calibration, fixture: Fixture | None, *, every: bool
) -> tuple[RecordStatus, ...]:
    """Judge the records by today's date and the fixture, without opening an instrument."""
    today = dt.datetime.now(dt.UTC).date()
    present = {} if fixture is None else present_of_fixture(fixture)
    if every:
        return tuple(
            judge_record(record.step, record, present, today) for record in calibration.records
        )
    return judge(calibration, present, today, CORRECTING_STEPS)


# --- as a table --------------------------------------------------------------------------------


def _print(
    console: SafeConsole, path: Path, calibration: Calibration, judged: tuple[RecordStatus, ...]
) -> None:
    """Print each step with a line for each value, then the step's findings."""
    lines = [Text(f"{path}: fixture {calibration.fixture}, U with k = 2")]
    names = [name_of(q) for each in judged if each.record for q in each.record.quantities]
    width = max(map(len, names), default=0)
    for each in judged:
        lines.append(_head(each))
        if each.record is not None:
            lines += [
                Text(f"    {name_of(q):<{width}} {value_text(q):>24}  n {q.n:,}")
                for q in each.record.quantities
            ]
            lines += [Text(f"    {text}") for text in each.record.findings]
    for line in lines:
        console.print(line, soft_wrap=True)


def _head(found: RecordStatus) -> Text:
    state = found.validity if not found.why else f"{found.validity}: {found.why}"
    day = "" if found.record is None else found.record.date.date().isoformat()
    until = None if found.record is None else found.record.valid_until
    if found.validity is Validity.VALID and until is not None:
        state = f"{state} until {until.isoformat()}"
    style = _STYLES.get(found.validity, "bold yellow")
    return Text.assemble((f"{found.step:<14}", "bold"), f"{day:<12}", (state, style))


# --- as JSON -----------------------------------------------------------------------------------


def _document(
    path: Path, calibration: Calibration, judged: tuple[RecordStatus, ...]
) -> dict[str, object]:
    return {
        "file": str(path),
        "fixture": calibration.fixture,
        "steps": [
            {
                "step": each.step,
                "validity": str(each.validity),
                "why": each.why or None,
                **({} if each.record is None else _record(each.record)),
            }
            for each in judged
        ],
    }


def _record(record: CalibrationRecord) -> dict[str, object]:
    until = record.valid_until
    return {
        "date": record.date.isoformat(),
        "valid_until": None if until is None else until.isoformat(),
        "quantities": [vars(quantity) for quantity in record.quantities],
        "instruments": dict(record.instruments),
        "conditions": dict(record.conditions),
        "findings": list(record.findings),
    }
