# SPDX-License-Identifier: GPL-3.0-or-later
"""Distributions of several runs over each other, as the share of latencies above x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rig.instruments import Int64Array
from rig.plots.canvas import (
    BAD,
    BODY,
    DIM,
    GOOD,
    INK,
    SECOND,
    WARN,
    decades,
    plain_axes,
    share,
    svg,
)
from rig.plots.tail import exceedances, steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = (BODY, SECOND, GOOD, WARN, BAD, INK, DIM)
_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)))
_WIDE = 50


def line_style(number: int) -> dict[str, Any]:
    """Return color and dashes of the line of one of several series."""
    dashes = _LINES[number // len(_COLORS) % len(_LINES)]
    return {"color": _COLORS[number % len(_COLORS)], "linestyle": dashes}


@dataclass(frozen=True)
class LatencyCurve:
    """One run: latencies in samples, ascending, how often each occurred, shapes (k,)."""

    name: str
    values: Int64Array
    counts: Int64Array
    sample_ns: float


def overlay_svg(curves: Sequence[LatencyCurve], *, quantity: str = "latency") -> str:
    """ "" if none of them has a value."""
    drawn = [curve for curve in curves if len(curve.values)]
    if not drawn:
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.grid(axis="x")
        axes.set_yscale("log")
        ends = []
        for number, curve in enumerate(drawn):
            values, above = exceedances(curve.values, curve.counts)
            n = int(curve.counts.sum())
            x = (values * curve.sample_ns / 1e3).astype(np.float64)
            style = line_style(number)
            axes.step(*steps(x, above, n), where="post", **style)
            axes.plot(x[-1:], [1 / n], "o", color=style["color"], markersize=4.5)
            axes.plot([], [], marker="o", markersize=4.5, label=curve.name, **style)
            ends += [float(x[0]), float(x[-1])]
        if min(ends) > 0 and max(ends) > _WIDE * min(ends):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(share)
        axes.set_ylim(top=1.5)
        decades(axes, share)
        axes.set_ylabel(f"share of {quantity} above x")
        axes.set_xlabel("x in µs; a dot is the observed maximum, at 1/n")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8.5, borderpad=0)

    return svg("overlay", f"Distributions of {len(drawn)} runs", paint, height_in=3.6)
