# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig report FILE... -o report.html`"""

from __future__ import annotations

import argparse
from pathlib import Path

from rig.cli.options import add_out
from rig.cli.streams import say
from rig.errors import InputError
from rig.record.free_space import check_new_file
from rig.record.vetting import vet
from rig.report.junit import check_junit, write_junit
from rig.report.page import write_pages
from rig.session.results import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+")
    add_out(parser, "OUT.html", "(default: the first FILE's name with .html)")
    parser.add_argument("--junit", metavar="OUT.xml", type=Path, help="verdicts as JUnit XML too")


def command(options: argparse.Namespace) -> int:
    """Write the page; 0 if all files could be read, whatever their verdicts."""
    out = options.out or options.files[0].with_suffix(".html")
    if out.suffix not in (".html", ".htm"):
        raise InputError(f"{out}: valid names end in .html")
    check_new_file(out)
    if options.junit is not None:
        check_junit(options.junit)
    for file in options.files:
        vet(file)
    results = [read(file) for file in options.files]
    write_pages(out, results)
    say(f"{out}: open it with a browser; to get a PDF, print it")
    if options.junit is not None:
        write_junit(options.junit, results)
        say(f"{options.junit}: JUnit XML")
    return 0
