# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest rate that a target keeps up with, in words and as a table."""

from __future__ import annotations

from typing import Final

from rig.analysis.measurements.saturation import Hold, SaturationFigures

COLUMNS: Final = (
    "rate/s", "spacing us", "sent", "answered", "late", "merged", "missed", "max us", "",
)  # fmt: skip
"""Of the table of holds."""
NUMBERS: Final = len(COLUMNS) - 1
"""Columns that are numbers."""
_NEAR: Final = 3
"""Holds on either side of the limit that a short table has."""


def title(found: SaturationFigures) -> str:
    """What was found, in one line."""
    if found.rate_hz is None:
        return "saturation: no rate was kept up with"
    if found.lost_ns is None:
        return f"saturation: kept up with every rate that was tried, up to {found.rate_hz:,.0f}/s"
    return f"saturation: highest rate kept up with {found.rate_hz:,.0f}/s"


def facts(found: SaturationFigures) -> list[tuple[str, str]]:
    """Name and words."""
    rows = []
    if found.kept_ns is not None:
        rows.append(("spacing", f"{found.kept_ns / 1e3:.3f} us, every stimulus answered"))
    if found.lost_ns is not None:
        lost = next(hold for hold in found.holds if hold.spacing_ns == found.lost_ns)
        rows.append(("first lost", f"{found.lost_ns / 1e3:.3f} us, {1e9 / found.lost_ns:,.0f}/s: "
                     f"{_fate(lost)}"))  # fmt: skip
    if found.limit_ns is not None and found.expanded_ns is not None:
        rows.append(
            (
                "limit",
                f"{found.limit_ns / 1e3:.3f} us (U = {found.expanded_ns / 1e3:.3f}), that is "
                f"{found.limit_hz:,.0f}/s (U = {found.limit_u_hz:,.0f})",
            )
        )
    elif found.kept_ns is not None:
        rows.append(("limit", "not reached: the highest rate tried was kept up with"))
    if found.contradictions:
        rows.append(("not sharp", f"{found.contradictions} holds kept, though a slower one was "
                     "lost"))  # fmt: skip
    return rows


def rows(found: SaturationFigures, *, few: bool = False) -> list[list[str]]:
    """Holds by rate, slowest first, with COLUMNS. `few`: those next to the limit."""
    holds = sorted(found.holds, key=lambda hold: hold.rate_hz)
    if few and len(holds) > 2 * _NEAR:
        slower = sum(found.lost_ns is None or hold.spacing_ns > found.lost_ns for hold in holds)
        first = min(max(0, slower - _NEAR), len(holds) - 2 * _NEAR)
        holds = holds[first : first + 2 * _NEAR]
    return [_row(hold) for hold in holds]


def _row(hold: Hold) -> list[str]:
    longest = "-" if hold.max_ns is None else f"{hold.max_ns / 1e3:.3f}"
    counts = (hold.sent, hold.answered, hold.late, hold.merged, hold.missed)
    return [
        f"{hold.rate_hz:,.0f}",
        f"{hold.spacing_ns / 1e3:.3f}",
        *(f"{count:,}" for count in counts),
        longest,
        _fate(hold),
    ]


def _fate(hold: Hold) -> str:
    if hold.kept:
        return "kept"
    if not hold.whole:
        return "cut short"
    lost = hold.merged + hold.missed
    return f"lost {lost / hold.sent:.1%}" if lost else "fell behind"
