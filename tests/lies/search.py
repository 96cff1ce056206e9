# SPDX-License-Identifier: GPL-3.0-or-later
"""Bisection for the smallest lie that is caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.lies.runs import Outcome

RATIO = 1.5
"""Of the smallest size caught to the largest one that was not."""


@dataclass(frozen=True)
class Found:
    """What is known of one lie in one measurement."""

    caught: int | None
    """The smallest size that was caught; None: none was."""
    reason: str
    """What the verdict then said."""
    uncaught: int | None
    """The largest size below it that was not caught; None: the smallest was caught."""
    of_u: float | None
    """The worst departure of a figure from the truth in runs that passed, as a share of U."""
    error_ns: float | None
    runs: int = 0


def smallest(
    told: Callable[[int], Outcome], low: int, high: int, guess: int | None = None
) -> Found:
    """Tell a lie in sizes until the smallest one caught is known.

    `guess`: where that may be, as of another measurement.
    """
    outcomes: dict[int, Outcome] = {}

    def caught(size: int) -> bool:
        if size not in outcomes:
            outcomes[size] = told(size)
        return outcomes[size].caught

    top, bottom = high, low - 1
    if guess is not None:
        near = max(low, round(guess / RATIO))
        if caught(guess):
            top = guess
            if near < guess and not caught(near):
                bottom = near
        else:
            bottom = guess
    if top == high and not caught(high):
        return _found(None, high, outcomes)
    while (bottom < top - 1 and top > max(bottom, low) * RATIO) or (bottom < low < top):
        middle = round((max(bottom, low) * top) ** 0.5) if bottom >= low else low
        middle = min(max(middle, bottom + 1), top - 1)
        if caught(middle):
            top = middle
        else:
            bottom = middle
    return _found(top, bottom if bottom >= low else None, outcomes)


def _found(caught: int | None, uncaught: int | None, outcomes: dict[int, Outcome]) -> Found:
    passed = [each for each in outcomes.values() if not each.caught and each.of_u is not None]
    worst = max(passed, key=lambda each: each.of_u or 0.0, default=None)
    return Found(
        caught,
        outcomes[caught].reason if caught is not None else "",
        uncaught,
        None if worst is None else worst.of_u,
        None if worst is None else worst.error_ns,
        len(outcomes),
    )
