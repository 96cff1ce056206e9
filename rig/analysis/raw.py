# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis needs of a run: the raw data and the settings that give them meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Protocol

from rig.analysis.observation import Wiring
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.measure.known import INSIDE, SATURATION
from rig.measure.saturation import Search
from rig.stimulus.train import Train

CHANNELS_MAX = 64
"""Levels of all channels fit one integer."""


@dataclass(frozen=True)
class Limits:
    """What the plan allows. None: not judged."""

    max_ns: float | None = None
    average_ns: float | None = None
    p99_ns: float | None = None
    missed: int | None = None
    late: int | None = None
    duplicate: int | None = None
    spurious: int | None = None
    merged: int | None = None
    interval_error_ns: float | None = None
    """Largest departure of an interval from the nominal period, either way."""
    further: Mapping[str, float] = field(default_factory=dict)
    """Of other statistics in ns, and of other counts, by the plan's names; see rig.limit_names."""

    def __post_init__(self) -> None:
        """Raises ValueError for what is no number: limits may come from a foreign file."""
        if not isinstance(self.further, Mapping):
            raise ValueError(f"further limits are {self.further!r}")
        for name, value in self.named().items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"limit {name} is {value!r}")

    def named(self) -> dict[str, float]:
        """All that are to be judged, by the plan's names."""
        own = {name: getattr(self, field) for name, field in _LIMIT_NAMES.items()}
        return {name: limit for name, limit in own.items() if limit is not None} | {
            str(name): limit for name, limit in self.further.items()
        }


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
class Schedule:
    """Periods that the target answers, or interrupts that it makes, by its own clock."""

    period_ns: int
    count: int
    """Periods, answered or missed, or interrupts made, after which it ends."""

    def __post_init__(self) -> None:
        """Raises ValueError for what no plan asks: a schedule may come from a foreign file."""
        for name, most in (("period_ns", 10**12), ("count", 2**32)):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise ValueError(f"{name} is {value!r}")


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

    measurement: str
    scenario: str
    sample_rate_hz: int
    stimulus_clock_hz: int
    wiring: Wiring
    glitch_samples: int
    """Pulses shorter than this are counted and set aside; 0: none are."""
    train: Train | None
    """None: not known, as of a capture that was made without this rig's stimulus."""
    limits: Limits
    schedule: Schedule | None = None
    """Of a run of periods, which has no train."""
    tick_hz: int | None = None
    """Nominal rate of the target's cycle counter; None: not known, as of an older file."""
    agent: dict[str, str] = field(default_factory=dict)
    """What was asked of the agent beyond the measurement, in its own words."""
    triggers: Schedule | None = None
    """Of a run whose interrupts the target makes itself, which has no train."""
    clocks: ClockBounds = ClockBounds()
    inside: int | None = None
    """Values that the target measures by itself; None: it answers stimuli or periods."""
    search: Search | None = None
    """Of measurement `saturation`: one train after the other, each of its own rate."""

    @property
    def by_target(self) -> Schedule | None:
        """What makes the events in place of a train: the target's own clock."""
        return self.schedule or self.triggers

    @property
    def planned(self) -> int | None:
        """Events planned, stimuli or periods; None: not known."""
        if self.inside is not None:
            return self.inside
        if self.by_target is not None:
            return self.by_target.count
        if self.search is not None:
            return self.search.count  # as many as the first rate has; more follow from answers
        return None if self.train is None else self.train.count

    def __post_init__(self) -> None:
        """Raises ValueError for what no run can have: settings may come from a foreign file."""
        for name, least in (("sample_rate_hz", 1), ("stimulus_clock_hz", 1), ("glitch_samples", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or not least <= value < 2**63:
                raise ValueError(f"{name} is {value!r}")
        if self.tick_hz is not None and (
            type(self.tick_hz) is not int or not 1 <= self.tick_hz < 2**63
        ):
            raise ValueError(f"tick_hz is {self.tick_hz!r}")
        if self.inside is not None and (
            type(self.inside) is not int
            or not 1 <= self.inside <= 2**32
            or self.measurement not in INSIDE
        ):
            raise ValueError(f"inside is {self.inside!r} of {self.measurement!a}")
        if (self.search is not None) != (self.measurement == SATURATION):
            raise ValueError(f"search is {self.search!r} of {self.measurement!a}")
        if not isinstance(self.agent, dict) or not all(
            isinstance(text, str) for pair in self.agent.items() for text in pair
        ):
            raise ValueError(f"agent is {self.agent!r}")
        wiring = self.wiring
        channels = (wiring.stimulus, wiring.response, *wiring.sequence)
        if wiring.task is not None:
            channels = (*channels, wiring.task)
        if not all(isinstance(c, int) and 0 <= c < CHANNELS_MAX for c in channels):
            raise ValueError(f"channels are {channels}")
        levels_known = wiring.active_level in (0, 1) and wiring.answer_level in (None, 0, 1)
        if len(set(channels)) != len(channels) or not levels_known:
            raise ValueError(f"wiring is {wiring}")


@dataclass(frozen=True)
class Account:
    """What the instruments said at the end. None: the run did not get there."""

    sent: int | None = None
    """Pulses that left the stimulus's pin."""
    stimulus_late: int = 0
    """Pulses that left later than planned."""
    capture_overruns: int = 0
    """Answers that the stimulus's input capture knows it lost."""
    handled: int | None = None
    """Interrupts that the target's handler counted."""
    log_dropped: int = 0
    """Records that found the target's log full."""
    holds: tuple[int, ...] | None = None
    """Of a search: pulses that the firmware sent at each rate; they make up `sent`."""
    unanswered: int | None = None
    """Interrupts or periods that got no pin write of their own, by the agent's count."""
    overruns: int | None = None
    """Answers that ended when the next period was already due, by the agent's count."""
    triggers: int | None = None
    """Interrupts that the target made itself, by the agent's count."""
    throttled: int = 0
    """Times that the target held interrupts up, so that others than it could run."""
    backlog_max_ns: int | None = None
    """How far the host was behind the analyzer's driver, at most; not judged."""
    backlog_max_sample: int = 0
    """Where the capture was then."""
    driver_held_ns: int = 0
    """How long the driver had to wait for the host, at most; too long is a loss of its own."""
    interrupted: bool = False
    failure: str = ""
    """Why the bench failed; empty if it did not."""

    def __post_init__(self) -> None:
        """Raises ValueError for values of a wrong type: an account may come from a foreign file."""
        if not isinstance(self.interrupted, bool) or not isinstance(self.failure, str):
            raise ValueError(f"interrupted {self.interrupted!r}, failure {self.failure!r}")
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in {"interrupted", "failure"} or value is None:
                continue
            counts = value if each.name == "holds" and isinstance(value, tuple) else (value,)
            if not all(isinstance(count, int) and count >= 0 for count in counts):
                raise ValueError(f"{each.name} is {value!r}")


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
