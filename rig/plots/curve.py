# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has found for each value of a quantity that it has varied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rig.document import Curve, Tone
from rig.plots.canvas import BAD, GOOD, INK, WARN, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS: Final = {Tone.PLAIN: INK, Tone.GOOD: GOOD, Tone.WARN: WARN, Tone.BAD: BAD}


def curve_svg(curve: Curve) -> str:
    """ "" without a point."""
    points = curve.points
    if not points:
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.set_xscale("log")
        axes.plot([p.x for p in points], [p.y for p in points], color=INK, linewidth=1.0)
        words = dict(curve.key)
        for tone, color in COLORS.items():
            some = [point for point in points if point.tone == tone]
            if some:
                axes.plot(
                    [p.x for p in some], [p.y for p in some], "o", color=color,
                    markersize=4.5, clip_on=False, label=words.get(tone, "_"),
                )  # fmt: skip
        if curve.limit is not None:
            axes.axvline(curve.limit, color=WARN, linewidth=1.0, linestyle=(0, (4, 3)),
                         label=curve.limit_text)  # fmt: skip
        axes.set_ylim(*curve.y_range)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
        axes.set_ylabel(curve.y_title)
        axes.set_xlabel(curve.x_title)
        if curve.key or curve.limit is not None:
            axes.legend(
                loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5, fontsize=8.5, borderpad=0
            )

    return svg("curve", curve.title, paint)
