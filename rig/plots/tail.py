# SPDX-License-Identifier: GPL-3.0-or-later
"""Complementary distribution: how likely a latency above x is, with the tail and its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from rig.formatting import percent
from rig.instruments import Int64Array
from rig.plots.canvas import BAD, BODY, INK, decades, plain_axes, share, sizes, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 600
"""Drawn of the curve; the tail's are all among them."""
LEVEL = 0.95
_WIDE = 50
"""The ratio of largest to smallest from which the latency's axis is logarithmic."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TailEstimate:
    """A level beyond what was seen, with its interval."""

    share: float
    level_us: float
    low_us: float
    high_us: float


def tail_svg(
    values: Int64Array,
    counts: Int64Array,
    sample_ns: float,
    *,
    limit_us: float | None = None,
    estimate: TailEstimate | None = None,
    quantity: str = "latency",
    name: str = "tail",
    is_small: bool = False,
) -> str:
    """`values` in samples, ascending, and how often each occurred, shapes (k,); "" for none.

    `name`: of the plot, another one for each on a page. `is_small`: two have room in a row, and
    nothing is told in it.
    """
    if not len(values):
        return ""
    chosen, above = exceedances(values, counts)
    n = int(counts.sum())
    x = (chosen * sample_ns / 1e3).astype(np.float64)
    low, high = interval(above, n)

    def paint(figure: Figure) -> None:
        axes = plain_axes(figure)
        axes.grid(axis="x")
        axes.set_yscale("log")
        if x[0] > 0 and x[-1] > _WIDE * x[0]:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(share)
        bottom = 0.3 / n if estimate is None else min(0.3 / n, estimate.share / 2)
        axes.fill_between(
            x, np.maximum(low, bottom), high, step="post", color=BODY, alpha=0.18, linewidth=0,
            label=f"{percent(LEVEL)} interval, point by point",
        )  # fmt: skip
        axes.step(*steps(x, above, n), where="post", color=BODY, label="observed share above x")
        axes.plot(x[-1:], [1 / n], "o", color=BAD, markersize=4.5, label="observed maximum")
        if not is_small:
            axes.annotate(
            f"above {x[-1]:.3f} µs: not seen in {n:,}, p < {high[-1]:.2g} at {percent(LEVEL)}",
            (1, 0.97), xycoords="axes fraction", ha="right", va="top", color=BAD,
        )  # fmt: skip
        if estimate is not None:
            reach = [[estimate.level_us - estimate.low_us], [estimate.high_us - estimate.level_us]]
            axes.errorbar([estimate.level_us], [estimate.share], xerr=reach, fmt="D", color=INK,
                          markersize=4, capsize=3, label="estimated tail")  # fmt: skip
        if limit_us is not None and limit_us < 1.5 * x[-1]:
            axes.axvline(limit_us, color=BAD, linewidth=1.0, linestyle=(0, (4, 3)))
        axes.set_ylim(bottom, 1.5)
        decades(axes, share)
        axes.set_ylabel("share above x" if is_small else f"share of {quantity} above x")
        axes.set_xlabel("x in µs")
        if not is_small:
            axes.legend(loc="upper right", bbox_to_anchor=(1, 0.93), fontsize=8.5)

    title = f"Share of {n:,} values above each {quantity}"
    return svg(name, title, paint, **sizes(is_small=is_small))


def exceedances(values: Int64Array, counts: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Values and how many lie above each, thinned evenly in the logarithm of that number."""
    above = np.cumsum(counts[::-1])[::-1] - counts
    if len(values) <= POINTS:
        return values, above
    wanted = np.geomspace(1, int(above[0]) + 1, POINTS // 2)
    in_tail = len(values) - 1 - np.unique(np.searchsorted(above[::-1] + 1, wanted))
    even = np.linspace(0, len(values) - 1, POINTS // 2).astype(np.int64)
    keep = np.unique(np.concatenate([in_tail[in_tail >= 0], even]))
    return values[keep], above[keep]


def steps(x: FloatArray, above: Int64Array, n: int) -> tuple[FloatArray, FloatArray]:
    """Corners of the curve: from 1 at the smallest value down to 1/n at the largest."""
    shares = np.concatenate([[1.0], np.maximum(above, 1) / n])
    return np.concatenate([x[:1], x]), shares


def interval(above: Int64Array, n: int) -> tuple[FloatArray, FloatArray]:
    """Exact binomial limits of each share (Clopper and Pearson, Biometrika 26, 1934).

    Where nothing lies above, the upper limit is one-sided: 1 - (1 - level)^(1/n), about 3/n.
    """
    rest = (1 - LEVEL) / 2
    low = np.where(above > 0, special.betaincinv(np.maximum(above, 1), n - above + 1, rest), 0.0)
    high = np.where(
        above < n, special.betaincinv(above + 1, np.maximum(n - above, 1), 1 - rest), 1.0
    )
    return low, np.where(above == 0, -np.expm1(np.log1p(-LEVEL) / n), high)
