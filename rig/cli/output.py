# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on standard output: a table, or one JSON document and nothing else."""

from __future__ import annotations

import sys

from rig.printable import json_text
from rig.report.console import SafeConsole
from rig.report.run_report import run_report
from rig.report.terminal import print_report
from rig.session.results import Result, document


def show_result(result: Result, *, as_json: bool) -> None:
    """Print it."""
    if as_json:
        sys.stdout.write(json_text(document(result), indent=2) + "\n")
    else:
        print_report(SafeConsole(), run_report(result))
