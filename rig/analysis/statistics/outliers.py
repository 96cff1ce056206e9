# SPDX-License-Identifier: GPL-3.0-or-later
"""Outliers, by one rule for figures, waveforms, the report's timeline and the window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import ExactHistogram

LARGEST: Final = 100
"""Number of largest latencies that are outliers, about, without a limit in the plan."""
FIRST_MAX: Final = 2000
"""Outliers that are kept; of others only the number is."""


@dataclass(frozen=True)
class Outlier:
    """An event that stands out. Times in samples."""

    event: int
    """Number of the stimulus, from 0."""
    stimulus_sample: int
    response_sample: int
    """-1: the stimulus has no answer."""
    kind: int
    """The EventClass; in a file of a newer version it may be another number."""


@dataclass
class Outliers:
    """Outliers of a run's events, which are added in order; constant memory."""

    limit_samples: int | None
    """Longest latency that is within the plan's limit; None: the plan has none."""
    count: int = 0
    first: list[Outlier] = field(default_factory=list)
    """The first outliers, in order, at most FIRST_MAX."""
    worst: Outlier | None = None
    """The first event with the longest latency; None without any latency."""
    _events: int = 0

    def add(
        self,
        stimulus: npt.NDArray[np.integer],
        response: npt.NDArray[np.integer],
        kind: npt.NDArray[np.integer],
    ) -> None:
        """Add the next events: samples of their edges (response -1: none) and their EventClass.

        Arrays of shape (n,).
        """
        if not len(kind):
            return
        found = np.flatnonzero(stand_out(stimulus, response, kind, self.limit_samples))
        self.count += len(found)
        for at in found[: FIRST_MAX - len(self.first)].tolist():
            self.first.append(self._outlier(stimulus, response, kind, at))
        latency = np.where(response < 0, -1, response - stimulus)
        at = int(np.argmax(latency))
        worst = self.worst
        longest = -1 if worst is None else worst.response_sample - worst.stimulus_sample
        if latency[at] > longest:
            self.worst = self._outlier(stimulus, response, kind, at)
        self._events += len(kind)

    def _outlier(
        self,
        stimulus: npt.NDArray[np.integer],
        response: npt.NDArray[np.integer],
        kind: npt.NDArray[np.integer],
        at: int,
    ) -> Outlier:
        return Outlier(self._events + at, int(stimulus[at]), int(response[at]), int(kind[at]))


@dataclass(frozen=True)
class Threshold:
    """The latency above which an answered event is an outlier."""

    samples: int
    is_limit: bool
    """True for the plan's limit; else the threshold is chosen from the run's own latencies."""


def threshold_of(settings: Settings, histogram: ExactHistogram | None) -> Threshold | None:
    """Return the threshold of outliers: the plan's limit, or one that few events exceed.

    `histogram`: of the run's latencies; None: not known. Returns None if nothing is.
    """
    limit = limit_samples(settings)
    if limit is not None:
        return Threshold(limit, is_limit=True)
    if histogram is None or not histogram.n:
        return None
    above = np.cumsum(histogram.counts[::-1])[::-1] - histogram.counts
    few = np.flatnonzero(above <= min(LARGEST, histogram.n // 100))
    return Threshold(int(histogram.values[few[0]]), is_limit=False)


def limit_samples(settings: Settings) -> int | None:
    """Return the longest latency within the plan's limit, in samples; None: there is no limit."""
    limit_ns = settings.limits.max_ns
    return None if limit_ns is None else int(limit_ns * settings.sample_rate_hz // 10**9)


def stand_out(
    stimulus: npt.NDArray[np.integer],
    response: npt.NDArray[np.integer],
    kind: npt.NDArray[np.integer],
    threshold: int | None,
) -> npt.NDArray[np.bool_]:
    """Return whether each event was not simply answered, or took longer than `threshold` samples.

    Arrays as of `Outliers.add`; `threshold` None: however long it took.
    """
    unusual: npt.NDArray[np.bool_] = kind != EventClass.ANSWERED
    if threshold is not None:
        unusual |= (response >= 0) & (response - stimulus > threshold)
    return unusual
