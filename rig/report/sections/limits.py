# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of the plan, and what came of it."""

from __future__ import annotations

from rig.printable import html_text
from rig.report.page_data import PageData
from rig.report.sections.html import section
from rig.report.words import EXCEEDED, limit_rows


def limits(data: PageData) -> str:
    """ "" for a run without any."""
    body = "".join(
        f"<tr><td{' class=no' if judgment == EXCEEDED else ''}>{html_text(judgment)}</td>"
        f"<td>{html_text(title)}</td><td class=number>{html_text(allowed)}</td>"
        f"<td>{html_text(found)}</td>"
        "</tr>"
        for judgment, title, found, allowed in limit_rows(data.result.evaluation)
    )
    if not body:
        return ""
    head = "<thead><tr><th></th><th>of</th><th class=number>limit</th><th>found</th></tr></thead>"
    table = f'<table class="limits">{head}<tbody>{body}</tbody></table>'
    return section("Limits", f'<div class="scroll">{table}</div>')
