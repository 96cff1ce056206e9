# SPDX-License-Identifier: GPL-3.0-or-later
"""Ticks at round values, and times in the unit that suits them."""

from __future__ import annotations

import math
from collections.abc import Sequence

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_STEPS = (1, 2, 5, 10)


def nice_step(span: float, most: int) -> float:
    """The least step of 1, 2 or 5 times a power of ten that makes `most` steps or fewer."""
    if span <= 0 or most < 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(power * step for step in _STEPS if span / (power * step) <= most * (1 + 1e-9))


def ticks(first: float, last: float, most: int) -> list[float]:
    """Round values within [first, last], ascending."""
    step = nice_step(last - first, most)
    low, high = math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9)
    return [number * step for number in range(low, high + 1)]


def unit_for(span_ns: float) -> tuple[float, str]:
    """Nanoseconds of the unit that suits a span, and its name."""
    return next((unit for unit in _UNITS if span_ns >= 2 * unit[0]), _UNITS[-1])


def time_text(time_ns: float, resolution_ns: float) -> str:
    """A time to the resolution, its digits in groups of three, such as `12.375 µs`."""
    size, name = next((u for u in _UNITS if abs(time_ns) >= u[0]), _UNITS[-1])
    digits = math.ceil(math.log10(size / resolution_ns) / 3) * 3 if resolution_ns < size else 0
    return f"{time_ns / size:.{min(digits, 9)}f} {name}"


def tick_texts(values: Sequence[float]) -> list[str]:
    """All with as many digits as their step needs."""
    step = abs(values[1] - values[0]) if len(values) > 1 else abs(values[0]) if values else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0
    return [f"{value + 0.0:,.{digits}f}" for value in values]
