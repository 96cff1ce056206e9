# SPDX-License-Identifier: GPL-3.0-or-later
"""A search for the highest rate under way: one train after the other, until the limit is known.

A hold is judged here by the two wires alone, to choose the next rate. The result
does not rest on it: analysis judges each hold again, with the target's log.
"""

from __future__ import annotations

import threading

import numpy as np

from rig.analysis.model.rate_search import RateSearch, RateSearchState, keeps_up
from rig.analysis.model.settings import Settings
from rig.analysis.model.wiring import Wiring
from rig.analysis.signals.decoder import SignalDecoder
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock, Int64Array
from rig.recording.course import Recorder
from rig.recording.live import LiveFigures, LivePairs
from rig.recording.train import HoldsCourse


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
        """Forget the hold before."""
        self._stimulus, self._response = [], []

    def add(self, block: EdgeBlock) -> None:
        seen = self._observer.feed(self._glitch.feed(block))
        self._stimulus.append(seen.stimulus)
        self._response.append(seen.response)

    def is_kept(self, planned: int, sent: int) -> bool:
        """Return whether each planned stimulus was sent and answered, without falling behind."""
        empty = np.empty(0, np.int64)
        stimulus = np.concatenate([empty, *self._stimulus])
        response = np.concatenate([empty, *self._response])
        return len(stimulus) == sent == planned and keeps_up(stimulus, response)


class _LiveHolds(LivePairs):
    """The figures of the whole run, and of the hold that is being made."""

    def __init__(self, settings: Settings, timeout_samples: int) -> None:
        super().__init__(settings, timeout_samples)
        self.hold = _Hold(settings)

    def add(self, block: EdgeBlock) -> None:
        super().add(block)
        self.hold.add(block)


class RateSearchCourse(HoldsCourse):
    """The course that makes holds until the search has found the limit."""

    figures: _LiveHolds

    def __init__(self, settings: Settings, timeout_samples: int, search: RateSearch) -> None:
        super().__init__(settings, timeout_samples)
        self._search, self._state = search, RateSearchState(search)

    def live_figures(self) -> LiveFigures:
        return _LiveHolds(self.settings, self.timeout_samples)

    def follow(self, recorder: Recorder, stop: threading.Event) -> None:
        self.started = True
        while not stop.is_set() and (interval_ticks := self._state.next_ticks()) is not None:
            self.figures.hold.begin()
            recorder.live.planned = self._planned
            self.make_hold(recorder, self._search, interval_ticks, stop)
            kept = self.figures.hold.is_kept(self._search.count, self.sent[-1])
            self._state.learn(interval_ticks, kept=kept)
        self.end_holds(recorder, stop)

    @property
    def _planned(self) -> int:
        """The most pulses that the whole search takes."""
        left = self._search.holds_max - len(self.sent)
        return sum(self.sent) + self._search.count * max(1, left)
