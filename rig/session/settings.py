# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a run: what plan and fixture say, with the rates that the instruments told."""

from __future__ import annotations

from dataclasses import replace

from rig.analysis.model.settings import Settings
from rig.analysis.model.wiring import Wiring
from rig.config.fixture import RESPONSE, STIMULUS, TASK, Fixture
from rig.config.plan import Plan
from rig.session.clock_bounds import clock_bounds


def settings_of(
    plan: Plan,
    fixture: Fixture,
    sample_rate_hz: int,
    stimulus_clock_hz: int,
    tick_hz: int | None = None,
) -> Settings:
    """Return the settings that analysis needs, with the rates that the instruments reported."""
    source = plan.event_source(replace(fixture.stimulus.chip, clock_hz=stimulus_clock_hz))
    return Settings(
        measurement=plan.measurement,
        scenario=plan.scenario,
        sample_rate_hz=sample_rate_hz,
        stimulus_clock_hz=stimulus_clock_hz,
        wiring=Wiring(
            stimulus=fixture.channel_of(STIMULUS),
            response=fixture.channel_of(RESPONSE),
            sequence=fixture.sequence_channels,
            active_level=source.active_level,
            task=fixture.channel_of(TASK) if fixture.has_signal(TASK) else None,
        ),
        glitch_samples=plan.glitch_filter_samples(sample_rate_hz),
        source=source,
        limits=plan.limits,
        tick_hz=tick_hz,
        agent=plan.agent.wire_arguments(),
        clocks=clock_bounds(fixture.clocks),
    )
