# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency over the run: average and maximum of each stretch, and every outlier by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.plots.canvas import BAD, BODY, INK, WARN, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LatencyStretches:
    """Latencies of equal stretches of time; NaN where none was measured. Shapes (k + 1,), (k,)."""

    edges_s: FloatArray
    average_us: FloatArray
    maximum_us: FloatArray


@dataclass(frozen=True)
class MarkedEvent:
    """An event that stands out. `mark`: its number in the report, "" if it has no waveform."""

    time_s: float
    latency_us: float | None
    """The latency; None: it was never answered."""
    mark: str
    grave: bool = True


def timeline_svg(
    stretches: LatencyStretches,
    outliers: Sequence[MarkedEvent],
    *,
    limit_us: float | None = None,
    quantity: str = "latency",
    since: str = "the first stimulus",
) -> str:
    """ "" if nothing was measured."""
    if not np.isfinite(stretches.maximum_us).any():
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        edges = stretches.edges_s
        axes.stairs(stretches.maximum_us, edges, baseline=None, color=BODY, label="maximum")
        axes.stairs(stretches.average_us, edges, baseline=None, color=INK, linewidth=1.0,
                    label="average")  # fmt: skip
        top = np.nanmax([*stretches.maximum_us, *(o.latency_us or 0.0 for o in outliers)])
        low = min(0.0, float(np.nanmin(stretches.average_us)))
        axes.set_ylim(low, top * 1.18)
        axes.set_xlim(edges[0], edges[-1])
        if limit_us is not None and limit_us <= 1.1 * top:
            axes.axhline(limit_us, color=WARN, linewidth=1.0, linestyle=(0, (4, 3)),
                         label=f"limit {limit_us:g} µs")  # fmt: skip
        _outliers(axes, outliers)
        axes.set_ylabel(f"{quantity} in µs")
        axes.set_xlabel(f"time in s since {since}")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5, fontsize=8.5, borderpad=0)

    return svg("timeline", f"Maximum {quantity} over the run, outliers marked", paint)


def _outliers(axes: Axes, outliers: Sequence[MarkedEvent]) -> None:
    answered = [(o.time_s, o.latency_us, o.grave) for o in outliers if o.latency_us is not None]
    for grave, color, label in ((True, BAD, "outlier"), (False, BODY, "largest")):
        some = [(x, y) for x, y, is_grave in answered if is_grave is grave]
        if some:
            axes.plot(
                *zip(*some, strict=True), "o", color=color,
                markersize=4.5, clip_on=False, label=label,
            )  # fmt: skip
    missed = [o.time_s for o in outliers if o.latency_us is None]
    if missed:
        axes.plot(missed, [0.025] * len(missed), "x", color=BAD, markersize=5.5, clip_on=False,
                  transform=axes.get_xaxis_transform(), label="no answer")  # fmt: skip
    for outlier in outliers:
        if outlier.mark:
            at = (outlier.time_s, 0.025 if outlier.latency_us is None else outlier.latency_us)
            place = "data" if outlier.latency_us is not None else axes.get_xaxis_transform()
            axes.annotate(outlier.mark, at, xycoords=place, xytext=(0, 5), fontsize=8.5,
                          textcoords="offset points", ha="center", color=INK)  # fmt: skip
