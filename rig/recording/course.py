# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a run while samples flow, by what makes its events."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Protocol

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Settings
from rig.instruments import Int64Array, Stimulus, Target, TargetSummary
from rig.recording.live import LiveFigures, LiveSummary

GRACE_S = 1
"""The time by which the host may be behind the target, or the target behind ARM."""


class Recorder(Protocol):
    """The recorder that a course is lent: the instruments, and the capture item by item."""

    @property
    def stimulus(self) -> Stimulus: ...

    @property
    def target(self) -> Target: ...

    live: LiveSummary
    account: InstrumentCounts
    """The counts of the instruments so far."""
    capture_ended: bool

    def read(self) -> None:
        """Take one item of the capture into the run file. Raises BenchError at its end."""

    def captures(self, ticks: Int64Array) -> None:
        """Take answers of the stimulus's input capture into the run file, shape (n,)."""

    def stop_target(self) -> TargetSummary:
        """Stop it, if it was not stopped before; return its summary. Raises BenchError."""


class Course(ABC):
    """The course of a run from the moment that the target is armed until all events are over."""

    decides_by_edges = True
    """Whether it goes on by the edges it sees, so that an analyzer must show them at once."""
    started = False
    """Whether events may have been made, so that there is something to stop and to fetch."""

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        """`timeout_samples`: the time that an answer is waited for."""
        self.settings, self.timeout_samples = settings, timeout_samples
        self.figures = self.live_figures()

    @abstractmethod
    def live_figures(self) -> LiveFigures:
        """Return the figures that edges show of such a run."""

    def prepare(self, stimulus: Stimulus) -> None:
        """Set up what must be so before samples flow. Raises BenchError."""
        del stimulus  # nothing, unless it sends pulses

    @abstractmethod
    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        """Make or await the events and record until all of them are over, or `stop` is set.

        Raises RigError if an instrument fails.
        """

    def end(self, recorder: Recorder) -> None:
        """Stop what this course has started beside the target, and add to the account.

        Raises RigError.
        """
        del recorder  # nothing, unless pulses were sent

    def read_behind(self, recorder: Recorder, edges: int) -> None:
        """Read on until so many edges are seen, as the host may be behind the target."""
        live = recorder.live
        patience = self.timeout_samples + GRACE_S * self.settings.sample_rate_hz
        last = live.samples + patience
        while live.answers + live.stimuli < edges and live.samples < last:
            if recorder.capture_ended:
                return
            recorder.read()
