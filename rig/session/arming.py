# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent is asked to do in a run."""

from __future__ import annotations

from rig.analysis.raw import Settings
from rig.instruments import ArmOptions

SPARE_LOG_RECORDS = 1000
"""A target that answers too often still gets its log in."""
_RECORDS = {"interrupt_dispatch": 2}
"""Records that one event makes, if not one. A trigger of the target's own is one more."""


def arm_options(settings: Settings, planned: int) -> ArmOptions:
    """For a run of so many planned events."""
    options = dict(settings.agent)
    if settings.schedule is None:
        options["edge"] = "rising" if settings.wiring.active_level else "falling"
    records = _RECORDS.get(settings.measurement, 1) + (settings.triggers is not None)
    return ArmOptions(
        measurement=settings.measurement,
        capacity=2 * planned * records + SPARE_LOG_RECORDS,
        sequence_bits=len(settings.wiring.sequence),
        options=options,
    )
