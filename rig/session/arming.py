# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent is asked to do in a run."""

from __future__ import annotations

from rig.analysis.model.sources import SelfMeasured
from rig.analysis.raw import Settings
from rig.instruments import ArmOptions
from rig.measure.known import INSIDE

SPARE_LOG_RECORDS = 1000
"""A target that answers too often still gets its log in."""
_RECORDS = {"interrupt_dispatch": 2}
"""Records that one event makes, if not one. A trigger of the target's own is one more."""


def arm_options(settings: Settings, planned: int) -> ArmOptions:
    """For a run of so many planned events."""
    options = dict(settings.agent)
    if isinstance(settings.source, SelfMeasured):
        return _arm_inside(settings, settings.source.count)
    if settings.schedule is None:
        options["edge"] = "rising" if settings.wiring.active_level else "falling"
    records = _RECORDS.get(settings.measurement, 1) + (settings.self_triggers is not None)
    search = settings.rate_search
    return ArmOptions(
        measurement=settings.measurement if search is None else search.answered_by,
        capacity=2 * planned * records + SPARE_LOG_RECORDS,
        sequence_bits=len(settings.wiring.sequence),
        options=options,
    )


def _arm_inside(settings: Settings, count: int) -> ArmOptions:
    """It ends by itself: the log needs no more room than for what is asked."""
    measured = INSIDE[settings.measurement]
    on_pins = measured.on_pins(settings.agent)
    return ArmOptions(
        measurement=settings.measurement,
        capacity=measured.capacity(settings.agent, count) + SPARE_LOG_RECORDS,
        sequence_bits=len(settings.wiring.sequence) if on_pins else 0,
        options=dict(settings.agent),
    )
