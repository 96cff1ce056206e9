# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig show FILE`"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import time

from rig.cli.options import add_json
from rig.cli.output import show_result
from rig.cli.streams import say
from rig.errors import input_error
from rig.record.vetting import vet
from rig.session.results import read
from rig.shell_words import quoted
from rig.toml.units import TIME


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "--without-above",
        metavar="TIME",
        help="the figures without the values above it, too, such as 25ns",
    )
    add_json(parser)


def _threshold_ns(text: str) -> float:
    """Return a time of the command line. Raises InputError."""
    try:
        return TIME.parse(text) / 1000
    except ValueError as error:
        valid = 'a time such as "25ns"'
        raise input_error("--without-above", None, "", str(error), valid) from None


def command(options: argparse.Namespace) -> int:
    """Show a run; 0 if it could be read, whatever its verdict."""
    above = options.without_above
    above_ns = None if above is None else _threshold_ns(above)
    vet(options.file)
    result = read(options.file)
    show_result(result, as_json=options.json, without_above_ns=above_ns)
    if result.state == "running" and not options.json:
        for line in _how_to_go_on(options.file):
            say(line)
    return 0


def _how_to_go_on(path: Path) -> tuple[str, ...]:
    """Return lines on a file that is not closed: how long it is silent, as it may be written."""
    silent_s = max(0.0, time() - path.stat().st_mtime)
    return (
        "not closed, so no digest bears out what is in it",
        f"last written {silent_s:.1f} s ago; a run that is going on writes several times a second",
        f"if it was killed: rig recover {quoted(path)}",
    )
