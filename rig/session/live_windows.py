# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of outliers while the run goes on: one need not wait for its end to look at the worst.

They are provisional, as live figures are. When the run has ended, those of the final pairing take
their place (rig.session.windows).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from rig.analysis.model.settings import Settings
from rig.capture.sr_file import write_sr
from rig.errors import InputError
from rig.instruments import EdgeBlock
from rig.session.windows import MARGIN_NS, WINDOWS_MAX, CaptureWindow
from rig.streaming.outcome import EventReason, Notable

EDGES_MAX = 1 << 20
"""The most recent edges kept; on lines too busy for that, windows come at the run's end only."""


class RecentEdges:
    """The last blocks of a capture: what a window is cut from."""

    def __init__(self, keep_samples: int, edges_max: int = EDGES_MAX) -> None:
        self._keep_samples = keep_samples
        self._edges_max = edges_max
        self._blocks: deque[EdgeBlock] = deque()
        self._edges = 0

    @property
    def first_sample(self) -> int:
        """The oldest sample that is still known; 0 before the first block."""
        return self._blocks[0].start_sample if self._blocks else 0

    @property
    def end_sample(self) -> int:
        """End of the newest block."""
        return self._blocks[-1].end_sample if self._blocks else 0

    def add(self, block: EdgeBlock) -> None:
        """Take a block that follows the one before, and forget what is too old or too much."""
        self._blocks.append(block)
        self._edges += len(block.index)
        while len(self._blocks) > 1 and (
            self._edges > self._edges_max
            or self._blocks[1].start_sample <= self.end_sample - self._keep_samples
        ):
            self._edges -= len(self._blocks.popleft().index)

    def cut(self, first_sample: int, end_sample: int) -> list[EdgeBlock]:
        """The blocks of a stretch that is known, the outer ones shortened to it."""
        return [
            _cut(block, max(first_sample, block.start_sample), min(end_sample, block.end_sample))
            for block in self._blocks
            if block.end_sample > first_sample and block.start_sample < end_sample
        ]


def _cut(block: EdgeBlock, start: int, end: int) -> EdgeBlock:
    low, high = block.index.searchsorted((start, end))
    levels = block.levels_before
    for channel, level in zip(
        block.channel[:low].tolist(), block.level[:low].tolist(), strict=True
    ):
        levels = levels & ~(1 << channel) | level << channel
    inside = slice(int(low), int(high))
    return EdgeBlock(
        start, end, block.index[inside], block.channel[inside], block.level[inside], levels
    )


class LiveWindows:
    """Writes a window once the samples behind its event have come."""

    def __init__(
        self, folder: Path, settings: Settings, channel_names: list[str], horizon_samples: int
    ) -> None:
        """`horizon_samples`: an event is known to be notable no later than this after it."""
        self._folder = folder
        self._settings = settings
        self._names = channel_names
        self._margin = MARGIN_NS * settings.sample_rate_hz // 10**9
        self._recent = RecentEdges(horizon_samples + 4 * self._margin)
        self._waiting: list[CaptureWindow] = []
        self._written = 0
        self._maximum: Path | None = None

    def add(self, block: EdgeBlock, notable: Iterable[Notable]) -> None:
        """The next block of the capture, and the events that it has shown to be notable."""
        self._recent.add(block)
        self._waiting += [self._window(event) for event in notable]
        due = [w for w in self._waiting if w.end_sample <= self._recent.end_sample]
        if not due:
            return
        self._waiting = [w for w in self._waiting if w.end_sample > self._recent.end_sample]
        # Of maxima that came together only the last one is the maximum.
        last = max((w.event for w in due if w.reason == "maximum"), default=None)
        for window in due:
            if window.reason != "maximum" or window.event == last:
                self._write(window)

    def _window(self, event: Notable) -> CaptureWindow:
        end = max(event.stimulus_sample, event.response_sample) + self._margin + 1
        return CaptureWindow(
            event.event, max(0, event.stimulus_sample - self._margin), end, _reason(event)
        )

    def _write(self, window: CaptureWindow) -> None:
        is_maximum = window.reason == "maximum"
        if window.first_sample < self._recent.first_sample:
            return
        if not is_maximum and self._written == WINDOWS_MAX - 1:
            return
        path = self._folder / window.file_name
        blocks = self._recent.cut(window.first_sample, window.end_sample)
        unitsize: Literal[1, 2] = 1 if len(self._names) <= 8 else 2
        # What cannot be written now is no reason to stop measuring: the run's end tries again.
        with contextlib.suppress(InputError, OSError):
            self._folder.mkdir(exist_ok=True)
            write_sr(path, blocks, self._settings.sample_rate_hz, self._names, unitsize)
            if not is_maximum:
                self._written += 1
                return
            if self._maximum is not None:
                self._maximum.unlink(missing_ok=True)
            self._maximum = path


def _reason(event: Notable) -> str:
    if event.reasons & EventReason.MAXIMUM:
        return "maximum"
    for reason in (EventReason.MISSED, EventReason.LATE, EventReason.MERGED, EventReason.AMBIGUOUS):
        if event.reasons & reason:
            return str(reason.name).lower()
    return "over limit"
