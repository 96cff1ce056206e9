# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on standard output: a table, or one JSON document and nothing else."""

from __future__ import annotations

import sys

from rig.analysis.measurements.without_above import without_above
from rig.printable import json_text
from rig.report.console import SafeConsole
from rig.report.run_report import run_report
from rig.report.terminal import print_report
from rig.session.results import Result, document


def show_result(result: Result, *, as_json: bool, without_above_ns: float | None = None) -> None:
    """Print it; with the figures without the values above a threshold, if there is one."""
    kept = None
    if without_above_ns is not None:
        kept = without_above(result.evaluation.measurands, without_above_ns)
    if as_json:
        sys.stdout.write(json_text(document(result, kept), indent=2) + "\n")
    else:
        print_report(SafeConsole(), run_report(result, kept=kept))
