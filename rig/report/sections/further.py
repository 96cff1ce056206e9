# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement has beside its latency: periods and dispatches, by pin and by ticks."""

from __future__ import annotations

from rig.report.measured import COLUMNS, measured
from rig.report.page_data import PageData
from rig.report.sections.html import facts, section, table


def further(data: PageData) -> str:
    """The measurement's own table, each line of it one witness's; "" for a latency alone."""
    found = measured(data.result.evaluation)
    if found is None:
        return ""
    title = found.title[0].upper() + found.title[1:]
    numbers = range(1, len(COLUMNS))
    return section(title, table(COLUMNS, found.rows, numbers), facts(found.facts))
