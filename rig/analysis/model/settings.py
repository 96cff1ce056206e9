# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a run that give its raw data meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated

from rig.analysis.model.instrument_counts import Count, Name, Rate, Time
from rig.analysis.model.wiring import Wiring
from rig.event_source import EventSource
from rig.untrusted.decode import Length, NumberRange


@dataclass(frozen=True)
class Limits:
    """The plan's limits. None: not judged."""

    max_ns: Time | None = None
    average_ns: Time | None = None
    p99_ns: Time | None = None
    missed: Count | None = None
    late: Count | None = None
    duplicate: Count | None = None
    spurious: Count | None = None
    merged: Count | None = None
    interval_error_ns: Time | None = None
    """Largest departure of an interval from the nominal period, either way."""
    others: Annotated[Mapping[str, Time], Length(200)] = field(default_factory=dict)
    """Limits of other statistics in ns, and counts, by the plan's names; see rig.limit_names."""

    def named(self) -> dict[str, float]:
        """Return all limits that are to be judged, by the plan's names."""
        own = {name: getattr(self, field) for name, field in LIMIT_FIELDS.items()}
        return {name: limit for name, limit in own.items() if limit is not None} | dict(self.others)


LIMIT_FIELDS = {
    "max_latency": "max_ns",
    "average_latency": "average_ns",
    "p99_latency": "p99_ns",
    "missed": "missed",
    "late": "late",
    "merged": "merged",
    "duplicate": "duplicate",
    "spurious": "spurious",
    "max_interval_error": "interval_error_ns",
}
"""The plan's names of the limits that have a field of their own."""


@dataclass(frozen=True)
class ClockBounds:
    """Bounds, stated and not estimated, of how far two clocks may be apart."""

    target_ppm: float = 200.0
    """Bound of the target's counter against the analyzer's clock, from their nominal rates."""
    target_ppm_per_s: float = 1.0
    """Bound of how fast that may change: two crystals."""
    stimulus_ppm_per_s: float = 10.0
    """The same for the stimulus's clock and the analyzer's: a ceramic resonator that warms up."""

    def __post_init__(self) -> None:
        """Check the values. Raises ValueError for what is no bound: a file may be foreign."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"clock bound {each.name} is {value!r}")
            if not 1e-3 <= value <= (20_000 if each.name == "target_ppm" else 1000):
                raise ValueError(f"clock bound {each.name} is {value}")


@dataclass(frozen=True)
class Settings:
    """The settings of a run that give its raw data meaning."""

    measurement: Name
    scenario: Name
    sample_rate_hz: Rate
    stimulus_clock_hz: Rate
    wiring: Wiring
    glitch_samples: Annotated[int, NumberRange(0, 2**46)]
    """Pulses shorter than this are counted and set aside; 0: none are."""
    source: EventSource | None
    """Source of the events; None: not known, as of a capture made without this rig."""
    limits: Limits
    tick_hz: Rate | None = None
    """Nominal rate of the target's cycle counter; None: not known, as of an older file."""
    agent: Annotated[dict[str, Name], Length(200)] = field(default_factory=dict)
    """Options of the agent beyond the measurement, in its own words."""
    clocks: ClockBounds = ClockBounds()

    @property
    def planned(self) -> int | None:
        """The number of planned events: stimuli, periods or values; None: not known."""
        return None if self.source is None else self.source.planned

    def __post_init__(self) -> None:
        """Check the wiring. Raises ValueError for values that contradict each other."""
        wiring = self.wiring
        channels = [wiring.stimulus, wiring.response, *wiring.sequence]
        if wiring.task is not None:
            channels.append(wiring.task)
        if len(set(channels)) != len(channels):
            raise ValueError(f"wiring: two signals on one of the channels {channels}")
