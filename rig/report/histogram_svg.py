# SPDX-License-Identifier: GPL-3.0-or-later
"""A latency histogram as SVG: linear microseconds, logarithmic count, the worst value marked.

A single outlier among a million must be as visible as the body: hence the logarithm, and a bar of
at least one step for a bin that holds one value.
"""

from __future__ import annotations

import math

import numpy as np

from rig.analysis.statistics import ExactHistogram
from rig.instruments import Int64Array

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 28, 40
BINS = 160


def histogram_svg(histogram: ExactHistogram, sample_rate_hz: int) -> str:
    """An <svg> element; its colors follow the page's `currentColor`."""
    if histogram.n == 0:
        return ""
    edges_us, counts = _binned(histogram, sample_rate_hz)
    decades = max(1, math.ceil(math.log10(counts.max() + 1)))
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" class="histogram" '
        'aria-label="Histogram of latencies">'
    ]
    parts += _count_axis(decades)
    parts += _time_axis(edges_us[0], edges_us[-1])
    parts += _bars(edges_us, counts, decades)
    worst_us = float(histogram.values[-1]) * 1e6 / sample_rate_hz
    parts += _worst(edges_us, worst_us)
    return "".join([*parts, "</svg>"])


def _binned(histogram: ExactHistogram, rate_hz: int) -> tuple[list[float], Int64Array]:
    """Bins of a whole number of samples each: no beating between bins and sample grid."""
    low, high = int(histogram.values[0]), int(histogram.values[-1])
    step = max(1, -(-(high - low + 1) // BINS))
    number = (histogram.values - low) // step
    counts = np.bincount(number, weights=histogram.counts).astype(np.int64)
    return [(low + i * step) * 1e6 / rate_hz for i in range(len(counts) + 1)], counts


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _y(count: float, decades: int) -> float:
    # One value stands a third of a decade high, so that it can be seen.
    share = (math.log10(count) + 1 / 3) / (decades + 1 / 3) if count else 0.0
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _bars(edges_us: list[float], counts: Int64Array, decades: int) -> list[str]:
    low, high = edges_us[0], edges_us[-1]
    bars = []
    for left, right, count in zip(edges_us, edges_us[1:], counts, strict=False):
        if count:
            x, y = _x(left, low, high), _y(int(count), decades)
            width = max(1.0, _x(right, low, high) - x - 0.5)
            title = f"{left:.3f} to {right:.3f} us: {count}"
            bars.append(
                f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                f'height="{HEIGHT - BOTTOM - y:.1f}"><title>{title}</title></rect>'
            )
    return bars


def _count_axis(decades: int) -> list[str]:
    lines = []
    for power in range(decades + 1):
        y = _y(10**power, decades)
        lines.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    lines.append(f'<text x="{LEFT - 8}" y="{TOP - 12}" text-anchor="end">count</text>')
    return lines


def _time_axis(low: float, high: float) -> list[str]:
    base = HEIGHT - BOTTOM
    lines = [f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}"/>']
    for value in _ticks(low, high):
        x = _x(value, low, high)
        lines.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base}" y2="{base + 5}"/>')
        lines.append(f'<text x="{x:.1f}" y="{base + 18}" text-anchor="middle">{value:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(f'<text x="{middle}" y="{HEIGHT - 4}" text-anchor="middle">latency in us</text>')
    return lines


def _ticks(low: float, high: float) -> list[float]:
    """Round values, four to nine of them."""
    span = high - low
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next((m for m in (1, 2, 5) if span / (step * m) <= 9), 10)
    return [round(i * step, 9) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _worst(edges_us: list[float], worst_us: float) -> list[str]:
    x = _x(worst_us, edges_us[0], edges_us[-1])
    anchor = "end" if x > WIDTH / 2 else "start"
    return [
        f'<line class="worst" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{HEIGHT - BOTTOM}"/>',
        f'<text class="worst-text" x="{x:.1f}" y="{TOP - 14}" text-anchor="{anchor}">'
        f"observed maximum {worst_us:.3f} us</text>",
    ]
