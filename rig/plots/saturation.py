# SPDX-License-Identifier: GPL-3.0-or-later
"""Share of stimuli that got an answer of their own, over the rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rig.analysis.measurements.saturation import RateStep, SaturationFigures
from rig.plots.canvas import BAD, GOOD, INK, WARN, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PERCENT = 100.0


def saturation_svg(found: SaturationFigures) -> str:
    """ "" without a hold."""
    holds = sorted(found.holds, key=lambda hold: hold.rate_hz)
    if not holds:
        return ""

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.set_xscale("log")
        axes.plot([h.rate_hz for h in holds], [_share(h) for h in holds], color=INK, linewidth=1.0)
        groups: Sequence[tuple[str, str, list[RateStep]]] = (
            ("kept", GOOD, [h for h in holds if h.is_sustained]),
            ("lost or behind", BAD, [h for h in holds if not h.is_sustained]),
        )
        for label, color, some in groups:
            if some:
                axes.plot(
                    [h.rate_hz for h in some], [_share(h) for h in some], "o", color=color,
                    markersize=4.5, clip_on=False, label=label,
                )  # fmt: skip
        if found.limit_hz is not None:
            axes.axvline(found.limit_hz, color=WARN, linewidth=1.0, linestyle=(0, (4, 3)),
                         label=f"limit {found.limit_hz:,.0f}/s")  # fmt: skip
        axes.set_ylim(min(_share(h) for h in holds) - 3, 103)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
        axes.set_ylabel("answered by an answer of its own, %")
        axes.set_xlabel("stimuli a second")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5, fontsize=8.5, borderpad=0)

    return svg("saturation", "Share of stimuli answered over their rate", paint)


def _share(hold: RateStep) -> float:
    return _PERCENT * (hold.answered + hold.late) / max(1, hold.sent)
