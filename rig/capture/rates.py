# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample rates that a driver offers, from the words in which libsigrok lists them."""

from __future__ import annotations

import re
from itertools import count

TEXT_MAX = 1 << 16
RATE_MAX_HZ = 10**12
_LIST = re.compile(r"'samplerates': <\[(?:uint64 )?([0-9, ]+)\]>")
_STEPS = re.compile(r"'samplerate-steps': <\[(?:uint64 )?([0-9]+), ([0-9]+), ([0-9]+)\]>")


def rates_of(text: str) -> tuple[int, ...]:
    """Return the rates in Hz, ascending; () if the driver does not list them.

    Of a driver that takes any rate between two limits: the limits, and 1, 2 and 5 times the powers
    of ten between them that its step allows.
    """
    if len(text) > TEXT_MAX:
        return ()
    if listed := _LIST.search(text):
        rates = {int(word) for word in listed[1].replace(",", " ").split() if len(word) < 15}
        return tuple(sorted(rate for rate in rates if 0 < rate <= RATE_MAX_HZ))
    steps = _STEPS.search(text)
    if steps is None or any(len(word) > 14 for word in steps.groups()):
        return ()
    low, high, step = (int(word) for word in steps.groups())
    if not 0 < low <= high <= RATE_MAX_HZ or not step:
        return ()
    between = (each for each in _round_rates(high) if each > low and (each - low) % step == 0)
    return tuple(sorted({low, *between, high}))


def _round_rates(high: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, 50, ... up to this."""
    rates: list[int] = []
    for power in count():
        for digit in (1, 2, 5):
            rate = digit * 10**power
            if rate > high:
                return rates
            rates.append(rate)
    return rates
