# SPDX-License-Identifier: GPL-3.0-or-later
"""The target's own tools beside the pin, on the page."""

from __future__ import annotations

from rig.report.page_data import PageData
from rig.report.sections.html import facts, section, table
from rig.report.tools import COLUMNS
from rig.report.tools import tools as tools_of


def tools(data: PageData) -> str:
    """Their table, and what each line of it measures; "" for a run without any."""
    found = tools_of(data.result)
    if found is None:
        return ""
    title = found.title[0].upper() + found.title[1:]
    return section(title, table(COLUMNS, found.rows, range(1, len(COLUMNS))), facts(found.facts))
