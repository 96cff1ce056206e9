# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that a modelled target decides before the interrupts come (docs/decisions/0033)."""

from __future__ import annotations

import threading

import numpy as np

from rig.instruments import LOG_ENTRY, Int64Array
from rig.virtual.clock import VirtualClock

SETTLE_S = 5.0
"""The longest wait for answers; the bench holds virtual time for its host for less."""


class GivenAhead:
    """A gate that is open unless the emulator makes answers; callers hold the target's lock."""

    def __init__(self, lock: threading.Lock) -> None:
        self._settled = threading.Condition(lock)
        self._given = False
        self.waiting = 0
        """The number of waits in `settle`; nothing new is to be given before they are over."""

    def give(self) -> None:
        """Let the emulator make the next answers."""
        self._given = True

    def happened(self) -> None:
        """Note that the answers given are known."""
        self._given = False
        self._settled.notify_all()

    def settle(self) -> None:
        """Wait until what was given has happened."""
        self.waiting += 1
        self._settled.wait_for(lambda: not self._given, SETTLE_S)
        self.waiting -= 1


def entry_leads(
    clock: VirtualClock, entry_ps: Int64Array, before_ticks: Int64Array, lead_max_ticks: int
) -> tuple[Int64Array, Int64Array]:
    """Return many records' flags, and the ticks from the handler's entry to the pin's write."""
    lead = before_ticks - clock.ticks_of(entry_ps)
    fits = (lead >= 0) & (lead < lead_max_ticks)
    return np.where(fits, LOG_ENTRY, 0), np.where(fits, lead, 0)
