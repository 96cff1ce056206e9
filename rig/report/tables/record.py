# SPDX-License-Identifier: GPL-3.0-or-later
"""One row's worth of figures: of a run, or published."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PERIOD: Final = "period"
PERIOD_LATENCY: Final = "period_latency"
"""When the tasks of a run of periods started, by pins, against the earliest of them: what all have
in common does not show."""
PERIOD_START: Final = "period_start"
"""From the time when a periodic task was due to its start, by the target's own clock."""


@dataclass(frozen=True)
class Figures:
    """In nanoseconds; None where there is none, or it was not published."""

    n: int | None = None
    average_ns: float | None = None
    min_ns: float | None = None
    max_ns: float | None = None
    gap_ns: float | None = None
    """max - min"""
    deviation_ns: float | None = None
    """Population standard deviation."""
    overruns: int | None = None
    """Of periods: late or missed."""
    median_ns: float | None = None
    range_ns: float | None = None
    """Interquartile range."""


NONE: Final = Figures()


class Word(StrEnum):
    """What pins and log say of each other."""

    AGREES = "agrees"
    """One clock puts every edge between its record's two readings, and all else agrees, too."""
    DISAGREES = "disagrees"
    NONE = "none"
    """No pin was seen: the target's own account alone."""
    UNKNOWN = ""
    """Nothing was measured, or by others."""


@dataclass(frozen=True)
class Record:
    """What was measured where, how, under what load, and what came out."""

    system: str
    measurement: str
    """As plans name it, or PERIOD_LATENCY."""
    variant: str
    """Of the measurement, such as a period: `500us`. "" if it has none."""
    scenario: str
    figures: Figures = NONE
    remark: str = ""
    """Why there are no figures, or why they are not to be trusted."""
    published: bool = False
    witness: Word = Word.UNKNOWN

    @property
    def subject(self) -> tuple[str, str]:
        """Records with equal ones may stand in one table."""
        return self.measurement, self.variant


def period_words(period_ns: int) -> str:
    """A period as a variant: `500us`, `10ms`, `1s`."""
    for unit, size_ns in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if period_ns % size_ns == 0:
            return f"{period_ns // size_ns}{unit}"
    return f"{period_ns}ns"
