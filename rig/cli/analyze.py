# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig analyze FILE`: a run file, or a capture that was made without this rig."""

from __future__ import annotations

import argparse
from pathlib import Path

from rig.capture.rates import RATE_MAX_HZ
from rig.capture.replay.capture_file import FileKind, kind_of
from rig.cli.options import add_json, add_out
from rig.cli.output import show_result
from rig.cli.streams import say
from rig.errors import InputError
from rig.record.vetting import in_child, vet
from rig.session.calibration import calibration_for
from rig.session.event_spool import EventSpool
from rig.session.imported import CaptureSignals, analyze_capture, import_capture
from rig.session.results import Result, read, result_text, store, stored_text
from rig.toml.units import RATE, TIME, UnitKind

TIME_MAX_PS = 60 * 10**12
_LEVELS = {"rising": 1, "falling": 0, "both": None}
_CAPTURE_OPTIONS = (
    "stimulus",
    "response",
    "sequence",
    "edge",
    "answer",
    "glitch_filter",
    "sample_rate",
    "out",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "--calibration", metavar="FILE|none", help="instead of the one that the run was made with"
    )
    capture = parser.add_argument_group("for a capture made by hand")
    capture.add_argument("--stimulus", metavar="CHANNEL", help="channel by name, or D0, D1, ...")
    capture.add_argument("--response", metavar="CHANNEL")
    capture.add_argument(
        "--sequence", metavar="CHANNEL,...", help="sequence bits, least significant first"
    )
    capture.add_argument(
        "--edge", choices=("rising", "falling"), help="stimulus edge that counts (rising)"
    )
    capture.add_argument(
        "--answer",
        choices=("rising", "falling", "both"),
        help="response edges that are answers (both: a pin that toggles)",
    )
    capture.add_argument(
        "--glitch-filter", metavar="TIME", help='shorter pulses are set aside, such as "200 ns"'
    )
    capture.add_argument(
        "--sample-rate", metavar="RATE", help="that the capture was made with, if not in the file"
    )
    add_out(capture, "RUN.h5", "keep it as a run file")
    add_json(parser)


def command(options: argparse.Namespace) -> int:
    """Compute and show; exit code as of `rig run`. Raises InputError."""
    given = [name for name in _CAPTURE_OPTIONS if getattr(options, name) is not None]
    if not options.file.is_file() or kind_of(options.file) is FileKind.RUN_FILE:
        if given:
            raise InputError(
                f"{options.file}: is no capture, --{given[0].replace('_', '-')} is for captures; "
                "valid: a capture of sigrok (.sr), DSView (.dsl) or Saleae, or a value change dump"
            )
        result = _run_file(options)
    else:
        result = _capture(options)
    show_result(result, as_json=options.json)
    return result.exit_code


def _run_file(options: argparse.Namespace) -> Result:
    """Compute again and store what is new."""
    vet(options.file, figures=False)  # whatever they are, they are computed again
    text = calibration_for(options.file, options.calibration)
    stored = stored_text(options.file)
    with EventSpool(options.file.resolve().parent) as spool:
        if stored:  # by far the most often nothing is new
            spool.close()
        result = read(options.file, text, spool.add if spool.holds else None)
        same = result_text(result) == stored
        if not same:
            in_child(options.file, lambda: _store(options.file, text, result, spool))
    words = "the same figures as stored" if same else "figures stored"
    say(f"{options.file}: {words}", error=True)
    return result


def _store(path: Path, calibration: str, result: Result, spool: EventSpool) -> None:
    store(path, calibration, (result, spool.pieces()) if spool.holds else None)


def _capture(options: argparse.Namespace) -> Result:
    if options.calibration is not None:
        raise InputError(
            f"{options.file}: a capture tells nothing of its bench, --calibration is for run "
            "files; leave it out"
        )
    signals = _signals(options)
    if options.out is None:
        return analyze_capture(options.file, signals)
    return import_capture(options.file, signals, options.out)


def _signals(options: argparse.Namespace) -> CaptureSignals:
    if options.stimulus is None or options.response is None:
        raise InputError(
            f"{options.file}: is a capture: say what its channels carry, such as "
            "--stimulus D0 --response D1"
        )
    rate_hz = _quantity(RATE, "--sample-rate", options.sample_rate, RATE_MAX_HZ)
    filter_ps = _quantity(TIME, "--glitch-filter", options.glitch_filter, TIME_MAX_PS)
    return CaptureSignals(
        stimulus=options.stimulus,
        response=options.response,
        sequence=tuple(options.sequence.split(",")) if options.sequence else (),
        active_level=1 if options.edge != "falling" else 0,
        answer_level=_LEVELS[options.answer or "both"],
        glitch_filter_ps=filter_ps or 0,
        sample_rate_hz=rate_hz,
    )


def _quantity(kind: UnitKind, option: str, text: str | None, most: int) -> int | None:
    if text is None:
        return None
    try:
        value = kind.parse(text)
    except ValueError as error:
        raise InputError(f'{option}: {error}; valid: such as "{kind.example}"') from None
    if not 1 <= value <= most:
        valid = f"{kind.format(1)} to {kind.format(most)}"
        raise InputError(f"{option}: {text!a} is out of range; valid: {valid}")
    return value
