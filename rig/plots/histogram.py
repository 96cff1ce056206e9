# SPDX-License-Identifier: GPL-3.0-or-later
"""A latency histogram: linear microseconds, logarithmic count, steps, the worst value printed.

A single outlier among a million must be as visible as the body: hence the logarithm, and an axis
that begins below 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array
from rig.plots.canvas import BAD, BODY, INK, WARN, decades, plain_axes, sizes, svg, thousands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 160
_BOTTOM = 0.6
"""The bottom of the count axis: one value stands clearly above it."""


def histogram_svg(
    values: Int64Array,
    counts: Int64Array,
    sample_ns: float,
    *,
    average_us: float | None = None,
    limit_us: float | None = None,
    quantity: str = "latency",
    name: str = "histogram",
    is_small: bool = False,
) -> str:
    """`values` in samples, ascending, and how often each occurred, shapes (k,); "" for none.

    `name`: of the plot, another one for each on a page. `is_small`: two have room in a row.
    """
    if not len(values):
        return ""
    edges_us, heights = binned(values, counts, sample_ns)
    worst_us = float(values[-1]) * sample_ns / 1e3

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.set_yscale("log")
        axes.stairs(heights, edges_us, baseline=_BOTTOM, fill=True, color=BODY, alpha=0.25)
        axes.stairs(heights, edges_us, baseline=_BOTTOM, color=BODY, linewidth=1.2)
        axes.set_ylim(_BOTTOM, max(10.0, float(heights.max()) * 3.2))
        decades(axes, thousands)
        axes.set_ylabel("count")
        axes.set_xlabel(f"{quantity} in µs")
        marks = [(worst_us, f"observed maximum {worst_us:.3f} µs", BAD)]
        if average_us is not None:
            marks.insert(0, (average_us, f"average {average_us:.3f} µs", INK))
        if limit_us is not None and limit_us <= edges_us[-1] * 1.5:
            marks.append((limit_us, f"limit {limit_us:g} µs", WARN))
        for at_us, text, color in marks:
            axes.axvline(at_us, color=color, linewidth=1.0, linestyle=(0, (4, 3)), label=text)
        # Above the plot, where it lies on no bar.
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8.5, borderpad=0)

    title = f"Histogram of {int(counts.sum()):,} values, observed maximum {worst_us:.3f} µs"
    return svg(name, title, paint, **sizes(is_small=is_small))


def binned(
    values: Int64Array, counts: Int64Array, sample_ns: float, bins: int = BINS
) -> tuple[npt.NDArray[np.float64], Int64Array]:
    """Edges in us and heights. Bins of whole samples: none holds more grid points than another."""
    low, high = int(values[0]), int(values[-1])
    step = max(1, -(-(high - low + 1) // bins))
    heights: Int64Array = np.zeros((high - low) // step + 1, np.int64)
    np.add.at(heights, (values - low) // step, counts)
    # A value is its sample's end: its bin is centered on it.
    edges = (low + step * np.arange(len(heights) + 1) - 0.5) * sample_ns / 1e3
    return edges.astype(np.float64), heights
