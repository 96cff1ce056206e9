# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for the highest sample rate without loss: which rates to try, and the result. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tried:
    """A rate that was tried."""

    rate_hz: int
    lost: str
    """How a loss of samples was noticed, or that the driver does not take this rate; "" if all
    was well."""


@dataclass(frozen=True)
class Sustained:
    """The result of a search."""

    rate_hz: int
    """The highest rate at which nothing was lost; 0 if there was none."""
    limit: Tried | None
    """The lowest rate above it that was tried; None: there is none to be tried."""


def search(
    rates_hz: Sequence[int], own: Tried, attempt: Callable[[int], Tried]
) -> tuple[Sustained, tuple[Tried, ...]]:
    """Search from the own rate upwards until samples are lost, or downwards until none are.

    `rates_hz` in any order; `attempt` is called for single ones of them. Also returns all that was
    tried, the own rate first.
    """
    tried = [own]
    if own.lost:
        tried += _until((r for r in sorted(rates_hz, reverse=True) if r < own.rate_hz),
                        attempt, lambda each: not each.lost)  # fmt: skip
    else:
        tried += _until((r for r in sorted(rates_hz) if r > own.rate_hz),
                        attempt, lambda each: bool(each.lost))  # fmt: skip
    fine = max((each.rate_hz for each in tried if not each.lost), default=0)
    worse = [each for each in tried if each.lost]
    limit = min(worse, key=lambda each: each.rate_hz) if worse else None
    return Sustained(fine, limit), tuple(tried)


def _until(
    rates_hz: Iterable[int], attempt: Callable[[int], Tried], found: Callable[[Tried], bool]
) -> list[Tried]:
    tried = []
    for rate_hz in rates_hz:
        tried.append(attempt(rate_hz))
        if found(tried[-1]):
            break
    return tried


def bytes_per_second(rate_hz: int, channels: int) -> int:
    """Return the bytes per second that come over the port: samples of whole bytes."""
    return rate_hz * -(-channels // 8)
