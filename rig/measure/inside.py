# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement inside the target is: its variants, the parts of a value, and their unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.instruments import (
    LOG_CLOCK,
    LOG_PART_SHIFT,
    LOG_VALUE,
    LOG_WENT_ON,
    Int64Array,
    LogArray,
)

COMMON_KEYS = ("count", "variant", "pin", "priority", "cpu")
"""Keys of a plan's [agent] that each of them may have."""
PARTS_MAX = 16


@dataclass(frozen=True)
class Part:
    """One of the times of an iteration."""

    name: str
    """As limits are named by."""
    title: str


@dataclass(frozen=True)
class Inside:
    """A measurement by the target's own counter, with or without the pins as a witness."""

    name: str
    title: str
    variants: Mapping[str, str]
    """What each one is, in words; the first is the usual one."""
    parts: tuple[Part, ...]
    """Numbered as in the log's flags; the first is what the measurement is for."""
    keys: tuple[str, ...] = ()
    """Further keys of [agent], beside COMMON_KEYS."""
    needs: tuple[str, ...] = ()
    """Those of them that it cannot do without."""
    clocked: tuple[str, ...] = ()
    """Variants whose values are in ns of a clock of the system, not in ticks."""
    by_answers: tuple[str, ...] = ()
    """Variants whose values are the brackets of the pin writes themselves."""
    always_pin: bool = False
    periodic: bool = False
    """Its values are those of two writes of the pins each period, by the target's schedule."""

    def variant(self, words: Mapping[str, str]) -> str:
        """The one in force, by the agent's words; "" for one that is not known."""
        usual = next(iter(self.variants))
        given = words.get("variant", usual)
        return given if given in self.variants else ""

    def on_pins(self, words: Mapping[str, str]) -> bool:
        """Each value's end is seen on the response pin."""
        return words.get("pin") == "1" or self.always_pin or self.variant(words) in self.by_answers

    def records(self, words: Mapping[str, str]) -> int:
        """Records that one iteration makes."""
        if self.periodic:
            return 2
        values = 0 if self.variant(words) in self.by_answers else len(self.parts)
        return values + self.on_pins(words)

    def times(self, records: LogArray, words: Mapping[str, str]) -> Times:
        """What some records say, in their order."""
        wanted = are_values(records)
        if self.variant(words) in self.by_answers:
            wanted = ~wanted
        rows = records[wanted]
        before, after = (rows[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
        part = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64) % PARTS_MAX
        went_on = (rows["flags"] & np.uint32(LOG_WENT_ON)) != 0
        clocked = (rows["flags"] & np.uint32(LOG_CLOCK)) != 0
        return Times(rows["handled"].astype(np.int64), part, before, after, went_on, clocked)


@dataclass(frozen=True)
class Times:
    """Values in order. Shapes (n,)."""

    iteration: Int64Array
    part: Int64Array
    before: Int64Array
    """In ticks, or ns of a clock."""
    after: Int64Array
    went_on: npt.NDArray[np.bool_] = field(repr=False)
    """The task that woke another went on before that one ran."""
    clocked: npt.NDArray[np.bool_] = field(repr=False)
    """In ns of a clock."""

    @property
    def values(self) -> Int64Array:
        """How long each took."""
        return self.after - self.before


def are_values(records: LogArray) -> npt.NDArray[np.bool_]:
    """Which of these records are values, shape (n,); the others are writes of the pins."""
    values: npt.NDArray[np.bool_] = (records["flags"] & np.uint32(LOG_VALUE)) != 0
    return values
