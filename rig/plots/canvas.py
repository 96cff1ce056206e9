# SPDX-License-Identifier: GPL-3.0-or-later
"""A matplotlib figure as SVG that takes its colors and its font from the page around it.

Drawn with stand-in colors, which become the page's CSS variables: one picture serves light, dark
and print. Text stays text, so it can be searched and read aloud.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rig.printable import html_text, xml_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN = 9.0
"""The width of a plot across the page: its text is then as large as the page's notes."""

SMALL_IN = 4.4
"""The width of each of two plots beside each other."""

INK, DIM, GRID, PAPER = "#010101", "#020202", "#030303", "#040404"
BODY, SECOND, BAD, WARN, GOOD = "#050505", "#060606", "#070707", "#080808", "#090909"
VARIABLES = {
    INK: "ink", DIM: "dim", GRID: "grid", PAPER: "paper",
    BODY: "body", SECOND: "second", BAD: "bad", WARN: "warn", GOOD: "good",
}  # fmt: skip
"""The CSS variable that takes the place of each stand-in color."""

MISSING = "not drawn, matplotlib is missing; pip install matplotlib, then rig report FILE"

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "latency-rig",
    "path.simplify": False,
    "text.parse_math": False,  # text from outside is no formula
    "font.size": 9.0,
    "axes.edgecolor": DIM,
    "axes.facecolor": "none",
    "axes.labelcolor": DIM,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.facecolor": "none",
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.labelcolor": DIM,
    "lines.linewidth": 1.3,
    "text.color": DIM,
    "xtick.color": DIM,
    "ytick.color": DIM,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "ytick.minor.visible": False,
}


def svg(
    name: str,
    title: str,
    paint: Callable[[Figure], None],
    *,
    width_in: float = WIDTH_IN,
    height_in: float = 3.0,
) -> str:
    """An <svg> element. `name` makes its ids unique in the page, `title` is what it shows.

    Without matplotlib: a line of HTML that says so.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return f'<p class="note">{html_text(title)}: {MISSING}</p>'
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(width_in, height_in), layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)  # print_svg has no types
        paint(figure)
        text = io.StringIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
        # What savefig comes to; but that draws everything twice, once to nowhere.
        canvas.print_svg(text, metadata=metadata)
    return _for_page(text.getvalue(), name, title)


def sizes(*, is_small: bool) -> dict[str, float]:
    """Return the sizes of a plot across the page, or of one of two beside each other."""
    return {"width_in": SMALL_IN, "height_in": 2.4} if is_small else {"height_in": 3.3}


def _for_page(text: str, name: str, title: str) -> str:
    """Return a stand-alone SVG file as a part of a page that has other plots too."""
    text = xml_text(text[text.index("<svg") :])
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"| version="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: m.group() if m.group(1) in used else "", text)
    for found in used:
        text = text.replace(f'"{found}"', f'"{name}-{found}"')
        text = text.replace(f"#{found}", f"#{name}-{found}")
    for color, variable in VARIABLES.items():
        text = text.replace(color, f"var(--{variable})")
    text = re.sub(r" font-family: [^;\"]*;?", "", text)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s*", "\n", text)
    head, _, rest = text.partition(">")
    words = f' class="plot" role="img" aria-label="{html_text(title)}"'
    return f"{head}{words}><title>{html_text(title)}</title>{rest}".strip()


def plain_axes(figure: Figure, **words: Any) -> Axes:
    """One pair of axes with a light horizontal grid."""
    axes: Axes = figure.add_subplot(**words)
    axes.grid(axis="y")
    axes.tick_params(length=3)
    return axes


def decades(axes: Axes, words: Callable[[float, object], str]) -> None:
    """Labels of a logarithmic y axis: at every power of ten if there is room."""
    from matplotlib.ticker import LogLocator

    axes.yaxis.set_major_locator(LogLocator(base=10, numticks=12))
    axes.yaxis.set_major_formatter(words)


def thousands(value: float, _place: object = None) -> str:
    """Return a count as people read it."""
    return f"{value:,.0f}"


def share(value: float, _place: object = None) -> str:
    """Return a probability as a power of ten, or as it is."""
    return f"{value:g}"
