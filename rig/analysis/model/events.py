# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of stimuli and answers, and how many of each there are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class EventClass(IntEnum):
    """What became of a stimulus edge."""

    ANSWERED = 0
    LATE = 1
    """Answered, but only after the next stimulus edge."""
    MISSED = 2
    """No answer belongs to it."""
    MERGED = 3
    """Still pending when the next one came; both were served by one answer, which is its too."""
    AMBIGUOUS = 4
    """More than one of these, or more than one answer, fits all that was seen."""


class ExtraClass(IntEnum):
    """What an answer edge is that belongs to no stimulus."""

    DUPLICATE = 0
    """A further answer to an interrupt that had one."""
    SPURIOUS = 1
    """An answer without any stimulus to belong to."""


@dataclass(frozen=True)
class Counts:
    """Every stimulus is in exactly one of answered, late, missed, merged and ambiguous; n is their
    sum."""

    n: int
    answered: int
    late: int
    missed: int
    merged: int
    duplicate: int
    spurious: int
    glitches: int
    ambiguous: int = 0
