# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis needs of a run: the raw data and the settings that give them meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Protocol

from rig.analysis.model.rate_search import RateSearch
from rig.analysis.model.sources import (
    EventSource,
    Schedule,
    SelfMeasured,
    SelfTriggers,
    planned_count,
)
from rig.analysis.observation import Wiring
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.stimulus.train import Train
from rig.untrusted.decode import Length, Range

Count = Annotated[int, Range(0, 2**63 - 1)]
Time = Annotated[float, Range(0, 1e18)]
"""Nanoseconds; 1e18 of them are 30 years. Of a limit on counts: as many."""
Rate = Annotated[int, Range(1, 10**12)]
Name = Annotated[str, Length(400)]


@dataclass(frozen=True)
class Limits:
    """What the plan allows. None: not judged."""

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
    further: Annotated[Mapping[str, Time], Length(200)] = field(default_factory=dict)
    """Of other statistics in ns, and of other counts, by the plan's names; see rig.limit_names."""

    def named(self) -> dict[str, float]:
        """All that are to be judged, by the plan's names."""
        own = {name: getattr(self, field) for name, field in _LIMIT_NAMES.items()}
        return {name: limit for name, limit in own.items() if limit is not None} | dict(
            self.further
        )


_LIMIT_NAMES = {
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
    """How far two clocks may be apart. Bounds that are stated, not estimated."""

    target_ppm: float = 200.0
    """The target's counter and the analyzer's clock, against their nominal rates."""
    target_ppm_per_s: float = 1.0
    """How fast that may change: two crystals."""
    stimulus_ppm_per_s: float = 10.0
    """The same of the stimulus's clock and the analyzer's: a ceramic resonator that warms up."""

    def __post_init__(self) -> None:
        """Raises ValueError for what is no bound: they may come from a foreign file."""
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
    glitch_samples: Annotated[int, Range(0, 2**46)]
    """Pulses shorter than this are counted and set aside; 0: none are."""
    source: EventSource | None
    """Where the events come from; None: not known, as of a capture made without this rig."""
    limits: Limits
    tick_hz: Rate | None = None
    """Nominal rate of the target's cycle counter; None: not known, as of an older file."""
    agent: Annotated[dict[str, Name], Length(200)] = field(default_factory=dict)
    """What was asked of the agent beyond the measurement, in its own words."""
    clocks: ClockBounds = ClockBounds()

    @property
    def planned(self) -> int | None:
        """Events planned: stimuli, periods or values; None: not known."""
        return planned_count(self.source)

    @property
    def train(self) -> Train | None:
        """The pulse train, if the events are its pulses."""
        return self.source if isinstance(self.source, Train) else None

    @property
    def schedule(self) -> Schedule | None:
        """The target's periods, if the events are its answers to them."""
        return self.source if isinstance(self.source, Schedule) else None

    @property
    def self_triggers(self) -> SelfTriggers | None:
        """The interrupts that the target makes, if they are the events."""
        return self.source if isinstance(self.source, SelfTriggers) else None

    @property
    def rate_search(self) -> RateSearch | None:
        """The search for the highest rate, if its stimuli are the events."""
        return self.source if isinstance(self.source, RateSearch) else None

    @property
    def is_self_measured(self) -> bool:
        """The target measures by itself: the run has values, and no events on the wires."""
        return isinstance(self.source, SelfMeasured)

    def __post_init__(self) -> None:
        """Raises ValueError for values that contradict each other, as in a foreign file."""
        wiring = self.wiring
        channels = [wiring.stimulus, wiring.response, *wiring.sequence]
        if wiring.task is not None:
            channels.append(wiring.task)
        if len(set(channels)) != len(channels):
            raise ValueError(f"wiring: two signals on one of the channels {channels}")


@dataclass(frozen=True)
class Account:
    """What the instruments said at the end. None: the run did not get there."""

    sent: Count | None = None
    """Pulses that left the stimulus's pin."""
    stimulus_late: Count = 0
    """Pulses that left later than planned."""
    capture_overruns: Count = 0
    """Answers that the stimulus's input capture knows it lost."""
    handled: Count | None = None
    """Interrupts that the target's handler counted."""
    log_dropped: Count = 0
    """Records that found the target's log full."""
    holds: tuple[Count, ...] | None = None
    """Of a search: pulses that the firmware sent at each rate; they make up `sent`."""
    unanswered: Count | None = None
    """Interrupts or periods that got no pin write of their own, by the agent's count."""
    overruns: Count | None = None
    """Answers that ended when the next period was already due, by the agent's count."""
    triggers: Count | None = None
    """Interrupts that the target made itself, by the agent's count."""
    throttled: Count = 0
    """Times that the target held interrupts up, so that others than it could run."""
    backlog_max_ns: Count | None = None
    """How far the host was behind the analyzer's driver, at most; not judged."""
    backlog_max_sample: Count = 0
    """Where the capture was then."""
    driver_held_ns: Count = 0
    """How long the driver had to wait for the host, at most; too long is a loss of its own."""
    interrupted: bool = False
    failure: Annotated[str, Length(4000)] = ""
    """Why the bench failed; empty if it did not."""


class RawRun(Protocol):
    """The raw data of a run. Everything can be read any number of times, in pieces."""

    def edge_blocks(self) -> Iterator[EdgeBlock]: ...

    def losses(self) -> list[tuple[str, int, str]]: ...

    @property
    def log_count(self) -> int: ...

    def log(self, first: int, count: int) -> LogArray: ...

    @property
    def capture_count(self) -> int: ...

    def captures(self, first: int, count: int) -> Int64Array: ...
