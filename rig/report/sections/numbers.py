# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers with their uncertainty, rounded as JCGM 100:2008, 7.2.6 asks."""

from __future__ import annotations

import math


def decimals_for(uncertainty: float) -> int:
    """Decimals that keep two significant digits of an uncertainty; 3 if there is none."""
    if not (uncertainty > 0 and math.isfinite(uncertainty)):
        return 3
    return max(0, 1 - math.floor(math.log10(uncertainty)))


def rounded(value_ns: float, expanded_ns: float) -> str:
    """A value and its expanded uncertainty in us, such as "10.333 +- 0.034"."""
    if not expanded_ns > 0:
        return f"{value_ns / 1e3:.3f}"
    decimals = min(6, decimals_for(expanded_ns / 1e3))
    return f"{value_ns / 1e3:.{decimals}f} \N{PLUS-MINUS SIGN} {_up(expanded_ns / 1e3, decimals)}"


def signed(value_ns: float) -> str:
    """With its sign, to a tenth; 0 has no minus."""
    return f"{round(value_ns, 1) + 0.0:+.1f}"


def three_digits(value: float) -> str:
    """Three significant digits, never as a power of ten: "14.7", "10,400", "0.0488"."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, decimals):,.{min(max(0, decimals), 6)}f}"


def _up(value: float, decimals: int) -> str:
    """An uncertainty is rounded up: it must not become smaller on paper."""
    scaled = value * 10**decimals
    return f"{math.ceil(scaled - 1e-9) / 10**decimals:.{decimals}f}"
