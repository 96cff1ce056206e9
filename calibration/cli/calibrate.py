# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig calibrate [STEP ...] --fixture FIXTURE`"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

from calibration.cli import new_bench
from calibration.cli.wiring_picture import write_drawing
from calibration.findings import Finding, StepOutcome
from calibration.formatting import lines_of
from calibration.record_store import keep_record
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings, parse_channel, parse_counter
from calibration.steps import STEPS, Step
from rig.bench.open import open_bench
from rig.cli.cancellation import interruptible
from rig.cli.options import add_out
from rig.cli.streams import say, say_lines
from rig.config.calibration.file import load_calibration
from rig.config.calibration.names import SKEW_STEP, WIRING
from rig.config.calibration.paths import calibration_path, require_fixture
from rig.config.calibration.record import CalibrationRecord
from rig.config.fixture import Fixture, load_fixture
from rig.errors import InputError
from rig.files import create_new
from rig.record.free_space import check_kept_file, check_new_file

OK, FAULTS_FOUND = 0, 1
WIDTH = 96


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument(
        "steps", metavar="STEP", nargs="*", help="steps by name (--list), or all (the default)"
    )
    parser.add_argument("--list", action="store_true", help="the steps, what each does and needs")
    parser.add_argument(
        "--fixture", metavar="FIXTURE", help="a built-in fixture (`rig fixtures`) or a TOML file"
    )
    add_out(parser, "FILE", "calibration file, to which the records are added")
    parser.add_argument(
        "--install", action="store_true",
        help="add the records to the fixture's own calibration, which its runs use",
    )  # fmt: skip
    # The name of the option in earlier versions.
    parser.add_argument("--keep", dest="install", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--write-fixture", metavar="FILE", type=Path,
        help="after the wiring check: the fixture with the wires as found, as a new file",
    )  # fmt: skip
    parser.add_argument(
        "--svg", metavar="FILE", type=Path,
        help="after the wiring check: the wires on --board as a picture, with what was found",
    )  # fmt: skip
    parser.add_argument("--board", metavar="BOARD", help="of the target (`rig boards`)")
    _add_measuring(parser)
    _add_new(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress, only the result")


def _add_new(calibrate: argparse.ArgumentParser) -> None:
    new = calibrate.add_argument_group("a new bench, question by question")
    new.add_argument(
        "--new", metavar="NAME", nargs="?", const="",
        help="from choosing the board to a calibrated fixture; goes on where it was left",
    )  # fmt: skip
    new.add_argument("--state", metavar="FILE", type=Path, help="keeps how far it has come")
    new.add_argument(
        "--answers", metavar="FILE.toml", type=Path, help="answers by name, nothing is asked"
    )


def _add_measuring(calibrate: argparse.ArgumentParser) -> None:
    calibrate.add_argument(
        "--seconds", metavar="N", type=int, default=60,
        help="how long clocks are watched (default: 60)",
    )  # fmt: skip
    calibrate.add_argument(
        "--frequency-counter", metavar="READING",
        help='time base: of the microcontroller\'s clock, such as "16000123.4 Hz +- 0.2 Hz"',
    )  # fmt: skip
    calibrate.add_argument(
        "--pps", metavar="CHANNEL", help="time base: a GPS receiver's pulse a second, such as D7"
    )
    calibrate.add_argument(
        "--far", metavar="CHANNEL", help="line delay: clipped to the target's end of the wire"
    )
    calibrate.add_argument(
        "--signal", metavar="SIGNAL", default="response",
        help="line delay: whose wire that is (default: response)",
    )  # fmt: skip


def command(options: argparse.Namespace) -> int:
    """Run steps; 0 if nothing has to be mended, else 1. Raises RigError."""
    if options.new is not None:
        return new_bench.command(options)
    if options.list:
        _list()
        return OK
    if options.fixture is None:
        raise InputError("--fixture is missing; valid: a built-in fixture or a TOML file")
    steps = chosen(options.steps)
    fixture = load_fixture(options.fixture)
    settings = _settings(options, fixture, _kept_in(options, fixture))
    keep = _keeper(options, fixture)
    passed = True
    with interruptible() as stop:
        progress = _silent if options.quiet else _tell
        opener = partial(
            open_bench, stop=stop, on_progress=progress, every_channel=True,
            also_mask=settings.clipped_mask,
        )  # fmt: skip
        for outcome in run_steps(fixture, steps, opener, _announce, progress, stop, settings):
            _show(outcome)
            keep(outcome)
            passed = passed and outcome.passed
    return OK if passed else FAULTS_FOUND


def _settings(
    options: argparse.Namespace, fixture: Fixture, kept_in: Path | None
) -> CalibrationSettings:
    """Return the settings of the steps that measure. Raises InputError."""
    counter, pps, far = options.frequency_counter, options.pps, options.far
    clock_hz = fixture.stimulus.chip.clock_hz
    return CalibrationSettings(
        seconds=options.seconds,
        counter=None if counter is None else parse_counter(counter, clock_hz),
        pps_channel=None if pps is None else parse_channel("--pps", pps),
        far_channel=None if far is None else parse_channel("--far", far),
        signal=options.signal,
        skew=_known_skew(kept_in),
    )


def _known_skew(path: Path | None) -> CalibrationRecord | None:
    """Return the newest channel skew in the file that the records will be added to."""
    return load_calibration(path).newest(SKEW_STEP) if path is not None and path.exists() else None


def _keeper(options: argparse.Namespace, fixture: Fixture) -> Callable[[StepOutcome], None]:
    """Return what writes the files asked for.

    Raises InputError for what cannot be written, before anything is driven.
    """
    if (options.svg is None) != (options.board is None):
        raise InputError("--svg and --board go together: the board whose wires are drawn")
    kept_in = _kept_in(options, fixture)
    if options.svg is not None:
        write_drawing(options.svg, options.board, fixture, ())
    if options.write_fixture is not None:
        check_new_file(options.write_fixture)

    def keep(outcome: StepOutcome) -> None:
        if kept_in is not None:
            keep_record(kept_in, fixture.name, outcome.record)
            say(f"calibration: {kept_in}")
        if not outcome.drawing or outcome.record.step != WIRING:
            return
        if options.svg is not None:
            write_drawing(options.svg, options.board, fixture, outcome.findings)
            say(f"drawing:     {options.svg}")
        if options.write_fixture is not None:
            _write_fixture(options.write_fixture, outcome.fixture_text)

    return keep


def _kept_in(options: argparse.Namespace, fixture: Fixture) -> Path | None:
    """Return the calibration file for the records, if any. Raises InputError if it is unfit."""
    if options.install and options.out is not None:
        raise InputError("--install and -o: one of the two; --install is the fixture's own file")
    path: Path | None = calibration_path(fixture) if options.install else options.out
    if path is not None:
        check_kept_file(path)
    if path is not None and path.exists():
        require_fixture(load_calibration(path), fixture, str(path))
    return path


def _list() -> None:
    for step in STEPS.values():
        say(f"{step.name}: {step.title}")
        for text in (step.does, f"Connect: {step.connect}"):
            say_lines(textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    "))


def _announce(step: Step) -> None:
    say(f"{step.title}", flush=True)


def _tell(text: str) -> None:
    say(f"  {text}", error=True, flush=True)


def _silent(_text: str) -> None:
    """Report no progress."""


def _show(outcome: StepOutcome) -> None:
    for line in lines_of(outcome):
        say(f"  {line}")
    for finding in outcome.findings:
        _show_finding(finding, say)
    state = "PASS" if outcome.passed else "FAULTS"
    say(f"{state}  {outcome.record.step}", flush=True)


def _show_finding(finding: Finding, say: Callable[[str], None]) -> None:
    say(f"  {'FAULT' if finding.fault else 'note '}  {finding.text}")
    if finding.remedy:
        say(f"         {finding.remedy}")


def _write_fixture(path: Path, text: str) -> None:
    """Write the fixture into a new file, never over one that exists."""
    if not text:
        say(f"  {path}: not written, as not every wire arrives on a channel of its own")
        return
    with create_new(path, "fixture") as file:
        file.write(text)
    say(f"fixture:     {path}")
