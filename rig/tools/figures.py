# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a tool of the target's own system, as lines of one form for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DIGITS_MAX = 15
"""The most digits of a number that a tool prints."""


@dataclass(frozen=True)
class ToolHistogram:
    """The distribution of a tool's values, as it counted them itself."""

    width_ns: int
    """The width of a bin."""
    first_ns: tuple[int, ...]
    """The least value of each bin that holds any, ascending."""
    counts: tuple[int, ...]
    """The number of values in each."""
    beyond: int
    """The number of values beyond the last bin that the tool kept."""


@dataclass(frozen=True)
class ToolFigures:
    """One line of a tool's result, in ns."""

    title: str
    what: str
    """The two points between which it measures."""
    n: int | None
    """The number of values; None: the tool does not tell it."""
    min_ns: float | None
    average_ns: float | None
    max_ns: float | None
    cpu: int | None = None
    """The processor, if the tool measured on several."""
    histogram: ToolHistogram | None = None

    def __post_init__(self) -> None:
        """Refuse figures that cannot be those of one sample. Raises ValueError."""
        known = [each for each in (self.min_ns, self.average_ns, self.max_ns) if each is not None]
        if known != sorted(known):
            told = ", ".join(f"{each:g}" for each in known)
            raise ValueError(f"its figures contradict each other: {told}")

    @property
    def name(self) -> str:
        """The title, with the processor where there are several."""
        return self.title if self.cpu is None else f"{self.title}, processor {self.cpu}"


def whole_number(text: str) -> int:
    """Parse a number as tools print them. Raises ValueError, in words, for another text."""
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX):
        raise ValueError(f"{text[:20]!a} is no number")
    return int(text)


def last_words(lines: Sequence[str]) -> str:
    """Return the end of the output, for whoever must find out why."""
    words = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"its last line is {words[:80]!a}" if words else "it printed nothing"
