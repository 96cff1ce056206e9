# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's settings of the steps that measure: for how long, against what, clipped where."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rig.config.calibration import CalibrationRecord
from rig.errors import InputError

SECONDS_MIN, SECONDS_MAX = 2, 600
"""The seconds that a capture of every edge has room for."""
CHANNELS = 64
COUNTER_VALID = 'a rate and its limits, such as "16000123.4 Hz +- 0.2 Hz"'
_COUNTER = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?) ?Hz ?(?:\+-|\+/-|±) ?([0-9.e-]{1,15}) ?Hz")
_NEAR = 0.02
"""The part of nominal beyond which a reading was of something else than the clock."""


@dataclass(frozen=True)
class CounterReading:
    """A frequency counter's reading of the microcontroller's clock."""

    rate_hz: float
    limit_hz: float
    """The half-width within which the true rate surely is."""
    nominal_hz: int
    """The nominal rate of the clock."""


@dataclass(frozen=True)
class CalibrationSettings:
    """The settings of one calibration. Raises InputError for what no bench has."""

    seconds: int = 60
    """How long the time base and the target's counter are watched."""
    rate_seconds: int = 3
    """How long each sample rate is tried, to find the highest without loss; 0: none is."""
    counter: CounterReading | None = None
    pps_channel: int | None = None
    """Analyzer channel that a GPS receiver's pulse a second is clipped to."""
    pps_limit_ns: float = 100.0
    """The limit of how far a pulse is from its second."""
    far_channel: int | None = None
    """Analyzer channel at the target's end of a wire or level shifter."""
    signal: str = "response"
    """The signal whose wire that is."""
    skew: CalibrationRecord | None = None
    """The channels' known skew, to be taken off where two are compared."""

    @property
    def clipped_mask(self) -> int:
        """The analyzer's channels that are clipped to something besides the fixture's wires."""
        clipped = {self.pps_channel, self.far_channel} - {None}
        return sum(1 << channel for channel in clipped if channel is not None)

    def __post_init__(self) -> None:
        if not SECONDS_MIN <= self.seconds <= SECONDS_MAX:
            raise InputError(
                f"--seconds {self.seconds}: out of range; valid: {SECONDS_MIN} to {SECONDS_MAX}"
            )


def parse_counter(
    text: str, nominal_hz: int, option: str = "--frequency-counter"
) -> CounterReading:
    """Return a counter's reading as typed in. Raises InputError."""
    match = _COUNTER.fullmatch(text.strip())
    try:
        reading = CounterReading(float(match[1]), float(match[2]), nominal_hz) if match else None
    except ValueError:
        reading = None
    if reading is None:
        raise InputError(f"{option} {text[:40]!r}: not read; valid: {COUNTER_VALID}")
    off = abs(reading.rate_hz / nominal_hz - 1)
    if not off < _NEAR or not 0 < reading.limit_hz < nominal_hz / 100:
        raise InputError(
            f"{option} {text[:40]!r}: not the microcontroller's clock of "
            f"{nominal_hz / 1e6:g} MHz; valid: within 2 % of it, {COUNTER_VALID}"
        )
    return reading


def parse_channel(option: str, text: str) -> int:
    """Return a channel by its name, such as D7. Raises InputError."""
    if not re.fullmatch("D[0-9]{1,2}", text) or int(text[1:]) >= CHANNELS:
        raise InputError(f"{option} {text[:20]!r}: no channel; valid: D0 to D{CHANNELS - 1}")
    return int(text[1:])
