# SPDX-License-Identifier: GPL-3.0-or-later
"""A search for the highest rate under way: one train after the other, until the limit is known.

Whether a hold was kept is decided here by the two wires alone, to choose the next rate. The result
does not rest on it: analysis judges each hold again, with the target's log.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np

from rig.analysis.model.rate_search import RateSearch, RateSearchState, keeps_up
from rig.analysis.model.settings import Settings
from rig.analysis.model.wiring import Wiring
from rig.analysis.signals.decoder import SignalDecoder
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock, Int64Array, StimulusStatus
from rig.recording.course import Recorder
from rig.recording.live import LiveFigures, LivePairs
from rig.recording.train import PulseCourse, end_train


class _Hold:
    """The edges of one hold, by their meaning."""

    def __init__(self, settings: Settings) -> None:
        self._glitch = GlitchFilter(settings.glitch_samples)
        wiring = settings.wiring  # handler counts are not looked at: nothing need be held back
        self._observer = SignalDecoder(
            Wiring(
                stimulus=wiring.stimulus,
                response=wiring.response,
                active_level=wiring.active_level,
                answer_level=wiring.answer_level,
            ),
            settings.sample_rate_hz,
        )
        self._stimulus: list[Int64Array] = []
        self._response: list[Int64Array] = []

    def begin(self) -> None:
        """Forget the one before."""
        self._stimulus, self._response = [], []

    def add(self, block: EdgeBlock) -> None:
        seen = self._observer.feed(self._glitch.feed(block))
        self._stimulus.append(seen.stimulus)
        self._response.append(seen.response)

    def is_kept(self, planned: int, sent: int) -> bool:
        """Each stimulus planned was sent and has an answer, and these do not fall behind."""
        empty = np.empty(0, np.int64)
        stimulus = np.concatenate([empty, *self._stimulus])
        response = np.concatenate([empty, *self._response])
        return len(stimulus) == sent == planned and keeps_up(stimulus, response)


class _LiveHolds(LivePairs):
    """Of the whole run, and of the hold that is being made."""

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        super().__init__(settings, timeout_samples)
        self.hold = _Hold(settings)

    def add(self, block: EdgeBlock) -> None:
        super().add(block)
        self.hold.add(block)


class RateSearchCourse(PulseCourse):
    """Makes holds until the search knows the limit."""

    figures: _LiveHolds

    def __init__(self, settings: Settings, timeout_samples: int, search: RateSearch) -> None:
        super().__init__(settings, timeout_samples)
        self._search, self._state = search, RateSearchState(search)
        self._sent: list[int] = []
        """Pulses of each hold that has ended, by the firmware's account."""

    def live_figures(self) -> LiveFigures:
        return _LiveHolds(self.settings, self.timeout_samples)

    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        self.started = True
        live = recorder.live
        while not stop.is_set() and (interval_ticks := self._state.next_ticks()) is not None:
            self.figures.hold.begin()
            live.hold, live.planned = self._words(interval_ticks), self._planned
            recorder.stimulus.configure(self._search.train(interval_ticks))
            fetcher = self.begin_train(recorder, live.stimuli)
            try:
                self.collect(recorder, fetcher, stop)
            finally:
                self._end_hold(recorder, interval_ticks, end_train(recorder, fetcher))
        live.hold = ""
        if not stop.is_set():
            live.planned = live.stimuli

    def _words(self, interval_ticks: int) -> str:
        """The hold that is being made: `hold 3 at 2,041/s`."""
        rate_hz = self.settings.stimulus_clock_hz / interval_ticks
        return f"hold {len(self._sent) + 1} at {rate_hz:,.0f}/s"

    @property
    def _planned(self) -> int:
        """Pulses that the whole search takes at most."""
        left = self._search.holds_max - len(self._sent)
        return sum(self._sent) + self._search.count * max(1, left)

    def _end_hold(self, recorder: Recorder, interval_ticks: int, status: StimulusStatus) -> None:
        """Each hold's account ends with its train; the run's is their sum."""
        self._sent.append(status.sent)
        account = recorder.account
        recorder.account = replace(
            account,
            sent=sum(self._sent),
            holds=tuple(self._sent),
            stimulus_late=account.stimulus_late + status.late,
            stimulus_late_max_ticks=max(account.stimulus_late_max_ticks, status.late_max_ticks),
            capture_overruns=account.capture_overruns + status.capture_overruns,
        )
        kept = self.figures.hold.is_kept(self._search.count, status.sent)
        self._state.learn(interval_ticks, kept=kept)
