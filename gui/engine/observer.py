# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at a run's live summary now and then and makes snapshots of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gui.engine.snapshot import Snapshot
from gui.engine.timeline import LiveTimeline
from rig.recording.live import LiveFigures, LiveSummary
from rig.services.event_query import NotableEvent
from rig.streaming.histogram import BINS, bin_starts
from rig.streaming.outcome import EventReason, Notable

EVERY_S: Final = 0.05
"""20 snapshots a second."""
RATE_WINDOW_S: Final = 3.0
SILENT_STIMULI: Final = 3
"""A target that owes so many answers in a row is called silent."""


class LiveObserver:
    """Called by the run for every block, in the run's thread: it has to be quick."""

    def __init__(self, publish: Callable[[Snapshot], None], expected_s: float) -> None:
        """`expected_s`: what the plan takes, told until the rate is known."""
        self._publish = publish
        self._expected_s = expected_s
        self._timeline = LiveTimeline()
        self._starts = bin_starts()
        self._counted: npt.NDArray[np.uint64] = np.zeros(BINS, np.uint64)
        self._sums = (0, 0, 0, 0)
        self._max = -1
        self._next = 0.0
        self._phase = ""
        self._pace: deque[tuple[float, int]] = deque()
        self._answers, self._events_then = 0, 0
        self._is_search = False
        self.last: Snapshot = Snapshot()

    def __call__(self, live: LiveSummary) -> None:
        """Take a snapshot if it is time for one, or if a new phase has begun."""
        now = monotonic()
        if now >= self._next or live.phase != self._phase:
            self._next, self._phase = now + EVERY_S, live.phase
            self.poll(live, now)

    def evaluating(self) -> None:
        """The run is over, its figures are being computed."""
        self._publish(replace(self.last, phase="evaluating", target="stopped"))

    def poll(self, live: LiveSummary, now: float) -> None:
        """Take one now."""
        figures, events = live.figures, live.events
        is_values = figures is not None and figures.are_values
        rate_hz = self._rate_hz(now, events)
        target, unanswered = self._target(live, events)
        self._is_search = self._is_search or bool(live.hold)
        self.last = Snapshot(
            phase=live.phase,
            is_search=self._is_search,
            hold=live.hold,
            planned=live.planned,
            events=events,
            answers=live.answers,
            is_periods=figures is not None and figures.are_intervals,
            is_values=is_values,
            worst_ns=live.max_ns,
            losses=live.losses,
            samples=live.samples,
            sample_rate_hz=live.sample_rate_hz,
            backlog_now_ns=live.backlog.now_ns,
            backlog_max_ns=live.backlog.max_ns,
            rate_hz=rate_hz,
            remaining_s=None if is_values else self._remaining_s(live, events, rate_hz),
            target=target,
            unanswered=unanswered,
            notable=() if figures is None else _events(figures.notable),
            **({} if figures is None else self._figures(figures, live)),
        )
        self._publish(self.last)

    def _figures(self, figures: LiveFigures, live: LiveSummary) -> dict[str, Any]:
        bins = figures.bins()
        if bins is None:
            return {}
        longest = -1 if live.max_ns is None else round(live.max_ns * live.sample_rate_hz / 1e9)
        worst_event, worst_sample = figures.worst
        counts = figures.counts()
        # An ambiguous event was late or merged, or is beside one that was.
        unusual = (
            (counts.missed, counts.late, counts.merged + counts.ambiguous)
            if counts is not None
            else (0, 0, 0)
        )
        return {
            "worst_event": worst_event,
            "worst_sample": worst_sample,
            **_of_latencies(figures),
            **self._advance(bins, longest, (*unusual, live.losses), live),
        }

    def _advance(
        self,
        bins: npt.NDArray[np.uint64],
        maximum: int,
        sums: tuple[int, int, int, int],
        live: LiveSummary,
    ) -> dict[str, Any]:
        """The histogram's highest bin that grew tells the longest latency since the last look;
        `maximum` is the longest of all, -1 without any. Sums are those of the timeline."""
        grown = np.flatnonzero(bins != self._counted)
        longest = int(self._starts[grown[-1]]) if len(grown) else -1
        if maximum > self._max:
            self._max = longest = maximum
        more = tuple(new - old for new, old in zip(sums, self._sums, strict=True))
        if live.samples:
            self._timeline.add(live.samples, longest, (more[0], more[1], more[2], more[3]))
        self._counted, self._sums = bins, sums
        used = np.flatnonzero(bins)
        return {
            "bins": used.astype(np.int64),
            "bin_counts": bins[used].astype(np.int64),
            **self._timeline.arrays(),
        }

    def _rate_hz(self, now: float, events: int) -> float:
        pace = self._pace
        if not events:
            return 0.0
        pace.append((now, events))
        while len(pace) > 2 and pace[1][0] <= now - RATE_WINDOW_S:
            pace.popleft()
        (then, before), passed_s = pace[0], now - pace[0][0]
        return (events - before) / passed_s if passed_s > 0 and then < now else 0.0

    def _remaining_s(self, live: LiveSummary, events: int, rate_hz: float) -> float | None:
        left = max(0, live.planned - events)
        if events == 0:
            return self._expected_s
        return left / rate_hz if rate_hz > 0 else None

    def _target(self, live: LiveSummary, events: int) -> tuple[str, int]:
        if live.answers > self._answers:
            self._answers, self._events_then = live.answers, events
        figures = live.figures
        waits = figures is not None and not figures.events_are_answers
        unanswered = events - self._events_then if waits else 0
        if live.phase not in ("measuring", "finishing"):  # before; tools may run on the target
            return ("armed" if live.samples else "connecting"), 0
        if live.phase != "measuring":
            return "stopped", unanswered
        if unanswered >= SILENT_STIMULI:
            return "silent", unanswered
        waiting = "measuring" if figures is not None and figures.are_values else "armed"
        return ("answering" if live.answers else waiting), unanswered


def _of_latencies(figures: LiveFigures) -> dict[str, Any]:
    latencies, counts = figures.latencies(), figures.counts()
    if latencies is None or counts is None:
        return {}
    least = latencies.minimum
    return {
        "min_samples": -1 if least is None else least.latency_samples,
        "total_samples": latencies.total,
        "latencies": latencies.n,
        "counts": asdict(counts),
    }


def _events(notable: Sequence[Notable]) -> tuple[NotableEvent, ...]:
    return tuple(
        NotableEvent(event.event, event.stimulus_sample, event.response_sample, _reason(event))
        for event in notable
    )


def _reason(event: Notable) -> str:
    for reason in (
        EventReason.MISSED,
        EventReason.LATE,
        EventReason.MERGED,
        EventReason.AMBIGUOUS,
        EventReason.LIMIT,
    ):
        if event.reasons & reason:
            return "over limit" if reason is EventReason.LIMIT else str(reason.name).lower()
    return "maximum"
