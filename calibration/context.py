# SPDX-License-Identifier: GPL-3.0-or-later
"""The context of a calibration step: a fixture and its open instruments."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from calibration.settings import CalibrationSettings
from rig.config.calibration import present_instruments
from rig.config.fixture import Fixture
from rig.errors import RigError
from rig.instruments import Analyzer, Stimulus, Target
from rig.stimulus.chip import StimulusChip
from rig.target.link import AgentLink

Progress = Callable[[str], None]
"""A function that gets, in a few words, what is being done."""

WAIT_MAX_MS = 1000
"""The longest piece of a wait; between pieces a request to stop is noticed."""


class StoppedError(RigError):
    """The user has stopped the calibration."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("stopped; what was not finished is not recorded")


class BenchInstruments(Protocol):
    """Three open instruments, such as rig.bench.open.Bench."""

    @property
    def analyzer(self) -> Analyzer: ...

    @property
    def stimulus(self) -> Stimulus: ...

    @property
    def target(self) -> Target: ...

    def check(self) -> None:
        """Check the bench. Raises BenchError if what is behind the cable ends has died."""

    def cause_of(self, error: RigError) -> RigError:
        """Return the error that lies behind one that a cable end reports."""
        ...


OpenBench = Callable[[Fixture], AbstractContextManager[BenchInstruments]]
"""A function that opens a fixture's instruments, the analyzer with every channel; they are closed
on every path. Usually `partial(rig.bench.open.open_bench, every_channel=True, ...)`."""


@dataclass(frozen=True)
class StepContext:
    """Context of every step. The analyzer shows all of its channels, not only the wired ones."""

    fixture: Fixture
    bench: BenchInstruments
    stop: threading.Event = field(default_factory=threading.Event)
    settings: CalibrationSettings = field(default_factory=CalibrationSettings)
    reopen: OpenBench | None = None
    """A function that opens the instruments anew, set as another fixture says: `bench` is closed
    then. None: they have to stay as they are."""

    def check_stop_only(self) -> None:
        """Raise StoppedError if the user asked to stop, whatever became of the bench."""
        if self.stop.is_set():
            raise StoppedError

    def check_stop(self) -> None:
        """Raise StoppedError if the user asked to stop, BenchError if the bench has died."""
        self.check_stop_only()
        self.bench.check()

    def wait(self, time_ms: int) -> int:
        """Wait so long by the microcontroller's clock; return how many edges it captured meanwhile.

        The host's clock would not do: on the virtual bench time is not the host's.
        """
        captured = 0
        while True:
            self.check_stop()
            piece_ms = min(time_ms, WAIT_MAX_MS)
            # More edges than the firmware can hold are never there: it waits for the time.
            captured += len(self.bench.stimulus.fetch(self.chip.captures, piece_ms).ticks)
            time_ms -= piece_ms
            if time_ms <= 0:
                return captured

    @property
    def chip(self) -> StimulusChip:
        """The stimulus microcontroller."""
        return self.fixture.stimulus.chip

    @property
    def agent(self) -> AgentLink | None:
        """The target's agent, if there is a live one."""
        target = self.bench.target
        return target if isinstance(target, AgentLink) else None

    def instruments(self) -> dict[str, str]:
        """Return serial numbers, rates, ports and versions of the instruments."""
        bench = self.bench
        return present_instruments(
            self.fixture, bench.analyzer.identity, bench.stimulus.identity, bench.target.identity
        )
