# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of the modelled target: when it misbehaves, and how."""

from __future__ import annotations

import numpy as np

from rig.config.virtual.bench import FaultSettings

QUIET_EVENTS = 3
"""Events without misbehavior after one with it: no witness could tell what two in a row mean."""


class FaultInjector:
    """Draws a fault for each event."""

    def __init__(self, misbehavior: FaultSettings, rng: np.random.Generator) -> None:
        self._choices = _cumulative(misbehavior)
        self._rng = rng
        self.idle()

    def idle(self) -> None:
        """Let the next event be one that may misbehave."""
        self._quiet = QUIET_EVENTS

    @property
    def none(self) -> bool:
        """Whether nothing ever goes wrong."""
        return not self._choices

    def choose(self) -> str:
        """Return the name of the next event's fault, "" for none."""
        if self._quiet < QUIET_EVENTS or not self._choices:
            self._quiet += 1
            return ""
        draw = self._rng.random()
        for name, bound in self._choices:
            if draw < bound:
                self._quiet = 0
                return name
        return ""


def _cumulative(misbehavior: FaultSettings) -> list[tuple[str, float]]:
    total, choices = 0.0, []
    for name in ("miss", "duplicate", "late", "glitch", "merge"):
        probability = getattr(misbehavior, name)
        total += probability
        if probability:
            choices.append((name, total))
    return choices
