# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig stimulus flash|probe`: the stimulus microcontroller, by one command."""

from __future__ import annotations

import argparse

from rig.cli.findings import show_findings
from rig.cli.streams import say
from rig.services.flash import flash
from rig.services.stimulus_loopback import SECONDS, SECONDS_MAX, SECONDS_MIN
from rig.services.stimulus_probe import probe_stimulus
from rig.stimulus.chip import chip_names
from rig.stimulus.usb_ports import likely_port


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    actions = parser.add_subparsers(
        required=True, metavar="ACTION", dest="action", parser_class=argparse.ArgumentParser
    )
    flashing = actions.add_parser("flash", help="put the firmware onto an Uno or Nano, by avrdude")
    probing = actions.add_parser(
        "probe", help="firmware, clock and wires of a stimulus; 3 if it cannot measure"
    )
    names = chip_names()
    for action in (flashing, probing):
        action.add_argument(
            "--port", metavar="PORT", help="the serial port (default: the one that looks like it)"
        )
        action.add_argument(
            "--chip", metavar="CHIP", choices=names, default=names[0], help=", ".join(names)
        )
    probing.add_argument(
        "--loopback",
        metavar="SECONDS",
        nargs="?",
        type=_seconds,
        const=SECONDS,
        help="its stimulus pin is on its response pin, by a wire: send trains at its shortest "
        f"intervals, and count captures for so long (default {SECONDS:g})",
    )


def _seconds(text: str) -> float:
    try:
        if SECONDS_MIN <= (seconds := float(text)) <= SECONDS_MAX:
            return seconds
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!a:.40}; valid: {SECONDS_MIN} to {SECONDS_MAX:g}")


def command(options: argparse.Namespace) -> int:
    """One of the two; returns the exit code."""
    port = options.port or likely_port()
    if options.action == "probe":
        return show_findings([*probe_stimulus(port, options.chip, options.loopback)])
    baud = flash(port, options.chip, say)
    say(f"flashed and verified at {baud} baud; `rig stimulus probe --port {port}` looks at it")
    return 0
