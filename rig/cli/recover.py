# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig recover FILE [OUT]`"""

from __future__ import annotations

import argparse
from pathlib import Path

from rig.cli.streams import say
from rig.record.recover import recover
from rig.record.vetting import vet
from rig.shell_words import quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "out", metavar="OUT", type=Path, nargs="?", help="new file (default: FILE-recovered.h5)"
    )


def command(options: argparse.Namespace) -> int:
    """Copy what a crash left; 0 if the copy is there."""
    source: Path = options.file
    out: Path = options.out or source.with_name(f"{source.stem}-recovered{source.suffix}")
    vet(source)
    found = recover(source, out)
    say(
        f"{out}: {found.samples:,} samples with {found.edges:,} edges, {found.captures:,} captured "
        f"answers, {found.log_records:,} log records"
    )
    if not found.complete:
        say(f"missing: what came after sample {found.samples:,}, and the instruments' report")
    say(f"not closed, so no digest bears it out; the copy has its own: sha256 {found.digest}")
    say(f"now: rig analyze {quoted(out)}")
    return 0
