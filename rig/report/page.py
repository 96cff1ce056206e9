# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports as one self-contained page for the browser: no script, nothing loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rig import __version__
from rig.document import Plot, ReportDocument, tone_of
from rig.files import create_new
from rig.formatting import with_unicode_signs
from rig.printable import xml_text
from rig.report.pictures import pictures_of
from rig.report.run_report import run_report
from rig.session.results import Result

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER: Final = Path(__file__).parent
_BOUND: Final = "An observed maximum is that of the values measured, not a bound."
_UNIT: Final = re.compile(r"(?<=\d) (?=%|µs\b)")
"""The space between a number and its unit, which stay on one line."""
_PLOT_ID: Final = re.compile(r'(id="|href="#|url\(#)(?=[a-z]+\d*-m|[a-z]+\d*-p)')


def write_page(path: Path, result: Result) -> None:
    """Write the page of one run. Raises InputError if the file exists or cannot be written, or if
    the run file is damaged."""
    write_pages(path, [result])


def write_pages(path: Path, results: Sequence[Result]) -> None:
    """Write one page of one or more runs, in their order. Raises as write_page."""
    documents = [run_report(result, pictures_of(result)) for result in results]
    write_document(path, documents, "report", _BOUND)


def write_document(
    path: Path, documents: Sequence[ReportDocument], what: str, footer: str = ""
) -> None:
    """Write any reports as one page. Raises InputError; `what` is the word for it there."""
    text = page_of(documents, footer)
    with create_new(path, what) as file:
        file.write(text)


def page(result: Result) -> str:
    """Return the whole page of one run as text."""
    return pages([result])


def pages(results: Sequence[Result]) -> str:
    """Return the whole page as text. Raises InputError for a run file that is damaged."""
    return page_of([run_report(result, pictures_of(result)) for result in results], _BOUND)


def page_of(documents: Sequence[ReportDocument], footer: str = "") -> str:
    """Return any reports as one page."""
    title = documents[0].title if len(documents) == 1 else f"{len(documents)} runs"
    return rendered(
        _FOLDER / "page.html",
        documents=documents,
        title=title,
        style=(_FOLDER / "style.css").read_text(encoding="utf-8"),
        footer=f"Latency Rig {__version__}. {footer}",
    )


def rendered(template: Path, **values: object) -> str:
    """Return a template's text; its values are escaped, and microseconds have their sign."""
    return _environment(template.parent).get_template(template.name).render(**values).lstrip()


@cache
def _environment(folder: Path) -> Environment:
    # Takes long to load: not for a table in the terminal.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        if isinstance(value, Markup):
            return value
        return _UNIT.sub("\N{NO-BREAK SPACE}", with_unicode_signs(xml_text(str(value))))

    def verbatim(text: str) -> Markup:
        return Markup.escape(xml_text(text))

    def drawn(plot: Plot, number: int) -> Markup:
        # Plots of the same kind have the same ids in each run.
        return Markup(_PLOT_ID.sub(rf"\g<1>run{number}-", plot.draw()))  # noqa: S704 - made here

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"tone": tone_of, "verbatim": verbatim, "drawn": drawn}
    return environment
