# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as blocks: what is told, once, for everyone who shows it.

A block holds text and no markup. Terminal, page, window, and the formats of tables each show all
kinds of blocks in their own way; a plot is drawn only by those that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple, Self


class Tone(StrEnum):
    """The way in which a text stands out, where that can be shown."""

    PLAIN = ""
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


class Toned(str):
    """A text that stands out; to whoever does not know of tones it is the text alone."""

    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Self:
        """The text with its tone."""
        made = super().__new__(cls, text)
        made.tone = tone
        return made


def tone_of(text: str) -> Tone:
    """Return how a text stands out, if it does."""
    return text.tone if isinstance(text, Toned) else Tone.PLAIN


class Fact(NamedTuple):
    """A name and a text about it."""

    name: str
    text: str
    brief: str = ""
    """The value in it, for whoever has no room for the text; "" if there is no single one."""


@dataclass(frozen=True)
class Heading:
    """A line above the blocks that follow within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Note:
    """A paragraph."""

    kind: ClassVar[str] = "note"
    text: str
    strong: bool = False
    """A statement, not a remark."""


@dataclass(frozen=True)
class Items:
    """A list of lines."""

    kind: ClassVar[str] = "items"
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names, each with what is said of it."""

    kind: ClassVar[str] = "facts"
    rows: tuple[Fact, ...]
    verbatim: bool = False
    """The texts are somebody else's, units and all."""


@dataclass(frozen=True)
class Values:
    """One row of named values."""

    kind: ClassVar[str] = "values"
    rows: tuple[Fact, ...]
    inline: bool = False
    """Few letters each: a terminal has all of them in a line."""


@dataclass(frozen=True)
class Checks:
    """What was judged: a word for the judgment, what it is of, and the evidence."""

    kind: ClassVar[str] = "checks"
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class TextTable:
    """Rows of cells under a head, which may be empty."""

    kind: ClassVar[str] = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: range = range(0)
    """Columns that are aligned to the right; the others are text."""
    title: str = ""
    notes: tuple[str, ...] = ()
    few: range | None = None
    """The rows that are enough where room is short; None: all."""
    remarks: tuple[str, ...] = ()
    """One for each row, about its first cell; or none at all."""
    bars: tuple[float, ...] = ()
    """Shares between 0 and 1, one for each row, that can be drawn in the last column."""
    plot: Plot | None = None
    """A picture of its figures, for a page of tables."""


@dataclass(frozen=True)
class CurvePoint:
    """What was found for one value of the quantity that was varied."""

    x: float
    """Above 0."""
    y: float
    text: str
    """Both of them and what is said of them, in a line."""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Curve:
    """What was found over a quantity that the run has varied, whose axis is logarithmic."""

    title: str
    x_title: str
    y_title: str
    points: tuple[CurvePoint, ...]
    """The points in the order of their x."""
    key: tuple[tuple[Tone, str], ...] = ()
    """The meanings of the points' tones."""
    limit: float | None = None
    """An x that all this was done to find."""
    limit_text: str = ""
    y_least: float | None = None
    """A value below which there is no y: the axis ends there."""
    y_most: float | None = None
    """A value above which there is no y."""

    @property
    def y_range(self) -> tuple[float, float]:
        """All points, and some room beyond them as far as there can be values."""
        low, high = (pick(point.y for point in self.points) for pick in (min, max))
        room = max(_Y_ROOM * (high - low), _Y_ROOM_LEAST * abs(high)) or 1.0
        least = low - room if self.y_least is None else max(low - room, self.y_least)
        most = high + room if self.y_most is None else min(high + room, self.y_most)
        return least, most


_Y_ROOM, _Y_ROOM_LEAST = 0.08, 0.03


@dataclass(frozen=True)
class Plot:
    """A picture with its caption."""

    kind: ClassVar[str] = "plot"
    caption: str
    draw: Callable[[], str]
    """Makes an <svg> element, or "" if there is nothing to be drawn."""
    is_small: bool = False
    """Two have room beside each other."""
    curve: Curve | None = None
    """The data of the picture, for who draws it by itself."""


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown when their title is asked for, where that is possible."""

    kind: ClassVar[str] = "folded"
    title: str
    blocks: tuple[Block, ...]


Block = Heading | Note | Items | Facts | Values | Checks | TextTable | Plot | Folded


@dataclass(frozen=True)
class Section:
    """Blocks under a title."""

    name: str
    """The name for programs."""
    title: str
    blocks: tuple[Block, ...]
    is_detail: bool = False
    """Too long for a terminal."""


@dataclass(frozen=True)
class Conclusion:
    """The verdict of a run, and its reasons."""

    word: str
    tone: Tone
    meaning: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class ReportDocument:
    """A report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    conclusion: Conclusion | None = None
    headlines: tuple[Fact, ...] = ()
    """The few values that one looks for first."""
    source: Fact | None = None
    """The file that it is of."""

    def section(self, name: str) -> Section | None:
        """The section of this name; None if there is none."""
        return next((each for each in self.sections if each.name == name), None)


def section(
    name: str, title: str, *blocks: Block | None, is_detail: bool = False
) -> tuple[Section, ...]:
    """A section of the blocks that are there and not empty; nothing if there are none."""
    there = tuple(block for block in blocks if block is not None and not _is_empty(block))
    return (Section(name, title, there, is_detail),) if there else ()


def curves_of(sections: Iterable[Section]) -> tuple[Curve, ...]:
    """The curves in these sections, in their order."""
    blocks = (block for each in sections for block in each.blocks)
    plots = (block for block in blocks if isinstance(block, Plot))
    return tuple(plot.curve for plot in plots if plot.curve is not None)


def facts(rows: Iterable[Sequence[str]]) -> Facts:
    """Facts of names and texts; those without text are left out."""
    return Facts(tuple(Fact(*row) for row in rows if row[1]))


def _is_empty(block: Block) -> bool:
    match block:
        case Facts(rows=rows) | Values(rows=rows) | Checks(rows=rows) | TextTable(rows=rows):
            return not rows
        case Items(lines=lines):
            return not lines
        case Note(text=text):
            return not text
    return False
