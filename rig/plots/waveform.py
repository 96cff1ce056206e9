# SPDX-License-Identifier: GPL-3.0-or-later
"""What the analyzer saw around one event: a trace for each wire, its latency between the edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rig.plots.canvas import BAD, BODY, DIM, INK, SECOND, SMALL_IN, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HIGH = 0.62
_COLORS = {"stimulus": BODY, "response": SECOND}


@dataclass(frozen=True)
class Trace:
    """One wire: its edges in us from the stimulus, ascending, shape (n,)."""

    name: str
    edges_us: npt.NDArray[np.float64]
    level_before: int


def waveform_svg(
    name: str,
    title: str,
    traces: Sequence[Trace],
    first_us: float,
    last_us: float,
    latency_us: float | None,
    *,
    origin: str = "the stimulus edge",
) -> str:
    """Traces from top to bottom between two times; `latency_us` None: no answer to point at."""

    def paint(figure: Figure) -> None:
        axes = figure.add_subplot()
        for place, trace in enumerate(reversed(traces)):
            color = _COLORS.get(trace.name, DIM)
            x, level = _steps(trace, first_us, last_us)
            axes.plot(x, place + _HIGH * level, color=color, drawstyle="steps-post")
        top = len(traces) - 1
        axes.axvline(0, color=DIM, linewidth=0.7, linestyle=(0, (2, 2)))
        if latency_us is not None:
            axes.axvline(latency_us, color=DIM, linewidth=0.7, linestyle=(0, (2, 2)))
            axes.annotate("", (0, top + 0.9), (latency_us, top + 0.9),
                          arrowprops={"arrowstyle": "<->", "color": BAD, "linewidth": 1.0,
                                      "shrinkA": 0, "shrinkB": 0})  # fmt: skip
            label = axes.annotate(f"{latency_us:.3f} µs", (latency_us / 2, top + 0.98),
                                  ha="center", va="bottom", color=BAD, fontsize=8.5)  # fmt: skip
            label.set_in_layout(False)
        axes.set_yticks([p + _HIGH / 2 for p in range(len(traces))],
                        [t.name for t in reversed(traces)], color=INK, fontsize=8.5)  # fmt: skip
        axes.set_xlim(first_us, last_us)
        axes.set_ylim(-0.25, top + 1.55)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", length=3, labelsize=8.5)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"µs from {origin}", fontsize=8.5)

    height_in = 0.75 + 0.26 * len(traces)
    return svg(name, title, paint, width_in=SMALL_IN, height_in=height_in)


def _steps(
    trace: Trace, first_us: float, last_us: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    before = int(np.searchsorted(trace.edges_us, first_us))
    inside = trace.edges_us[before:]
    inside = inside[inside <= last_us]
    x = np.concatenate([[first_us], inside, [last_us]])
    level = (trace.level_before + before + np.arange(len(inside) + 1)) % 2
    return x, np.append(level, level[-1])
