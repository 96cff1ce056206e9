# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis needs of a run: the raw data and the settings that give them meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from rig.analysis.observation import Wiring
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.stimulus.train import Train


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
    train: Train
    limits: Limits


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
    """Pin writes that found the target's log full."""
    interrupted: bool = False
    failure: str = ""
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
