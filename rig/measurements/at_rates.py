# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of measurements of interrupts that come in holds: one rate after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rig.analysis.model.rate_search import HANDLER
from rig.analysis.model.rate_steps import RateSteps
from rig.instruments import ArmOptions
from rig.measurements.interrupt import Interrupt, InterruptToTask
from rig.measurements.measurement import source_as

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


class AtRates(Interrupt):
    """Interrupts of one rate after the other, which the handler or a task answers."""

    is_replayable = False
    agent_keys = ("handler", "second_level", "priority", "cpu")

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """Return what the agent is asked to do: the measurement whose answers are wanted."""
        options = super().arm_options(settings, planned)
        return replace(options, measurement=_answered_by(settings))

    def performer(self, settings: Settings, port: str) -> str:
        if _answered_by(settings) == HANDLER:
            return super().performer(settings, port)
        return InterruptToTask().performer(settings, port)

    def variant_words(self, settings: Settings) -> list[str]:
        by_task = _answered_by(settings) != HANDLER
        return (["task"] if by_task else []) + super().variant_words(settings)


def _answered_by(settings: Settings) -> str:
    return source_as(RateSteps, settings).answered_by  # type: ignore[type-abstract]
