# SPDX-License-Identifier: GPL-3.0-or-later
"""Description of a measurement inside the target: variants, parts of a value, and their unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

COMMON_KEYS = ("count", "variant", "pin", "priority", "policy", "cpu")
"""Keys of a plan's [agent] that each such measurement may have."""
SPIN_RECORDS_MAX = 200_000
"""Most records of a spinning task: two records a gap, and marks; the log takes 8 MB."""


_DIGITS_MAX = 15
"""Most digits of a number among the agent's words; a foreign file may have any text."""


def whole_word(words: Mapping[str, str], name: str, usual: int = 0) -> int:
    """Return a number among the agent's words, and the usual one where there is none."""
    text = words.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX else usual


@dataclass(frozen=True)
class IterationPart:
    """One of the times of an iteration."""

    name: str
    """The name that limits have for it."""
    title: str
    beyond: str = ""
    """The agent's word for the time, in ns, beyond which it is a value; "": all of it is."""


@dataclass(frozen=True)
class SelfMeasurement:
    """A measurement by the target's own counter, with or without the pins as a witness."""

    name: str
    title: str
    variants: Mapping[str, str]
    """Description of each variant by its name; the first is the usual one."""
    parts: tuple[IterationPart, ...]
    """Parts, numbered as in the log's flags; the first is what the measurement is for."""
    keys: tuple[str, ...] = ()
    """Further keys of [agent], beside COMMON_KEYS."""
    needs: tuple[str, ...] = ()
    """Keys that it cannot do without."""
    clocked: tuple[str, ...] = ()
    """Variants whose values are in ns of a clock of the system, not in ticks."""
    by_answers: tuple[str, ...] = ()
    """Variants whose values are the brackets of the pin writes themselves."""
    always_pin: bool = False
    periodic: bool = False
    """True: its values are of two writes of the pins each period, by the target's schedule."""
    own_form: bool = False
    """True: its log has a form of its own, which its own evaluator knows."""
    takes_turns: bool = False
    """True: each value ends in another task, one after the other, and its record tells which."""
    by_settable_clock: tuple[str, ...] = ()
    """Variants by a clock that may be set back meanwhile."""
    torn_at_ordinary_priority: bool = False
    """True: without a real-time priority another task may run between the ends of a value."""
    least_period_ns: int = 10_000
    """The shortest period that a plan may have."""
    fails: tuple[str, ...] = ()
    """Variants of which an iteration may fail: it is counted, and gives no value."""
    levels: int = 0
    """Number of real-time priorities that its tasks need; 0: it can do without."""
    least_ns: Callable[[Mapping[str, str]], int] | None = None
    """The time that a value lasts on purpose, by the agent's words; None: none."""
    spins: bool = False
    """True: it writes the pins all the time, and logs few writes; `handled` counts them all."""

    def variant(self, words: Mapping[str, str]) -> str:
        """Return the variant in force, by the agent's words; "" for one that is not known."""
        usual = next(iter(self.variants))
        given = words.get("variant", usual)
        return given if given in self.variants else ""

    @property
    def all_keys(self) -> tuple[str, ...]:
        """Keys of [agent] that it may have; a train or a periodic task has no values to drop."""
        drops = not (self.spins or self.periodic)
        return (*COMMON_KEYS, *(("warm_up",) if drops else ()), *self.keys)

    def can_fail(self, words: Mapping[str, str]) -> bool:
        """Return whether an iteration may fail, by the agent's words."""
        return self.variant(words) in self.fails

    def on_pins(self, words: Mapping[str, str]) -> bool:
        """Return whether each value's end is seen on the response pin."""
        return words.get("pin") == "1" or self.always_pin or self.variant(words) in self.by_answers

    def pin_writes(self, words: Mapping[str, str], records: int) -> int:
        """Return the number of the response pin's edges that so many records of a log mean."""
        shown = 2 if self.periodic else int(self.on_pins(words))
        return records * shown // self.records(words)

    def capacity(self, words: Mapping[str, str], count: int) -> int:
        """Return the number of records that a log of so many iterations must hold."""
        if self.spins:
            return min(count, SPIN_RECORDS_MAX)
        return (count + whole_word(words, "warm_up")) * self.records(words)

    def records(self, words: Mapping[str, str]) -> int:
        """Return the number of records that one iteration makes."""
        if self.periodic:
            return 2
        values = 0 if self.variant(words) in self.by_answers else len(self.parts)
        return values + self.on_pins(words)
