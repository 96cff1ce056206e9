# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and times as terminal, page, tables and window write them: one way, in one place."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Final

ABSENT: Final = "-"
"""The text where there is no value."""
_US: Final = re.compile(r"(?<=\d )us\b")


def microseconds(time_ns: float | None, decimals: int = 3, *, sign: bool = False) -> str:
    """A time in nanoseconds as a number of microseconds, such as "10.333"; None is ABSENT.

    `sign`: a plus too.
    """
    if time_ns is None:
        return ABSENT
    return f"{time_ns / 1e3:{'+' if sign else ''}.{decimals}f}"


def short_microseconds(time_ns: float) -> str:
    """Return microseconds without decimals that are 0: what a plan asks for, such as "50"."""
    return f"{time_ns / 1e3:g}"


def time_text(time_ns: int) -> str:
    """A time as plans have it, exact, in the largest unit that it fills, such as "500 us"."""
    for unit, size_ns in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if time_ns >= size_ns:
            return f"{time_ns / size_ns:.15g} {unit}"
    return f"{time_ns} ns"


def count(number: int | None) -> str:
    """A number of things as people read it, such as "10,400"; None is ABSENT."""
    return ABSENT if number is None else f"{number:,}"


def minute_of(time: str) -> str:
    """A time of ISO 8601 as people read it, such as "2026-11-23 05:04 UTC"; other texts stay."""
    try:
        read = datetime.fromisoformat(time)
    except ValueError:
        return time
    return time if read.tzinfo is None else f"{read.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def with_unicode_signs(text: str) -> str:
    """Return a text with "µs" behind each number that has "us", and "±" for "+-".

    Pages and windows write it so; terminal, CSV and JSON keep the ASCII letters.
    """
    return _US.sub("µs", text).replace(" +- ", " \N{PLUS-MINUS SIGN} ")


def percent(share: float, decimals: int = 0) -> str:
    """A share with its unit, such as "95 %"."""
    return f"{100 * share:.{decimals}f} %"


def capitalized(text: str) -> str:
    """Return a text with a capital at its beginning; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def decimals_for(uncertainty: float) -> int:
    """Return the decimals that keep two digits of an uncertainty; 3 if there is none."""
    if not (uncertainty > 0 and math.isfinite(uncertainty)):
        return 3
    # Of what it is rounded to: 0.0996 is written 0.10.
    exponent = int(f"{uncertainty:.1e}".partition("e")[2])
    return max(0, 1 - exponent)


def expanded_microseconds(expanded_ns: float) -> str:
    """An expanded uncertainty in microseconds, wherever it is written, such as "0.045".

    It has the three decimals of every time, and more where that would leave less than two
    significant digits; it is rounded to the nearest (GUM 7.2.6).
    """
    return microseconds(expanded_ns, _decimals_beside(expanded_ns))


def rounded(value_ns: float, expanded_ns: float) -> str:
    """A value and its expanded uncertainty in microseconds, such as "10.333 ± 0.034"."""
    if not expanded_ns > 0:
        return microseconds(value_ns)
    value = microseconds(value_ns, _decimals_beside(expanded_ns))
    return f"{value} \N{PLUS-MINUS SIGN} {expanded_microseconds(expanded_ns)}"


def signed(value: float) -> str:
    """Return a value with its sign, to a tenth; 0 has no minus."""
    return f"{round(value, 1) + 0.0:+.1f}"


def three_digits(value: float) -> str:
    """Three significant digits, never as a power of ten: "14.7", "10,400", "0.0488"."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, decimals):,.{min(max(0, decimals), 6)}f}"


def _decimals_beside(expanded_ns: float) -> int:
    """Decimals of microseconds, of an expanded uncertainty and of the value that it belongs to."""
    return min(6, max(3, decimals_for(expanded_ns / 1e3)))
