# SPDX-License-Identifier: GPL-3.0-or-later
"""Clock residuals inside their brackets: each edge against the two time stamps around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.plots.agreement import thinned
from rig.plots.canvas import BAD, BODY, plain_axes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatArray = npt.NDArray[np.float64]


def brackets_svg(time_s: FloatArray, before_ns: FloatArray, after_ns: FloatArray) -> str:
    """Stamps less the edge's time by the fitted clock; shapes (n,); "" for none.

    An edge lies inside its bracket if `before_ns` <= 0 <= `after_ns`.
    """
    if not len(time_s):
        return ""
    outside = (before_ns > 0) | (after_ns < 0)
    # What comes nearest to a bracket's end is drawn in any case.
    slack = np.minimum(-before_ns, after_ns)
    shown = thinned(float(slack.max()) - slack)
    inside = shown[~outside[shown]]

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.vlines(time_s[inside], before_ns[inside], after_ns[inside], color=BODY, alpha=0.35,
                    linewidth=0.7,
                    label="bracket: stamps around the write, sample and tick added")  # fmt: skip
        if outside.any():
            axes.vlines(time_s[outside], before_ns[outside], after_ns[outside], color=BAD,
                        linewidth=1.4, label=f"{np.count_nonzero(outside):,} outside")  # fmt: skip
        axes.axhline(0, color=BAD, linewidth=1.0, label="sample that shows the edge")
        axes.set_ylabel("ns from the sample")
        axes.set_xlabel("time in s since the first stimulus")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=8.5, borderpad=0)

    held = len(time_s) - int(np.count_nonzero(outside))
    return svg("brackets", f"{held:,} of {len(time_s):,} edges inside their brackets", paint)
