# SPDX-License-Identifier: GPL-3.0-or-later
"""The length of a tick of the stimulus clock at any place of a run, by the train's own edges.

Over a whole run the two clocks may drift by more than one mean rate allows for: 100 ppm are 100 ns
of a latency of 1 ms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rig.analysis.clocks.clock import DRIFT_PPM_PER_S
from rig.analysis.model.settings import Settings
from rig.analysis.train.continuity import Alignment
from rig.analysis.train.planned_ticks import PlannedTicks
from rig.analysis.train.relative_rate import stretch_samples
from rig.arrays import FloatArray
from rig.instruments import Int64Array
from rig.stimulus.train import Train


class RateKnots:
    """Stimulus edges at least a stretch apart; memory: one in a tenth of a second."""

    def __init__(self, sample_rate_hz: int, clock_hz: int) -> None:
        self._stretch = int(stretch_samples(sample_rate_hz, clock_hz))
        self._seen = 0
        self.number: list[int] = []
        """Numbers as received, from 0."""
        self.sample: list[int] = []

    def add(self, stimulus: Int64Array) -> None:
        """Add the next edges, samples in order, shape (n,)."""
        at = 0
        while at < len(stimulus):
            if self.sample:
                at = int(np.searchsorted(stimulus, self.sample[-1] + self._stretch))
            if at < len(stimulus):
                self.number.append(self._seen + at)
                self.sample.append(int(stimulus[at]))
        self._seen += len(stimulus)


class LocalRate:
    """Samples per tick between the knots, linear from the middle of one stretch to the next."""

    def __init__(
        self,
        knots: RateKnots,
        planned_ticks: Callable[[Int64Array], Int64Array],
        holes: Int64Array,
        sample_rate_hz: int,
        clock_hz: int,
    ) -> None:
        """Compute the rates; `planned_ticks`: of edges as received, in order, -1 if not known.
        `holes`: samples of holes."""
        sample = np.array(knots.sample, np.int64)
        ticks = planned_ticks(np.array(knots.number, np.int64))
        self._noise_samples = 1 + sample_rate_hz / clock_hz
        self._drift = DRIFT_PPM_PER_S * 1e-6 / sample_rate_hz
        whole = np.searchsorted(holes, sample[1:]) == np.searchsorted(holes, sample[:-1])
        good = whole & (ticks[1:] > ticks[:-1]) & (ticks[:-1] >= 0)
        span, span_ticks = np.diff(sample)[good], np.diff(ticks)[good]
        self._middle: FloatArray = (sample[1:] + sample[:-1])[good] / 2
        self._span: FloatArray = span.astype(np.float64)
        self._slope: FloatArray = span / span_ticks

    def at(self, sample: Int64Array, length: Int64Array) -> tuple[FloatArray, FloatArray] | None:
        """Return samples per tick of stretches this long from there on, and their relative error.

        Shapes (n,). None if there are no two knots.
        """
        if not len(self._slope):
            return None
        middle = sample + length / 2
        slope = np.interp(middle, self._middle, self._slope)
        span = np.interp(middle, self._middle, self._span)
        behind = np.searchsorted(self._middle, middle)
        places = (np.clip(behind + step, 0, len(self._middle) - 1) for step in (-1, 0))
        away = np.minimum(*(np.abs(middle - self._middle[place]) for place in places))
        return slope, self._noise_samples / span + self._drift * (span + length + away)


def local_rate(
    settings: Settings, train: Train, alignment: Alignment, knots: RateKnots
) -> LocalRate:
    """Return the local rate of a run whose train is known."""
    planned = PlannedTicks(train, alignment)
    holes = np.array([gap.first_sample for gap in alignment.gaps], np.int64)
    return LocalRate(
        knots,
        planned.at,
        holes,
        settings.sample_rate_hz,
        settings.stimulus_clock_hz,
    )
