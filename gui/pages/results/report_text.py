# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as rich text: the blocks of its report, as a QTextBrowser can show them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gui.theme.palette import Palette
from rig.session.results import Result

_TEMPLATE: Final = Path(__file__).with_name("report.html")


def report_html(result: Result, colors: Palette, note: str = "") -> str:
    """All of it but its plots, which have a place of their own in the window.

    `note` is what must be said of it first.
    """
    # They take long to load, and the window has opened by then.
    from rig.report.page import rendered
    from rig.report.run_report import run_report

    return rendered(_TEMPLATE, report=run_report(result), colors=colors, note=note)
