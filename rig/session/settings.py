# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and account of a run as the run file stores them, and back."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from rig.analysis.model.account import Account
from rig.analysis.model.settings import ClockBounds, Limits, Settings
from rig.analysis.model.sources import (
    SOURCE_KEYS,
    active_level,
    source_from_json,
    source_to_json,
)
from rig.analysis.model.wiring import Wiring
from rig.config.fixture import RESPONSE, STIMULUS, TASK, Fixture
from rig.config.plan import Plan
from rig.errors import InputError
from rig.limit_names import COUNTS
from rig.measurements.registry import measurement_of
from rig.session.clock_bounds import clock_bounds
from rig.untrusted.decode import WrongValueError, decoded


def settings_of(
    plan: Plan,
    fixture: Fixture,
    sample_rate_hz: int,
    stimulus_clock_hz: int,
    tick_hz: int | None = None,
) -> Settings:
    """What analysis needs, with the rates that the instruments reported."""
    limits = plan.limits
    source = plan.event_source(stimulus_clock_hz)
    return Settings(
        measurement=plan.measurement,
        scenario=plan.scenario,
        sample_rate_hz=sample_rate_hz,
        stimulus_clock_hz=stimulus_clock_hz,
        wiring=Wiring(
            stimulus=fixture.channel_of(STIMULUS),
            response=fixture.channel_of(RESPONSE),
            sequence=fixture.sequence_channels,
            active_level=active_level(source),
            task=fixture.channel_of(TASK) if fixture.has_signal(TASK) else None,
        ),
        glitch_samples=plan.glitch_filter_samples(sample_rate_hz),
        source=source,
        limits=Limits(
            max_ns=_ns(limits.max_latency_ps),
            average_ns=_ns(limits.average_latency_ps),
            p99_ns=_ns(limits.p99_latency_ps),
            missed=limits.missed,
            late=limits.late,
            merged=limits.merged,
            duplicate=limits.duplicate,
            spurious=limits.spurious,
            interval_error_ns=_ns(limits.max_interval_error_ps),
            further={
                name: limit if name in COUNTS else _ns(limit) or 0.0
                for name, limit in limits.further.items()
            },
        ),
        tick_hz=tick_hz,
        agent=plan.agent.words(),
        clocks=clock_bounds(fixture.clocks),
    )


def _ns(time_ps: int | None) -> float | None:
    return None if time_ps is None else float(Fraction(time_ps, 1000))


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Plain values only. What only newer versions know is there only if it is of use."""
    stored = asdict(settings)
    del stored["source"]
    stored |= source_to_json(settings.source)
    if not stored["limits"]["further"]:
        del stored["limits"]["further"]
    if settings.clocks == ClockBounds():
        del stored["clocks"]
    return stored


def settings_from_json(path: Path, stored: dict[str, Any]) -> Settings:
    """The way back. Raises InputError naming the file if the values make no sense."""
    try:
        others = {name: value for name, value in stored.items() if name not in SOURCE_KEYS}
        settings = decoded(Settings, {**others, "source": source_from_json(stored)})
        measurement_of(settings.measurement).check_source(settings.source)
    except ValueError as error:
        raise InputError(f"{path}: damaged run file, settings: {error}") from None
    return settings


def account_to_json(account: Account) -> dict[str, Any]:
    """What the instruments told; what they did not get to is left out."""
    return {name: value for name, value in asdict(account).items() if value not in (None, "")}


def account_from_json(path: Path, stored: dict[str, Any]) -> Account:
    """The instruments' account; extra entries are for people only."""
    try:
        return decoded(Account, stored, ignore_unknown=True)
    except WrongValueError as error:
        raise InputError(f"{path}: damaged run file, report: {error}") from None
