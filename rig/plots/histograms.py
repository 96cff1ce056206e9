# SPDX-License-Identifier: GPL-3.0-or-later
"""Several latency histograms over each other, each with bins of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array
from rig.plots.canvas import DIM, decades, plain_axes, svg, thousands
from rig.plots.overlay import line_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BOTTOM = 0.6
"""The bottom of the count axis: one value stands clearly above it."""


@dataclass(frozen=True)
class HistogramSeries:
    """One histogram: edges of its bins in us, shape (k + 1,), and counts, shape (k,)."""

    name: str
    edges_us: npt.NDArray[np.float64]
    counts: Int64Array
    max_us: float

    @classmethod
    def of_bins(
        cls, name: str, first_ns: Sequence[int], counts: Sequence[int], width_ns: int, max_us: float
    ) -> HistogramSeries:
        """Make a series of the bins that hold anything; those between them are empty."""
        places = (np.array(first_ns, np.int64) - first_ns[0]) // width_ns
        heights = np.zeros(int(places[-1]) + 1, np.int64)
        heights[places] = counts
        edges_us = (first_ns[0] + width_ns * np.arange(len(heights) + 1)) / 1e3
        return cls(name, edges_us, heights, max_us)


def histograms_svg(series: Sequence[HistogramSeries]) -> str:
    """Draw them as steps; a dot is each one's maximum. "" for none."""
    if not series:
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.set_yscale("log")
        highest = 10.0
        for number, each in enumerate(series):
            style = line_style(number)
            axes.stairs(each.counts, each.edges_us, baseline=_BOTTOM, linewidth=1.2, **style)
            axes.plot([each.max_us], [1], "o", markersize=4.5, **style)
            axes.plot([], [], marker="o", markersize=4.5, label=each.name, **style)
            highest = max(highest, float(each.counts.max()))
        axes.axhline(1, color=DIM, linewidth=0.5)
        axes.set_ylim(_BOTTOM, highest * 3.2)
        decades(axes, thousands)
        axes.set_ylabel("count in a bin")
        axes.set_xlabel("µs; a dot is the observed maximum")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8.5, borderpad=0)

    return svg("histograms", f"{len(series)} histograms", paint, height_in=3.6)
