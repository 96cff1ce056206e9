# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig table FOLDER...`"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Final

from rig.cli.options import add_out
from rig.cli.streams import say
from rig.document import TextTable
from rig.errors import InputError
from rig.files import create_new
from rig.record.free_space import check_new_file
from rig.report.tables.record import RunRecord
from rig.report.tables.reference import beside
from rig.report.tables.render import rendered
from rig.report.tables.rhealstone import parse_weights, rhealstone
from rig.report.tables.runs import records_of
from rig.report.tables.shapes import SHAPES

_SHAPE_OF: Final = {"slides": "slides", "thesis": "thesis"}
"""The shape of a reference that has one of its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("paths", metavar="PATH", type=Path, nargs="+", help="folders, or run files")
    parser.add_argument(
        "--reference", choices=("radder", "slides", "thesis"), help="published figures beside ours"
    )
    parser.add_argument(
        "--shape",
        choices=("scenarios", "comparison", "slides", "thesis", "golem", "rhealstone"),
        help="(default: as --reference has it, else by scenario, with a comparison of systems)",
    )  # fmt: skip
    parser.add_argument(
        "--weights", metavar="W,W,W,W,W,W",
        help="of the components of --shape rhealstone, in its order (default: 1 each)",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("terminal", "html", "csv", "latex", "markdown"), default="terminal"
    )
    parser.add_argument(
        "--history", action="store_true",
        help="instead: a page with all runs of one measurement in one picture, oldest in front",
    )  # fmt: skip
    add_out(parser, "FILE", "write it there (default: standard output)")


def command(options: argparse.Namespace) -> int:
    """Print tables of the runs; return 0 if there is anything to show. Raises InputError."""
    out: Path | None = options.out
    if out is not None:
        check_new_file(out)
    if options.history:
        return _history(options.paths, out)
    if options.weights is not None and options.shape != "rhealstone":
        raise InputError(
            "--weights: are of the components of one shape; valid: with --shape rhealstone"
        )
    records = records_of(options.paths, partial(say, error=True))
    if options.reference is not None:
        records = beside(records, options.reference)
    grids = _grids(records, options)
    return _written(rendered(grids, options.format), out)


def _history(paths: list[Path], out: Path | None) -> int:
    """Write the runs of one system as a picture, in a page of its own."""
    from rig.report.tables.history import history_page, ridges  # takes long to load

    return _written(history_page(ridges(paths, partial(say, error=True))), out)


def _written(text: str, out: Path | None) -> int:
    if out is None:
        sys.stdout.write(text)
        return 0
    with create_new(out, "table") as file:
        file.write(text)
    return 0


def _grids(records: list[RunRecord], options: argparse.Namespace) -> list[TextTable]:
    """Return tables in the shape asked for, else the reference's, else all that fit the runs."""
    shape = options.shape or _SHAPE_OF.get(options.reference)
    if options.weights is not None:
        return rhealstone(records, parse_weights(options.weights))
    if shape is not None:
        grids = SHAPES[shape](records)
        if not grids:
            raise InputError(f"nothing in these runs has the shape {shape}; valid: another --shape")
        return grids
    several = len({record.system for record in records}) > 1
    return SHAPES["scenarios"](records) + (SHAPES["comparison"](records) if several else [])
