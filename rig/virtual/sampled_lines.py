# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of a virtual analyzer on the bench's time line, sampled while the host captures.

How the host starts a capture and gets its samples is the matter of the kinds of analyzers: one
that speaks over TCP (analyzer.py), and one on USB (usb/).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from rig.closing import Closing
from rig.virtual.capture import Drop, SampleCapture, SampleSink
from rig.virtual.clock import VirtualClock
from rig.virtual.wired_target import WireEdges


class SampledLines(Closing):
    """The owner drives virtual time with `emit`, from one thread.

    Channel n is bit n of the samples. All lines are low at first.
    """

    def __init__(
        self,
        channels: int,
        rate_error_ppb: int = 0,
        rate_drift_ppb_per_s: int = 0,
        true_rate_hz: int = 0,
    ) -> None:
        """`rate_error_ppb`: the true sample rate is this much above the nominal one.

        That is at sample 0; every second it rises by `rate_drift_ppb_per_s`. With `true_rate_hz`
        it samples at that rate, whatever the host sets and is told.
        """
        self.channels: Final = channels
        self._rate_error_ppb = rate_error_ppb
        self._rate_drift_ppb_per_s = rate_drift_ppb_per_s
        self._true_rate_hz = true_rate_hz
        self._levels = 0
        self._until_ps = 0
        self._holes: deque[tuple[int, int]] = deque()
        self._holes_end_ps = 0
        self._capture: SampleCapture | None = None
        self._stream: SampleSink | None = None
        """The way of the capture under way to the host; the analyzer's threads set it."""

    @property
    @abstractmethod
    def connection(self) -> str:
        """The host's name of this analyzer, as a fixture's `connection` of hardware."""

    @property
    @abstractmethod
    def sample_rate_hz(self) -> int:
        """The nominal rate, as the host set it."""

    @property
    def streaming(self) -> bool:
        """Whether the host has started a capture and not ended it."""
        return self._stream is not None

    @property
    def capture_origin_ps(self) -> int | None:
        """Virtual time of sample 0 of the latest capture; None before the first."""
        return None if self._capture is None else self._capture.origin_ps

    @property
    def capture(self) -> SampleCapture | None:
        """The clock of the capture under way; None before its first sample."""
        capture, stream = self._capture, self._stream
        return capture if capture is not None and capture.stream is stream else None

    def emit(self, edges: Sequence[tuple[int, int, int]], until_ps: int) -> None:
        """Let virtual time pass until `until_ps` and send the samples of that stretch.

        `edges` are (time_ps, channel, level) in order of time, all from the last `until_ps` on and
        before this one. A sample shows all edges up to and including its own time. The first call
        after the host's start makes its beginning the time of sample 0. Blocks while the host is
        slow, until it ends the capture or vanishes.
        """
        if edges or until_ps < self._until_ps:
            first_ps, last_ps = (edges[0][0], edges[-1][0]) if edges else (until_ps, until_ps)
            self._check(first_ps, last_ps, until_ps)
        stream = self._stream
        if stream is None:
            for _, channel, level in edges:
                self._set_level(channel, level)
            self._pass(until_ps)
            return
        capture = self._capture
        if capture is None or capture.stream is not stream:
            capture = self._capture = SampleCapture(stream, self._until_ps, self._clock())
        end = capture.sample_at(until_ps)
        self._open_holes(capture, until_ps)
        for time_ps, channel, level in edges:
            capture.fill(min(capture.sample_at(time_ps), end), self._levels)
            self._set_level(channel, level)
        capture.fill(end, self._levels)
        self._pass(until_ps)

    def emit_many(self, edges: WireEdges, until_ps: int) -> None:
        """Emit as `emit` does, quicker for many edges, each of which changes its line's level."""
        capture, levels = self.capture, edges.levels_from(self._levels)
        if self._holes or capture is None or capture.holes or levels is None or not len(levels):
            self.emit(edges.listed(), until_ps)
            return
        self._check(int(edges.time_ps[0]), int(edges.time_ps[-1]), until_ps)
        end = capture.sample_at(until_ps)
        shown = np.minimum(capture.samples_at(edges.time_ps), end)
        capture.fill_many(np.append(shown, end), np.insert(levels, 0, self._levels))
        self._levels = int(levels[-1])
        self._pass(until_ps)

    def _check(self, first_ps: int, last_ps: int, until_ps: int) -> None:
        """Check that edges are in the stretch of time that comes now, as the bench must see to."""
        if not self._until_ps <= first_ps or last_ps >= until_ps:
            raise ValueError(
                f"edges from {first_ps} to {last_ps} ps are not within "
                f"{self._until_ps} to {until_ps} ps"
            )

    def drop(self, first_ps: int, length_ps: int) -> bool:
        """Do not send the samples of this stretch of time: those after it follow without a mark.

        To be called from the owner's thread, before `emit` gets there. Returns False, and does
        nothing, if the stretch begins in the past or before the end of one already asked for.
        Stretches that a capture has not wholly within it are sent like all else.
        """
        if first_ps < max(self._until_ps, self._holes_end_ps) or length_ps <= 0:
            return False
        self._holes_end_ps = first_ps + length_ps
        self._holes.append((first_ps, self._holes_end_ps))
        return True

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Holes in what the latest capture has sent so far, in order."""
        return () if self._capture is None else tuple(self._capture.drops)

    def flush(self) -> None:
        """Send what has been gathered so far; to be called when virtual time pauses."""
        if self._capture is not None:
            self._capture.flush()

    def _pass(self, until_ps: int) -> None:
        """Note that time has passed: a stretch that began while nobody captured is over with it."""
        self._until_ps = until_ps
        while self._holes and self._holes[0][0] < until_ps:
            self._holes.popleft()

    def _open_holes(self, capture: SampleCapture, until_ps: int) -> None:
        """Hand the capture the holes that begin in the stretch of time that comes now."""
        for first_ps, end_ps in self._holes:
            if first_ps < until_ps:
                capture.leave_out(first_ps, end_ps)

    def _set_level(self, channel: int, level: int) -> None:
        bit = 1 << channel
        self._levels = self._levels | bit if level else self._levels & ~bit

    def _clock(self) -> VirtualClock:
        """Return the clock by which samples are taken, from the time of sample 0."""
        rate_hz = self._true_rate_hz or self.sample_rate_hz
        return VirtualClock(
            rate_hz, self._rate_error_ppb, drift_ppb_per_s=self._rate_drift_ppb_per_s
        )

    def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
