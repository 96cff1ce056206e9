# SPDX-License-Identifier: GPL-3.0-or-later
"""The longest latency of each stretch of a run, in as many stretches as a screen can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rig.analysis.model.events import EventClass
from rig.instruments import Int64Array

if TYPE_CHECKING:  # the window reads no run file by itself, and opens sooner without
    from rig.record.reader import RunFile

STRETCHES: Final = 1024
"""When there are more, each two become one. A power of two."""
SUMS: Final = ("missed", "late", "merged", "lost")
FINAL_STRETCHES: Final = 256
"""The stretches of an evaluated run, fewer if it has fewer events."""
_EVENTS: Final = 1 << 16


class LiveTimeline:
    """Stretches of time, longer ones in longer runs; no maximum and no count is ever dropped."""

    def __init__(self) -> None:
        self._end = np.zeros(STRETCHES, np.int64)
        self._max = np.full(STRETCHES, -1, np.int64)
        self._sums = np.zeros((len(SUMS), STRETCHES), np.int64)
        self._used = 0
        self._pieces = 0
        """Taken into the newest stretch."""
        self._pieces_each = 1

    def add(self, end_sample: int, max_samples: int, sums: tuple[int, int, int, int]) -> None:
        """The run has come to `end_sample`; since then the longest latency was `max_samples`,
        -1 if there was none, and so many events of SUMS came."""
        if self._used == 0 or self._pieces == self._pieces_each:
            if self._used == STRETCHES:
                self._halve()
            self._used += 1
            self._pieces = 0
        at = self._used - 1
        self._end[at] = end_sample
        self._max[at] = max(self._max[at], max_samples)
        self._sums[:, at] += sums
        self._pieces += 1

    def _halve(self) -> None:
        half = STRETCHES // 2
        self._end[:half] = self._end[1::2]
        self._max[:half] = self._max.reshape(half, 2).max(axis=1)
        self._sums[:, :half] = self._sums.reshape(len(SUMS), half, 2).sum(axis=2)
        self._max[half:] = -1
        self._sums[:, half:] = 0
        self._used = half
        self._pieces_each *= 2

    def arrays(self) -> dict[str, Int64Array]:
        """`end_sample`, `max_samples` and SUMS, each a copy of shape (stretches,)."""
        used = slice(0, self._used)
        sums = {name: row[used].copy() for name, row in zip(SUMS, self._sums, strict=True)}
        return {"end_sample": self._end[used].copy(), "max_samples": self._max[used].copy(), **sums}


@dataclass(frozen=True)
class EvaluatedTimeline:
    """The timeline of an evaluated run, by the events as the evaluation has paired them."""

    end_sample: tuple[int, ...]
    max_samples: tuple[int, ...]
    missed: tuple[int, ...]
    late: tuple[int, ...]
    merged: tuple[int, ...]
    lost: tuple[int, ...]

    def arrays(self) -> dict[str, Any]:
        """Return each field as an array of shape (stretches,)."""
        return {name: np.array(values, np.int64) for name, values in vars(self).items()}


def evaluated_timeline(file: RunFile) -> EvaluatedTimeline | None:
    """Return the timeline of a run file's events; None if it has none.

    While it runs, events are paired by edges alone: what the log tells of late and merged answers
    comes at the end, and with it other latencies.
    """
    if not file.event_count:
        return None
    stretches = min(FINAL_STRETCHES, file.event_count)
    ends = np.linspace(0, file.covered_samples, stretches + 1)[1:].astype(np.int64)
    longest = np.full(stretches, -1, np.int64)
    sums = np.zeros((len(SUMS), stretches), np.int64)
    for first in range(0, file.event_count, _EVENTS):
        stop = min(first + _EVENTS, file.event_count)
        events = file.events(first, stop, ("stimulus_sample", "response_sample", "status"))
        place = _places(ends, events["stimulus_sample"])
        latency = events["response_sample"] - events["stimulus_sample"]
        np.maximum.at(longest, place, np.where(events["response_sample"] < 0, -1, latency))
        for row, status in enumerate((EventClass.MISSED, EventClass.LATE, EventClass.MERGED)):
            np.add.at(sums[row], place[events["status"] == status], 1)
    losses = np.array([sample for _, sample, _ in file.losses()], np.int64)
    np.add.at(sums[-1], _places(ends, losses), 1)
    by_name = dict(zip(SUMS, (tuple(row.tolist()) for row in sums), strict=True))
    return EvaluatedTimeline(tuple(ends.tolist()), tuple(longest.tolist()), **by_name)


def _places(ends: Int64Array, samples: Int64Array) -> Int64Array:
    """Return the number of the stretch that each sample is in, shape (n,)."""
    return np.minimum(np.searchsorted(ends, samples, side="right"), len(ends) - 1)
