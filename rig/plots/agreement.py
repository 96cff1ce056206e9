# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of one latency by two witnesses: one against the other, and how they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.plots.canvas import BAD, BODY, DIM, svg, thousands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 1200
"""Drawn at most; the largest differences are all among them."""

FloatArray = npt.NDArray[np.float64]


def agreement_svg(
    first_us: FloatArray,
    second_us: FloatArray,
    *,
    first_name: str,
    second_name: str,
    offset_ns: float = 0.0,
    allowed_ns: float | None = None,
    name: str = "agreement",
) -> str:
    """Shapes (n,); "" for none. `name`: of the plot, another one for each on a page.

    `offset_ns`: the known constant part of second - first. `allowed_ns`: largest departure from it
    that resolution explains.
    """
    if not len(first_us):
        return ""
    difference_ns = (second_us - first_us) * 1e3 - offset_ns
    shown = thinned(np.abs(difference_ns))

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
        low, high = float(first_us.min()), float(first_us.max())
        left.plot([low, high], [low + offset_ns / 1e3, high + offset_ns / 1e3], color=DIM,
                  linewidth=0.8)  # fmt: skip
        left.plot(first_us[shown], second_us[shown], "o", color=BODY, markersize=2.2, alpha=0.5)
        left.set_xlabel(f"{first_name}, µs")
        left.set_ylabel(f"{second_name}, µs")
        edges = np.histogram_bin_edges(difference_ns, min(80, max(10, len(first_us) // 8)))
        counts = np.histogram(difference_ns, edges)[0]
        right.stairs(counts, edges, fill=True, color=BODY, alpha=0.3)
        right.stairs(counts, edges, color=BODY)
        for side in (-1, 1):
            if allowed_ns is not None:
                right.axvline(side * allowed_ns, color=BAD, linewidth=1.0, linestyle=(0, (4, 3)))
        right.yaxis.set_major_formatter(thousands)
        sign = "-" if offset_ns > 0 else "+"
        constant = f" {sign} {abs(offset_ns):.1f} ns" if offset_ns else ""
        right.set_xlabel(f"{second_name} - {first_name}{constant}, in ns")
        right.set_ylabel("count")
        for axes in (left, right):
            axes.grid()
            axes.tick_params(length=3)

    return svg(name, f"{second_name} against {first_name}", paint, height_in=3.1)


def thinned(size: FloatArray, points: int = POINTS) -> npt.NDArray[np.int64]:
    """Numbers of what is drawn: an even choice, and the largest ones."""
    if len(size) <= points:
        return np.arange(len(size))
    largest = np.argpartition(size, -points // 4)[-points // 4 :]
    even = np.linspace(0, len(size) - 1, points - points // 4).astype(np.int64)
    return np.unique(np.concatenate([largest, even]))
