# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that several commands have, and what `--help` says of exit codes."""

from __future__ import annotations

import argparse
from pathlib import Path

EXIT_CODES = """\
exit codes:
  0  passed
  1  a limit of the plan exceeded, or the run did not get to its end
  2  bad input: nothing was started, nothing written
  3  the bench failed
  4  witnesses disagree, or data lost
  5  done, but standard output or standard error could not take all of what was said
  6  the target refused the run, or a campaign has measured nothing
  130  interrupted by Ctrl-C
"""


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument(
        "--json", action="store_true", help="one JSON document on standard output, nothing else"
    )


def add_out(
    parser: argparse._ActionsContainer, name: str, text: str, *, needed: bool = False
) -> None:
    """Declare `-o`, `--out`: the file or folder that the command writes.

    name: what it is called in the help. text: what the help says of it.
    """
    parser.add_argument("-o", "--out", metavar=name, type=Path, required=needed, help=text)
