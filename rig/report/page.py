# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as one self-contained page for the browser: no script, nothing loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from rig import __version__
from rig.files import create_new
from rig.printable import html_text
from rig.report.page_data import PageData, page_data
from rig.report.page_style import STYLE
from rig.report.sections.agreement import agreement
from rig.report.sections.beyond import beyond
from rig.report.sections.budget import budget
from rig.report.sections.course import course
from rig.report.sections.distribution import distribution, figures
from rig.report.sections.environment import environment, run
from rig.report.sections.events import clocks, delays, events, loss, witnesses
from rig.report.sections.further import further
from rig.report.sections.head import head, title
from rig.report.sections.limits import limits
from rig.report.sections.saturation import saturation, saturation_curve
from rig.report.sections.tools import tools
from rig.report.units import micro
from rig.session.results import Result

SECTIONS = (
    head, limits, saturation, saturation_curve, further, tools, figures, beyond, distribution,
    course, events, witnesses, clocks, delays, agreement, loss, budget, run, environment,
)  # fmt: skip
"""In the order of the page; each takes a run's data and may have nothing to say."""
PLOTS = (distribution, course, agreement, saturation_curve)
"""Those of them that only draw."""


def write_page(path: Path, result: Result) -> None:
    """Write the page of one run. Raises InputError if the file exists or cannot be written."""
    write_pages(path, [result])


def write_pages(path: Path, results: Sequence[Result]) -> None:
    """Write one page of one or more runs, in their order. Raises as write_page."""
    text = pages(results)
    with create_new(path, "report") as file:
        file.write(text)


def page(result: Result) -> str:
    """The whole page of one run as text."""
    return pages([result])


def pages(results: Sequence[Result]) -> str:
    """The whole page as text. Raises InputError for a run file that is damaged."""
    runs = [page_data(result) for result in results]
    name = title(runs[0]) if len(runs) == 1 else f"{len(runs)} runs"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html_text(name)}</title><style>{STYLE}</style></head><body>",
        _contents(runs) if len(runs) > 1 else "",
        *(_run(number, data) for number, data in enumerate(runs, 1)),
        f"<footer>Latency Rig {__version__}. An observed maximum is that of the values measured, "
        "not a bound.</footer></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def words(result: Result) -> str:
    """The sections of a run's page without its plots, for programs that draw by themselves: a
    piece of HTML. Quick for a run of any length. Raises InputError for a damaged run file."""
    data = page_data(result, drawn=False)
    parts = (_written(section, data) for section in SECTIONS if section not in PLOTS)
    return "\n".join(part for part in parts if part)


def _written(section: Callable[[PageData], str], data: PageData) -> str:
    """A section in the page's way of writing units, but what the target itself said as it is."""
    text = section(data)
    return text if section is environment else micro(text)


def _contents(runs: Sequence[PageData]) -> str:
    items = "".join(
        f'<li><a href="#run{number}">{html_text(title(data))}</a>: '
        f'<span class="{data.result.evaluation.verdict}">{data.result.evaluation.verdict}</span>, '
        f"{html_text(data.result.path.name)}</li>"
        for number, data in enumerate(runs, 1)
    )
    return f"<nav><h1>{len(runs)} runs</h1><ol>{items}</ol></nav>"


def _run(number: int, data: PageData) -> str:
    body = "\n".join(part for part in (_written(section, data) for section in SECTIONS) if part)
    file = f'<p class="note">Run file: {html_text(data.result.path.name)}</p>'
    # Plots of the same kind have the same ids in each run.
    body = re.sub(r'(id="|href="#|url\(#)(?=[a-z]+\d*-m|[a-z]+\d*-p)', rf"\g<1>run{number}-", body)
    return f'<main class="run" id="run{number}">\n{body}\n{file}</main>'
