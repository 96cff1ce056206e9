# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig compare A B ...`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rig.cli.options import add_json, add_out
from rig.cli.streams import say
from rig.errors import InputError
from rig.printable import json_text
from rig.record.free_space import check_new_file
from rig.record.vetting import vet
from rig.report.compare import compare, comparison, document
from rig.report.console import SafeConsole
from rig.report.page import write_document
from rig.report.terminal import print_report
from rig.session.results import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+")
    add_out(parser, "OUT.html", "write a page as well")
    add_json(parser)


def command(options: argparse.Namespace) -> int:
    """Show the runs side by side; 0 if they could be compared, whatever came out."""
    if len(options.files) < 2:
        raise InputError("compare: one run file given; valid: two or more")
    out = options.out
    if out is not None:
        if out.suffix not in (".html", ".htm"):
            raise InputError(f"{out}: valid names end in .html")
        check_new_file(out)
    for file in options.files:
        vet(file)
    runs = [read(file) for file in options.files]
    found = compare(runs)
    if options.json:
        sys.stdout.write(json_text(document(found, runs), indent=2) + "\n")
    else:
        print_report(SafeConsole(), comparison(found, runs))
    if out is not None:
        write_document(out, [comparison(found, runs)], "comparison")
        say(f"{out}: open it with a browser", error=True)
    return 0
