# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whose stimuli are pulses of the microcontroller: a planned train, or several."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace

from rig.analysis.model.rate_steps import RateSteps
from rig.analysis.model.settings import Settings
from rig.errors import RigError
from rig.instruments import Stimulus, StimulusStatus
from rig.recording.course import Course, Recorder
from rig.recording.fetcher import CaptureFetcher
from rig.recording.live import LiveFigures, LivePairs
from rig.stimulus.train import Train

LAST_EDGE_GRACE_S = 1
"""Once the train has ended, an edge that the analyzer has not shown by then is not waited for."""


class PulseCourse(Course):
    """Collects captured answers until a train is over and every answer to it has had its time."""

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        super().__init__(settings, timeout_samples)
        self._grace_samples = LAST_EDGE_GRACE_S * settings.sample_rate_hz
        self._train_end_sample: int | None = None
        self._stimuli_before = 0

    def live_figures(self) -> LiveFigures:
        return LivePairs(self.settings, self.timeout_samples)

    def begin_train(self, recorder: Recorder, stimuli_before: int = 0) -> CaptureFetcher:
        """Start the train that is set up; `stimuli_before`: of trains that have ended."""
        self._train_end_sample, self._stimuli_before = None, stimuli_before
        recorder.stimulus.start()
        return CaptureFetcher(recorder.stimulus)

    def collect(self, recorder: Recorder, fetcher: CaptureFetcher, stop: threading.Event) -> None:
        """Record until all is seen; `stop` ends the train, and what was sent is still recorded."""
        aborted = False
        while not self._all_seen(recorder, fetcher):
            if stop.is_set() and not aborted:
                # The samples of what was sent are still on their way: read on until they are here.
                recorder.stimulus.abort()
                aborted = True
            recorder.read()
            recorder.captures(fetcher.take())
            if fetcher.error is not None:
                raise fetcher.error

    def _all_seen(self, recorder: Recorder, fetcher: CaptureFetcher) -> bool:
        live = recorder.live
        if not fetcher.done.is_set():
            return False
        if self._train_end_sample is None:
            self._train_end_sample = live.samples
        if live.stimuli - self._stimuli_before >= fetcher.sent:
            return live.samples >= self.figures.last_stimulus_sample + self.timeout_samples
        patience = self.timeout_samples + self._grace_samples
        return live.samples >= self._train_end_sample + patience


def end_train(recorder: Recorder, fetcher: CaptureFetcher) -> StimulusStatus:
    """Stop it, if it still runs, and take what was captured of it; add to the account.

    What the serial line has lost is among the overruns of the status. Raises RigError.
    """
    if not fetcher.done.is_set():
        with contextlib.suppress(RigError):  # a port that is gone is reported by `finish`
            recorder.stimulus.abort()
    try:
        status = fetcher.finish()
    finally:
        recorder.captures(fetcher.take())
    recorder.account = replace(
        recorder.account, replies_damaged=recorder.account.replies_damaged + fetcher.damaged
    )
    return replace(status, capture_overruns=status.capture_overruns + fetcher.lost)


class TrainCourse(PulseCourse):
    """One planned train."""

    decides_by_edges = False

    def __init__(self, settings: Settings, timeout_samples: int, train: Train) -> None:
        super().__init__(settings, timeout_samples)
        self._train = train
        self._fetcher: CaptureFetcher | None = None

    def prepare(self, stimulus: Stimulus) -> None:
        stimulus.configure(self._train)

    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        if stop.is_set():
            return
        self._fetcher = self.begin_train(recorder)
        self.started = True
        self.collect(recorder, self._fetcher, stop)

    def end(self, recorder: Recorder) -> None:
        if self._fetcher is None:
            return
        status = end_train(recorder, self._fetcher)
        recorder.account = replace(
            recorder.account,
            sent=status.sent,
            stimulus_late=status.late,
            stimulus_late_max_ticks=status.late_max_ticks,
            capture_overruns=status.capture_overruns,
        )


class HoldsCourse(PulseCourse):
    """Holds, one train after the other."""

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        super().__init__(settings, timeout_samples)
        self.sent: list[int] = []
        """Pulses of each hold that has ended, by the firmware's account."""

    def make_hold(
        self, recorder: Recorder, source: RateSteps, interval_ticks: int, stop: threading.Event
    ) -> None:
        """Send the train of this interval, and record until all is seen. Raises RigError."""
        live = recorder.live
        rate_hz = self.settings.stimulus_clock_hz / interval_ticks
        live.hold = f"hold {len(self.sent) + 1} at {rate_hz:,.0f}/s"
        recorder.stimulus.configure(source.train(interval_ticks))
        fetcher = self.begin_train(recorder, live.stimuli)
        try:
            self.collect(recorder, fetcher, stop)
        finally:
            self._end_hold(recorder, end_train(recorder, fetcher))

    def _end_hold(self, recorder: Recorder, status: StimulusStatus) -> None:
        """Each hold's account ends with its train; the run's is their sum."""
        self.sent.append(status.sent)
        account = recorder.account
        recorder.account = replace(
            account,
            sent=sum(self.sent),
            holds=tuple(self.sent),
            stimulus_late=account.stimulus_late + status.late,
            stimulus_late_max_ticks=max(account.stimulus_late_max_ticks, status.late_max_ticks),
            capture_overruns=account.capture_overruns + status.capture_overruns,
        )

    def end_holds(self, recorder: Recorder, stop: threading.Event) -> None:
        """No more of them come."""
        recorder.live.hold = ""
        if not stop.is_set():
            recorder.live.planned = recorder.live.stimuli
