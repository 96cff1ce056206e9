# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and rates as text: exact integers in, exact integers out, never a float on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The digits are bounded so that a hostile file cannot make arithmetic slow.
_QUANTITY = re.compile(
    r"(?P<sign>-?)(?P<number>[0-9]{1,20}(?:\.[0-9]{1,20})?) ?(?P<unit>[^\W\d_]+)"
)


@dataclass(frozen=True)
class UnitKind:
    """A kind of value that is written as a number and a unit."""

    name: str
    base: str
    """Unit of the integers this quantity is parsed to."""
    scale: dict[str, int]
    """The size of each unit in base units; ascending."""
    example: str

    @property
    def units(self) -> str:
        """The units as a list for a message."""
        *most, last = self.scale
        return f"{', '.join(most)} or {last}"

    def parse(self, text: str) -> int:
        """The value in base units. Raises ValueError saying in words what is wrong."""
        match = _QUANTITY.fullmatch(text.strip())
        if match is None:
            raise ValueError(f'"{_short(text)}" is not a number and a unit')
        if match["sign"]:
            raise ValueError(f'"{_short(text)}" is negative')
        # Both micro signs look alike: U+00B5 from a keyboard, U+03BC from a Greek one.
        unit = match["unit"].replace("\u00b5", "u").replace("\u03bc", "u")
        if unit not in self.scale:
            raise ValueError(f'"{match["unit"]}" is not a unit of {self.name}')
        whole, _, fraction = match["number"].partition(".")
        denominator = int("1" + "0" * len(fraction))
        value, rest = divmod(int(whole + fraction) * self.scale[unit], denominator)
        if rest:
            raise ValueError(f'"{_short(text)}" is not a whole number of {self.base}')
        return value

    def format(self, value: int) -> str:
        """The exact text of a value >= 0 in the largest unit it fills; `parse` reads it back."""
        fitting = [unit for unit, factor in self.scale.items() if factor <= value]
        unit = fitting[-1] if fitting else self.base
        factor = self.scale[unit]
        whole, rest = divmod(value, factor)
        # Every factor is a power of ten: the remainder's digits, padded, are the fraction.
        fraction = f"{rest:0{len(str(factor)) - 1}d}".rstrip("0")
        return f"{whole}.{fraction} {unit}" if fraction else f"{whole} {unit}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


TIME = UnitKind(
    name="time",
    base="ps",
    scale={"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12},
    example="100 us",
)
"""Times, parsed to picoseconds."""

RATE = UnitKind(
    name="rate",
    base="Hz",
    scale={"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9},
    example="24 MHz",
)
"""Rates, parsed to hertz."""


def ps_to_ticks(time_ps: int, clock_hz: int) -> int:
    """Ticks of a clock nearest to a time that is not negative; half a tick rounds up."""
    return (2 * time_ps * clock_hz + 10**12) // (2 * 10**12)


def ticks_to_ps(ticks: int, clock_hz: int) -> int:
    """Time of a tick count that is not negative, rounded up to whole picoseconds."""
    return -(-ticks * 10**12 // clock_hz)
