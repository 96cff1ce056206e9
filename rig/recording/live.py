# SPDX-License-Identifier: GPL-3.0-or-later
"""The live summary of a run: what the command line's progress line and the window show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rig.analysis.model.events import Counts
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.outliers import limit_samples
from rig.formatting import microseconds
from rig.instruments import Backlog, EdgeBlock
from rig.streaming.flow import Flow
from rig.streaming.histogram import LogHistogram
from rig.streaming.outcome import Notable

NOTABLE_KEPT = 64


class LiveFigures(ABC):
    """The figures that the edges of a run have shown so far. Provisional: the raw data count."""

    events_are_answers: ClassVar[bool] = True
    """Whether the target makes the events, and each answer is one; no stimulus waits for it."""
    are_intervals: ClassVar[bool] = False
    """Whether the intervals between answers are judged, not latencies."""
    are_values: ClassVar[bool] = False
    """Whether the target measures by itself: edges show that it goes on, and nothing else."""

    stimuli = 0
    answers = 0
    missed = 0
    """The number of stimuli that got no answer within the plan's response timeout."""
    last_stimulus_sample = 0

    def __init__(self) -> None:
        self.notable: deque[Notable] = deque(maxlen=NOTABLE_KEPT)
        """The last events worth a line, oldest first."""

    @abstractmethod
    def add(self, block: EdgeBlock) -> None:
        """Take in a block of raw edges."""

    @property
    def events(self) -> int:
        """The number of the run's events: stimuli, periods answered, or edges after values."""
        return self.answers if self.events_are_answers else self.stimuli

    @property
    def max_ns(self) -> float | None:
        """The longest latency so far, or the worst interval error; None without any."""
        return None

    @property
    def worst(self) -> tuple[int, int]:
        """The number of the worst event, and sample of its stimulus or due time; -1 without any."""
        return -1, -1

    def bins(self) -> npt.NDArray[np.uint64] | None:
        """Return counts of latencies or interval errors in the bins of `rig.streaming.histogram`;
        None where edges show neither."""
        return None

    def latencies(self) -> LogHistogram | None:
        """Return the latencies of decided stimuli; None where no stimuli are paired."""
        return None

    def counts(self) -> Counts | None:
        """Return the counts of decided stimuli; None where no stimuli are paired."""
        return None

    def take_notable(self) -> list[Notable]:
        """Return the notable events since the last call, whose waveforms are worth a file."""
        return []

    @abstractmethod
    def counts_text(self, planned: int) -> str:
        """Return counts of so many planned events in words."""


class LivePairs(LiveFigures):
    """Stimuli and answers, paired as far as that can be done while they come."""

    events_are_answers = False

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        """A stimulus is given up after `timeout_samples`."""
        super().__init__()
        self._sample_ns = 1e9 / settings.sample_rate_hz
        self.flow = Flow(
            settings.wiring,
            settings.sample_rate_hz,
            settings.glitch_samples,
            timeout_samples,
            limit_samples(settings),
        )

    def add(self, block: EdgeBlock) -> None:
        self.flow.feed_block(block)
        self.stimuli, self.answers = self.flow.stimuli, self.flow.answers
        self.missed = self.flow.counts().missed
        self.last_stimulus_sample = self.flow.last_stimulus_sample

    @property
    def max_ns(self) -> float | None:
        longest = self.flow.maximum
        return None if longest is None else longest.latency_samples * self._sample_ns

    @property
    def worst(self) -> tuple[int, int]:
        longest = self.flow.maximum
        return (-1, -1) if longest is None else (longest.event, longest.stimulus_sample)

    def bins(self) -> npt.NDArray[np.uint64]:
        return self.flow.histogram().counts

    def latencies(self) -> LogHistogram:
        return self.flow.histogram()

    def counts(self) -> Counts:
        return self.flow.counts()

    def take_notable(self) -> list[Notable]:
        found = self.flow.take_notable()
        self.notable.extend(found)
        return found

    def counts_text(self, planned: int) -> str:
        return (
            f"{self.stimuli}/{planned} stimuli, {self.answers} answered, {self.missed} missed"
            f"{longest_text(self.max_ns)}"
        )


class LiveValues(LiveFigures):
    """Edges of the answering pin, which a target that measures by itself need not use."""

    are_values = True

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._channel = settings.wiring.response

    def add(self, block: EdgeBlock) -> None:
        self.answers += int(np.count_nonzero(block.channel == self._channel))

    def counts_text(self, planned: int) -> str:
        return f"{self.answers} edges of {planned} values"


def longest_text(max_ns: float | None) -> str:
    """Return the longest latency as the last of some counts; "" without any."""
    return "" if max_ns is None else f", max {microseconds(max_ns)} us"


@dataclass
class LiveSummary:
    """The state of a run that goes on, and its figures."""

    planned: int
    sample_rate_hz: int
    phase: str = "opening"
    hold: str = ""
    """The train of a search that runs now, and its rate."""
    losses: int = 0
    samples: int = 0
    """The number of samples accounted for."""
    backlog: Backlog = field(default_factory=Backlog)
    figures: LiveFigures | None = None
    """The figures so far; None until the analyzer is open."""

    @property
    def events(self) -> int:
        """The number of planned events that have come."""
        return 0 if self.figures is None else self.figures.events

    @property
    def stimuli(self) -> int:
        """The number of stimulus edges."""
        return 0 if self.figures is None else self.figures.stimuli

    @property
    def answers(self) -> int:
        """The number of edges of the answering pin that are answers."""
        return 0 if self.figures is None else self.figures.answers

    @property
    def missed(self) -> int:
        """The number of stimuli that got no answer within the plan's response timeout."""
        return 0 if self.figures is None else self.figures.missed

    @property
    def max_ns(self) -> float | None:
        """The longest latency so far, of periods the worst interval error; None without any."""
        return None if self.figures is None else self.figures.max_ns

    def add(self, block: EdgeBlock) -> None:
        """Take in a block of raw edges."""
        if self.figures is not None:
            self.figures.add(block)
        self.samples = block.end_sample
