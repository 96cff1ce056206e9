# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate of the analyzer's clock against the stimulus's, followed as it drifts."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.clock import DRIFT_PPM_PER_S

Edge = tuple[int, int]
"""Sample of an edge and the tick it was planned for."""


class RelativeRate:
    """Samples per tick, from the latest stretch of edges, and how far it can be trusted.

    A longer stretch averages quantization better but is older when used. Both errors are equal for
    a stretch of sqrt(noise / drift), and one to two of that is what is kept.
    """

    def __init__(
        self, sample_rate_hz: int, clock_hz: int, drift_ppm_per_s: float = DRIFT_PPM_PER_S
    ) -> None:
        self.samples_per_tick = sample_rate_hz / clock_hz
        self.noise_samples = 1 + sample_rate_hz / clock_hz
        """Error of the distance of two edges: one sample and one tick."""
        self.drift = drift_ppm_per_s * 1e-6 / clock_hz
        """Largest relative change of the rate from one tick to the next."""
        self.stretch_samples = int(stretch_samples(sample_rate_hz, clock_hz, drift_ppm_per_s))
        self._error = 1.0
        self._at = 0
        self._base: Edge = (0, 0)
        self._middle: Edge = (0, 0)

    def begin(self, first: Edge, last: Edge) -> None:
        """Take the rate from a first pair of edges."""
        self.samples_per_tick, self._error = self._slope(first, last)
        self.noise_samples = 1 + self.samples_per_tick
        self._at = last[1]

    def leap(self, edge: Edge) -> None:
        """Begin a new gapless stretch at this edge; the rate stays what it was."""
        self._base = self._middle = edge

    def follow(self, edge: Edge) -> None:
        """Extend the gapless stretch up to this edge."""
        slope, error = self._slope(self._base, edge)
        if error <= self._error_at(edge[1]):
            self.samples_per_tick, self._error, self._at = slope, error, edge[1]
        if edge[0] - self._middle[0] >= self.stretch_samples:
            self._base, self._middle = self._middle, edge

    def allowed(self, distance: npt.ArrayLike, end_ticks: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return how far distances in samples may depart from the rate, in samples.

        They end at these ticks: the plan, unlike the capture, has no holes.
        """
        return self.allowed_with(distance, end_ticks, self._error, self._at)

    def allowed_with(
        self,
        distance: npt.ArrayLike,
        end_ticks: npt.ArrayLike,
        error: float | npt.NDArray[np.float64],
        at: int | npt.NDArray[np.int64],
    ) -> npt.NDArray[np.float64]:
        """Return the departures allowed for rates with these errors at these ticks; see `state`."""
        age = np.abs(np.subtract(end_ticks, at))
        off: npt.NDArray[np.float64] = self.noise_samples + np.abs(distance) * (
            error + self.drift * age
        )
        return off

    @property
    def state(self) -> tuple[float, float, int]:
        """Samples per tick now, their relative error, and the tick at which they have that."""
        return self.samples_per_tick, self._error, self._at

    def _error_at(self, tick: int) -> float:
        """Return the relative error that the rate may have at a tick."""
        return self._error + self.drift * abs(tick - self._at)

    def _slope(self, first: Edge, last: Edge) -> tuple[float, float]:
        # Two edges in one sample: only a damaged file has them.
        span, span_ticks = max(1, last[0] - first[0]), last[1] - first[1]
        return span / span_ticks, self.noise_samples / span + self.drift * span_ticks


def stretch_samples(
    sample_rate_hz: int, clock_hz: int, drift_ppm_per_s: float = DRIFT_PPM_PER_S
) -> float:
    """Return the length at which noise and drift add the same to a slope's error."""
    noise = 1 + sample_rate_hz / clock_hz
    return sqrt(noise * sample_rate_hz / (drift_ppm_per_s * 1e-6))


def smallest_step_samples(sample_rate_hz: int, clock_hz: int, interval_ns: int) -> int:
    """Return the shortest hole between two edges this far apart that is sure to be noticed.

    It is two samples, a tick, and twice what the rate's error makes of the interval.
    """
    noise = 1 + sample_rate_hz / clock_hz
    error = 3 * noise / stretch_samples(sample_rate_hz, clock_hz)
    interval_samples = interval_ns * sample_rate_hz / 1e9
    return int(1 + noise + 2 * error * interval_samples) + 1
