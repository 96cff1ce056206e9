# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency against the phase of the target's tick, from averages and maxima of each phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rig.plots.canvas import BODY, INK, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def folded_svg(average_us: Sequence[float], max_us: Sequence[float], period_us: float) -> str:
    """Equal parts of the period, shapes (n,), NaN where no event fell; "" for none."""
    if not average_us:
        return ""
    edges = np.linspace(0, period_us, len(average_us) + 1)

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.stairs(max_us, edges, baseline=None, color=BODY, label="maximum")
        axes.stairs(average_us, edges, baseline=None, color=INK, label="average")
        axes.set_xlim(0, period_us)
        axes.set_ylabel("latency in µs")
        axes.set_xlabel(f"µs since the tick of {period_us:,.6g} µs")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=8.5, borderpad=0)

    return svg("phase", f"Latency against the phase of a tick of {period_us:,.6g} µs", paint)
