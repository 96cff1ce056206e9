# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as the window and the reports write them: the same figure, the same text."""

from __future__ import annotations

from typing import Final

from rig.formatting import microseconds

NONE: Final = "\N{EN DASH}"


def us(time_ns: float | None) -> str:
    """Return microseconds with three digits after the point, as in every report."""
    return NONE if time_ns is None else microseconds(time_ns)


def us_unit(time_ns: float | None) -> str:
    """Return microseconds with their unit."""
    return NONE if time_ns is None else f"{time_ns / 1e3:,.3f} µs"


def short_time(time_us: float) -> str:
    """Return a time for axes: 20 µs, 5 ms, 1 s."""
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1, "µs")):
        if time_us >= factor * 0.9999:
            return f"{time_us / factor:g} {unit}"
    return f"{time_us * 1e3:g} ns"


def duration(time_s: float) -> str:
    """Return a duration for people: 0.8 s, 14 s, 2 min 05 s, 1 h 20 min."""
    if time_s < 9.95:
        return f"{time_s:.1f} s"
    whole = round(time_s)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole // 60 % 60:02d} min"


def count(number: int) -> str:
    """Return a number with separators, as in every report."""
    return f"{number:,}"
