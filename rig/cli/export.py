# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig export FILE OUT.sr`"""

from __future__ import annotations

import argparse
from pathlib import Path

from rig.cli.streams import say
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.vetting import vet
from rig.session.events_csv import write_events
from rig.session.settings_check import checked_settings
from rig.session.windows import MARGIN_NS, CaptureWindow, window_of, write_window
from rig.toml.units import TIME

SR_SAMPLES_MAX = 10**10
"""Samples of a whole capture as .sr: 7 minutes at 24 MS/s, and more than its readers can hold."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("out", metavar="OUT", type=Path, help="a name ending in .sr, .vcd or .csv")
    parser.add_argument("--event", metavar="N", type=int, help="only around event N, from 0")
    parser.add_argument(
        "--margin", metavar="TIME", help='shown before and after it, as "1 ms" (default: 200 us)'
    )


def command(options: argparse.Namespace) -> int:
    """Write the raw capture, glitches and all, whole or around one event; or all events as CSV, or
    all values that the target measured by itself."""
    if options.out.suffix not in (".sr", ".vcd", ".csv"):
        raise InputError(f"{options.out}: valid names end in .sr, .vcd or .csv")
    as_csv = options.out.suffix == ".csv"
    if as_csv and (options.event is not None or options.margin is not None):
        raise InputError(f"{options.out}: a .csv holds all events, without --event and --margin")
    vet(options.file)
    with RunFile(options.file) as file:
        settings = checked_settings(file)
        if as_csv:
            said = write_events(file, settings, options.out)
            say(f"{options.out}: {said}")
            return 0
        if options.event is None:
            _check_length(options, file.covered_samples)
            window = CaptureWindow(0, 0, file.covered_samples, "whole")
        else:
            margin_ns = MARGIN_NS if options.margin is None else _margin_ns(options.margin)
            window = window_of(file, settings, options.event, margin_ns)
        write_window(file, settings, window, options.out)
    say(f"{options.out}: open it with PulseView or sigrok-cli")
    return 0


def _check_length(options: argparse.Namespace, samples: int) -> None:
    if options.out.suffix == ".sr" and samples > SR_SAMPLES_MAX:
        raise InputError(
            f"{options.file}: {samples:,} samples, too many for a .sr, which holds each of them; "
            f"valid: up to {SR_SAMPLES_MAX:,}, or --event N for a part, or a .vcd, which holds the "
            "changes"
        )


def _margin_ns(text: str) -> int:
    try:
        return TIME.parse(text) // 1000
    except ValueError as error:
        raise InputError(f"--margin: {error}") from None
