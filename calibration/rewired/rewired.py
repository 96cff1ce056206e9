# SPDX-License-Identifier: GPL-3.0-or-later
"""What is connected for a step with wires of its own. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.settings import CalibrationSettings
from rig.config.calibration.names import LINE_STEP, LOOPBACK_STEP, SKEW_STEP
from rig.config.fixture import RESPONSE, STIMULUS, Fixture
from rig.errors import InputError


@dataclass(frozen=True)
class Rewired:
    """The stimulus pin, and all that it is connected to. Channels are bit numbers."""

    step: str
    channels: Mapping[int, str]
    """What each of these channels is otherwise: a signal, or "" of one that is free."""
    capture: bool = False
    """The microcontroller's capture pin as well."""
    off: tuple[str, ...] = ()
    """Signals whose pins of the target must be off these wires."""
    through: str = ""
    """Signal whose own wire or level shifter lies before its channel; "" if none does."""

    @property
    def far(self) -> int | None:
        """The free channel; where a wire is measured, at the target's end of it."""
        return next((channel for channel, signal in self.channels.items() if not signal), None)


def free_channels(fixture: Fixture) -> tuple[int, ...]:
    """Channels of the analyzer that no wire of the fixture is on."""
    wired = {wire.channel for wire in fixture.wires}
    return tuple(each for each in range(fixture.analyzer.channels) if each not in wired)


def require_free(key: str, channel: int, fixture: Fixture) -> None:
    """Raises InputError, in the name of an answer, for a channel that is no free one."""
    free = free_channels(fixture)
    if channel not in free:
        valid = ", ".join(f"D{each}" for each in free) or "none: every channel has its wire"
        raise InputError(f"{key}: D{channel} is no free channel of the analyzer; valid: {valid}")


def rewired_for(step: str, fixture: Fixture, settings: CalibrationSettings) -> Rewired:
    """The wires of this step. Raises InputError for a far channel that is none.

    A far channel takes part in the channel skew, as its own is taken off a wire's delay.
    """
    wired = {wire.channel: wire.signal for wire in fixture.wires}
    stimulus = {fixture.channel_of(STIMULUS): STIMULUS}
    response = {fixture.channel_of(RESPONSE): RESPONSE}
    far: dict[int, str] = {}
    if settings.far_channel is not None:
        require_free("far-channel", settings.far_channel, fixture)
        far = {settings.far_channel: ""}
    if step == SKEW_STEP:
        off = tuple(signal for signal in wired.values() if signal != STIMULUS)
        return Rewired(step, {**stimulus, **wired, **far}, off=off)
    if step == LOOPBACK_STEP:
        capture = fixture.has_second_witness
        return Rewired(step, {**stimulus, **response}, capture, off=(RESPONSE,))
    if step != LINE_STEP or not far:
        raise InputError(f"{step}: no step with wires of its own, or one without a far channel")
    near = response if settings.signal == RESPONSE else {}
    return Rewired(
        step,
        {**stimulus, **far, **near},
        off=tuple(near.values()),
        through=settings.signal,
    )
