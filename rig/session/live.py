# SPDX-License-Identifier: GPL-3.0-or-later
"""The live summary of a run: what the command line's progress line and the window show."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.model.settings import Settings
from rig.analysis.statistics.outliers import limit_samples
from rig.instruments import Backlog, EdgeBlock
from rig.session.live_periods import LivePeriods
from rig.streaming.flow import Flow
from rig.streaming.outcome import Notable

NOTABLE_KEPT = 64


@dataclass
class LiveSummary:
    """Counts so far. Provisional: pairing needs the whole run, the raw data are what counts."""

    planned: int
    sample_rate_hz: int
    phase: str = "opening"
    hold: str = ""
    """Of a search: which of its trains this is, and at which rate."""
    stimuli: int = 0
    answers: int = 0
    missed: int = 0
    """Stimuli that got no answer within the plan's response timeout."""
    losses: int = 0
    samples: int = 0
    """Samples accounted for."""
    last_stimulus_sample: int = 0
    backlog: Backlog = field(default_factory=Backlog)
    flow: Flow | None = None
    """Pairing and histogram so far; None until the analyzer is open, or without a train."""
    periods: LivePeriods | None = None
    """In place of it in a run of periods."""
    answering_channel: int | None = None
    """In place of both in a run that the target measures by itself; it need not use the pin."""
    notable: deque[Notable] = field(default_factory=lambda: deque(maxlen=NOTABLE_KEPT))
    """The last events worth a line, oldest first."""

    @property
    def max_ns(self) -> float | None:
        """Longest latency so far, of periods the worst interval error; None without any."""
        if self.periods is not None:
            return self.periods.worst_ns
        longest = None if self.flow is None else self.flow.maximum
        return None if longest is None else longest.latency_samples * 1e9 / self.sample_rate_hz

    def begin(self, settings: Settings, timeout_samples: int) -> None:
        """The rate in force is known. A stimulus is given up after `timeout_samples`."""
        self.sample_rate_hz = rate_hz = settings.sample_rate_hz
        if settings.is_self_measured:
            self.answering_channel = settings.wiring.response
            return
        if settings.schedule is not None:
            self.periods = LivePeriods(settings, settings.schedule)
            return
        self.flow = Flow(
            settings.wiring,
            rate_hz,
            settings.glitch_samples,
            timeout_samples,
            limit_samples(settings),
        )

    def add(self, block: EdgeBlock) -> None:
        """Take in a block of raw edges."""
        if self.flow is not None:
            self.flow.feed_block(block)
            self.stimuli, self.answers = self.flow.stimuli, self.flow.answers
            self.missed = self.flow.counts().missed
            self.last_stimulus_sample = self.flow.last_stimulus_sample
        if self.answering_channel is not None:
            self.answers += int(np.count_nonzero(block.channel == self.answering_channel))
        if self.periods is not None:
            self.periods.add(block)
            self.answers = self.periods.answers
        self.samples = block.end_sample

    def take_notable(self) -> list[Notable]:
        """The notable events since the last call; the last ones stay in `notable`."""
        found = [] if self.flow is None else self.flow.take_notable()
        self.notable.extend(found)
        return found
