# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison as a page for the browser, and as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from rig import __version__
from rig.analysis.uncertainty.difference import Difference
from rig.files import create_new
from rig.printable import html_text
from rig.report.compare import ABSENT, Comparison
from rig.report.console import SafeConsole
from rig.report.measured import quantity_of
from rig.report.page_data import PageData
from rig.report.page_style import STYLE
from rig.report.plots.overlay import Curve, overlay_svg
from rig.report.sections.head import title
from rig.report.sections.html import figure, note, section, table

_INTERVAL = (
    "Intervals of 95 %, from the scatter of the values alone and for independent events. What the "
    "bench adds is in all runs alike if it is the same bench."
)


def write_comparison(path: Path, found: Comparison, runs: Sequence[PageData]) -> None:
    """Write the page. Raises InputError if the file exists or cannot be written."""
    text = comparison_page(found, runs)
    with create_new(path, "comparison") as file:
        file.write(text)


def comparison_page(found: Comparison, runs: Sequence[PageData]) -> str:
    """The whole page as text."""
    name = f"Comparison of {len(runs)} runs"
    curves = [
        Curve(name, h.values, h.counts, 1e9 / data.unit_hz)
        for name, data in zip(found.names, runs, strict=True)
        for h in [data.result.evaluation.histogram]
    ]
    quantity = quantity_of(runs[0].result.evaluation)
    numbers = range(1, len(runs) + 1)
    head = ("", *found.names)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{name}</title><style>{STYLE}</style></head><body>",
        f"<header><h1>{name}</h1><p class=sub>{html_text(_measured(runs))}</p></header>",
        section("Distributions", figure(overlay_svg(curves, quantity=quantity))),
        section("Figures in microseconds, and counts", table(head, found.rows, numbers)),
        section(
            f"Differences from {found.names[0]} in microseconds",
            table(("", *found.names[1:]), difference_rows(found), numbers),
            note(_INTERVAL),
        ),
        section("What differs around the runs", table(head, found.around) if found.around else ""),
        f"<footer>Latency Rig {__version__}</footer></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _measured(runs: Sequence[PageData]) -> str:
    return "; ".join(dict.fromkeys(title(data) for data in runs))


def difference_rows(found: Comparison) -> list[tuple[str, ...]]:
    """Name of a figure, then its difference with its interval in each run but the first."""
    return [(name, *map(_words, each)) for name, each in found.differences]


def _words(difference: Difference | None) -> str:
    if difference is None:
        return ABSENT
    value = f"{difference.value_ns / 1e3:+.3f}"
    if difference.low_ns is None or difference.high_ns is None:
        return f"{value} (too few for an interval)"
    clear = "" if difference.is_clear else ", no clear difference"
    return f"{value} [{difference.low_ns / 1e3:+.3f}, {difference.high_ns / 1e3:+.3f}]{clear}"


def print_comparison(console: SafeConsole, found: Comparison) -> None:
    """Three tables, the same as on the page."""
    _print(console, "in microseconds, and counts", ("", *found.names), found.rows, right=True)
    head = ("", *found.names[1:])
    name = f"differences from {found.names[0]}, with intervals of 95 %"
    _print(console, name, head, difference_rows(found), right=True)
    if found.around:
        _print(console, "what differs around the runs", ("", *found.names), found.around)


def _print(
    console: SafeConsole,
    name: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: bool = False,
) -> None:
    console.print(name, style="bold", markup=False, highlight=False)
    found = Table(box=None, pad_edge=False, padding=(0, 1))
    for number, text in enumerate(head):
        found.add_column(text, justify="right" if right and number else "left", overflow="fold")
    for row in rows:
        found.add_row(*(text.replace("[", r"\[") for text in row))
    console.print(found)
    console.print()
