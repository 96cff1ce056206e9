# SPDX-License-Identifier: GPL-3.0-or-later
"""A modelled target that takes its time for each interrupt, and so has a highest rate.

As an interrupt line with a latch has it: while an interrupt is served the next one waits, and all
that come while one waits become one with it. With a service of S, a train of one rate is served
without loss for ever if its interval is S or longer, and not if it is shorter.
"""

from __future__ import annotations


class Service:
    """The service of interrupts one at a time; times are in ps and never fall."""

    def __init__(self, service_ps: int) -> None:
        """`service_ps` 0: any number of interrupts may wait, and each is taken at once."""
        self._service_ps = service_ps
        self.idle()

    def idle(self) -> None:
        """Note that nothing is being served."""
        self._free_ps = 0

    @property
    def limited(self) -> bool:
        """Whether there is a highest rate."""
        return self._service_ps > 0

    def take(self, arrival_ps: int) -> int:
        """Return when an interrupt is taken that arrives now and did not merge with another."""
        return max(arrival_ps, self._free_ps) if self.limited else arrival_ps

    def answered(self, taken_ps: int, answer_ps: int) -> None:
        """Note the time of the last one's answer: it is served no sooner."""
        self._free_ps = max(taken_ps + self._service_ps, answer_ps)
