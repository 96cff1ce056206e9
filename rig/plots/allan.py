# SPDX-License-Identifier: GPL-3.0-or-later
"""Allan deviations of a run's pairs of clocks, by averaging time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rig.analysis.measurements.clock_stability import ClockStability
from rig.plots.canvas import BODY, GOOD, SECOND, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = (BODY, SECOND, GOOD)
_MARKERS = ("o", "s", "^")


def allan_svg(found: Sequence[ClockStability]) -> str:
    """Log-log, each with its floor as a dashed line; "" for none."""
    if not any(each.tau_s for each in found):
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        for each, color, marker in zip(found, _COLORS, _MARKERS, strict=False):
            axes.loglog(each.tau_s, each.deviation, color=color, marker=marker, markersize=3,
                        label=each.pair)  # fmt: skip
            axes.loglog(each.tau_s, each.floor, color=color, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.grid(axis="x")
        axes.set_ylabel("Allan deviation")
        axes.set_xlabel("averaging time in s")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8.5, borderpad=0)

    pairs = ", ".join(each.pair for each in found)
    return svg("allan", f"Allan deviation: {pairs}", paint, height_in=2.6)
