# SPDX-License-Identifier: GPL-3.0-or-later
"""The courses of runs whose events the target makes: by a schedule, by triggers, or as values.

No pulses are sent: such a run is over when the target has made what was asked, or no longer does.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable

from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule, TargetClocked
from rig.instruments import TargetSummary
from rig.recording.course import GRACE_S, Course, Recorder
from rig.recording.live import LiveFigures, LivePairs, LiveSummary, LiveValues
from rig.recording.periods import LivePeriods

AWAIT_MS = 200
"""The interval at which a target that measures by itself is asked whether it is done."""
CLOCK_PER_MILLE = 1
"""The bound by which the target's clock may be slower than the analyzer's."""
SILENCE_PERIODS = 2
"""The periods that a target may leave out before the next trigger; GRACE_S comes on top."""


class PeriodsEnd:
    """The end of a run of periods: all are answered, or the time for them is over."""

    def __init__(
        self, source: TargetClocked, sample_rate_hz: int, timeout_samples: int, armed_sample: int
    ) -> None:
        """`armed_sample`: how far the samples had come when ARM was answered."""
        length = (source.count + 1) * source.period_ns * sample_rate_hz // 10**9
        length += length * CLOCK_PER_MILLE // 1000
        self._count = source.count
        self._timeout = timeout_samples
        self._latest = armed_sample + length + timeout_samples + GRACE_S * sample_rate_hz

    def reached(self, answers: int, last_sample: int, samples: int) -> bool:
        """Return whether it is over, by `samples` with so many answers, the last at `last_sample`.

        It waits behind the last answer, so that none too many follows unseen.
        """
        if samples >= self._latest:
            return True
        return answers >= self._count and samples >= last_sample + self._timeout


class TriggersEnd:
    """The end of a run of triggers: all are seen and the last had its time, or no more come."""

    def __init__(
        self, source: TargetClocked, sample_rate_hz: int, timeout_samples: int, armed_sample: int
    ) -> None:
        """`armed_sample`: how far the samples had come when ARM was answered."""
        patience = SILENCE_PERIODS * source.period_ns * sample_rate_hz // 10**9
        self._silence = patience + timeout_samples + GRACE_S * sample_rate_hz
        self._count, self._timeout = source.count, timeout_samples
        self._last = armed_sample
        self._end: int | None = None

    def reached(self, stimuli: int, last_sample: int, samples: int) -> bool:
        """Return whether it is over, by `samples` with so many stimuli, the last at `last_sample`.

        Edges beyond those planned do not put the end off: a line that never rests ends a run, too.
        """
        self._last = max(self._last, last_sample)
        if self._end is None and stimuli >= self._count:
            self._end = last_sample + self._timeout
        end = self._last + self._silence if self._end is None else self._end
        return samples >= end


class _ClockedCourse(Course):
    """Events at equal intervals of the target's clock."""

    def __init__(self, settings: Settings, timeout_samples: int, source: TargetClocked) -> None:
        self.source = source
        super().__init__(settings, timeout_samples)

    @abstractmethod
    def is_over(self, live: LiveSummary) -> Callable[[], bool]:
        """Return a function that returns whether all events are over; the target was just armed."""

    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        self.started = True
        is_over = self.is_over(recorder.live)
        while not is_over():
            if stop.is_set():
                # The target goes on by itself: it stops first, and its last answers are recorded.
                self.read_behind(recorder, recorder.stop_target().records)
                return
            recorder.read()


class ScheduleCourse(_ClockedCourse):
    """The course of a run in which a task answers at the beginning of each period."""

    decides_by_edges = False
    figures: LivePeriods
    source: Schedule

    def live_figures(self) -> LiveFigures:
        return LivePeriods(self.settings, self.source)

    def is_over(self, live: LiveSummary) -> Callable[[], bool]:
        rate_hz, figures = self.settings.sample_rate_hz, self.figures
        end = PeriodsEnd(self.source, rate_hz, self.timeout_samples, live.samples)
        return lambda: end.reached(figures.answers, figures.last_sample, live.samples)


class TriggerCourse(_ClockedCourse):
    """The course of a run in which the target triggers its interrupts itself."""

    def live_figures(self) -> LiveFigures:
        return LivePairs(self.settings, self.timeout_samples)

    def is_over(self, live: LiveSummary) -> Callable[[], bool]:
        rate_hz, figures = self.settings.sample_rate_hz, self.figures
        end = TriggersEnd(self.source, rate_hz, self.timeout_samples, live.samples)
        return lambda: end.reached(figures.stimuli, figures.last_stimulus_sample, live.samples)


class ValueCourse(Course):
    """The course of a run in which the target measures by itself until it has its values."""

    def __init__(
        self,
        settings: Settings,
        timeout_samples: int,
        pin_writes: Callable[[TargetSummary], int],
    ) -> None:
        """`pin_writes`: the edges of the answering pin that the target has made, by its summary."""
        super().__init__(settings, timeout_samples)
        self._pin_writes = pin_writes

    def live_figures(self) -> LiveFigures:
        return LiveValues(self.settings)

    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        """Record until the target has its values, and what it wrote to the pins has been seen."""
        self.started = True
        while not stop.is_set() and not recorder.target.ended(AWAIT_MS):
            recorder.read()
        self.read_behind(recorder, self._pin_writes(recorder.stop_target()))
        last = recorder.live.samples + self.timeout_samples
        while recorder.live.samples < last and not recorder.capture_ended:
            recorder.read()
