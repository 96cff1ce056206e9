# SPDX-License-Identifier: GPL-3.0-or-later
"""A search under way: what its holds show on the wires, and what the next one is to be.

Whether a hold was kept is decided here by the two wires alone, to choose the next rate. The result
does not rest on it: analysis judges each hold again, with the target's log.
"""

from __future__ import annotations

import numpy as np

from rig.analysis.model.rate_search import RateSearch, RateSearchState, keeps_up
from rig.analysis.model.settings import Settings
from rig.analysis.model.wiring import Wiring
from rig.analysis.signals.decoder import Observer
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock, StimulusStatus


class LiveRateSearch:
    """The search, fed with the capture's edges."""

    def __init__(self, search: RateSearch, settings: Settings) -> None:
        self.search = search
        self.sent: list[int] = []
        """Pulses of each hold that has ended, by the firmware's account."""
        self._hunt = RateSearchState(search)
        self._clock_hz, self._rate_hz = settings.stimulus_clock_hz, settings.sample_rate_hz
        self._glitch = GlitchFilter(settings.glitch_samples)
        wiring = settings.wiring  # handler counts are not looked at: nothing need be held back
        self._observer = Observer(
            Wiring(wiring.stimulus, wiring.response, active_level=wiring.active_level,
                   answer_level=wiring.answer_level),
            settings.sample_rate_hz,
        )  # fmt: skip
        self._stimulus: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
        self._response: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
        self._account: dict[str, int] = {}
        self._interval_ticks: int | None = None

    def next_ticks(self) -> int | None:
        """Interval of the hold that is to be made now; None: the search is over."""
        self._interval_ticks = self._hunt.next_ticks()
        self._stimulus, self._response = [], []
        return self._interval_ticks

    @property
    def words(self) -> str:
        """The hold that is being made: `hold 3 at 2,041/s`."""
        if self._interval_ticks is None:
            return ""
        return f"hold {len(self.sent) + 1} at {self._clock_hz / self._interval_ticks:,.0f}/s"

    @property
    def planned(self) -> int:
        """Pulses that the whole search takes at most."""
        return sum(self.sent) + self.search.count * max(1, self._holds_left)

    @property
    def _holds_left(self) -> int:
        return self.search.holds_max - len(self.sent)

    def add(self, block: EdgeBlock) -> None:
        """Take in a block of raw edges."""
        seen = self._observer.feed(self._glitch.feed(block))
        self._stimulus.append(seen.stimulus)
        self._response.append(seen.response)

    def end_hold(self, status: StimulusStatus) -> None:
        """The hold is over, and each answer to it has had its time."""
        self._count(status)
        stimulus, response = np.concatenate(self._stimulus), np.concatenate(self._response)
        whole = len(stimulus) == status.sent == self.search.count
        if self._interval_ticks is not None:
            kept = whole and keeps_up(stimulus, response)
            self._hunt.learn(self._interval_ticks, kept=kept)

    def _count(self, status: StimulusStatus) -> None:
        """Each hold's account ends with its train; the run's is their sum."""
        self.sent.append(status.sent)
        more = {
            "sent": status.sent,
            "stimulus_late": status.late,
            "capture_overruns": status.capture_overruns,
        }
        for name, count in more.items():
            self._account[name] = self._account.get(name, 0) + count
        late_max = self._account.get("stimulus_late_max_ticks", 0)
        self._account["stimulus_late_max_ticks"] = max(late_max, status.late_max_ticks)

    @property
    def report(self) -> dict[str, object]:
        """The stimulus's account of all holds, for the run file."""
        return {**self._account, "holds": list(self.sent)} if self.sent else {}
