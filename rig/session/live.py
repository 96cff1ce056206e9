# SPDX-License-Identifier: GPL-3.0-or-later
"""The live summary of a run: what the command line's progress line and the window show."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.analysis.observation import Wiring
from rig.instruments import Backlog, EdgeBlock


@dataclass
class LiveSummary:
    """Counts so far. Provisional: pairing needs the whole run, the raw data are what counts."""

    planned: int
    sample_rate_hz: int
    phase: str = "opening"
    stimuli: int = 0
    answers: int = 0
    losses: int = 0
    samples: int = 0
    """Samples accounted for."""
    last_stimulus_sample: int = 0
    backlog: Backlog = field(default_factory=Backlog)

    @property
    def missed(self) -> int:
        """Stimuli without an answer so far, the newest not counted."""
        return max(0, self.stimuli - 1 - self.answers)

    @property
    def bench_time_s(self) -> float:
        """Length of the capture by the analyzer's clock."""
        return self.samples / self.sample_rate_hz

    def add(self, block: EdgeBlock, wiring: Wiring) -> None:
        """Count a block of raw edges (glitches too: this is only a summary)."""
        leading = (block.channel == wiring.stimulus) & (block.level == wiring.active_level)
        seen = int(leading.sum())
        if seen:
            self.last_stimulus_sample = int(block.index[leading][-1])
        self.stimuli += seen
        self.answers += int((block.channel == wiring.response).sum())
        self.samples = block.end_sample
