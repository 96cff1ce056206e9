# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of stimuli and answers, and how many of each there are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class EventClass(IntEnum):
    """The class of a stimulus edge, by what became of it."""

    ANSWERED = 0
    LATE = 1
    """It is answered, but only after the next stimulus edge."""
    MISSED = 2
    """No answer belongs to it."""
    MERGED = 3
    """It was still pending when the next one came; one answer, which is its too, served both."""
    AMBIGUOUS = 4
    """More than one of these, or more than one answer, fits all that was seen."""


class ExtraClass(IntEnum):
    """The class of an answer edge that belongs to no stimulus."""

    DUPLICATE = 0
    """A further answer to an interrupt that had one."""
    SPURIOUS = 1
    """An answer without any stimulus to belong to."""


@dataclass(frozen=True)
class Counts:
    """Counts of events. Every stimulus is in exactly one of answered, late, missed, merged and
    ambiguous; n is their sum."""

    n: int
    answered: int
    late: int
    missed: int
    merged: int
    duplicate: int
    spurious: int
    glitches: int
    ambiguous: int = 0
