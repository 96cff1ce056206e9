# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency against the phase of the target's tick; the tick is found, never assumed.

A target that works at a periodic tick answers later at some phases of it. Its rate is searched in
the periodogram of the latencies' ranks over the times of the stimuli, with power summed over
harmonics because a short disturbance in each tick has many: the Z_m^2 statistic, Buccheri et al.,
Astronomy and Astrophysics 128 (1983). Stimuli at irregular times make this possible (each rate is
then seen, aliased by none); at regular ones the search is refused. Dependence of each latency on
those before it would look like slow periods: it is taken off first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import fft, special

from rig.analysis.statistics.correlation import ranks, whitened
from rig.arrays import FloatArray
from rig.instruments import Int64Array

LOWEST_HZ, HIGHEST_HZ = 20.0, 2000.0
NOMINAL_HZ = (100.0, 250.0, 300.0, 1000.0)
"""Usual rates of kernels: near them less evidence is needed, as fewer rates are tried."""
NOMINAL_PPM = 500.0
HARMONICS = (1, 2, 4, 8)
SIGNIFICANCE = 0.001
PHASES = 32
FEWEST_EVENTS = 200
BINS = 1 << 21
"""Bins of the time axis at 32 kHz: a minute. Later events of the run are not searched."""
_BIN_HZ = 2 * HIGHEST_HZ * HARMONICS[-1]
_SHORTEST_S = 2 / LOWEST_HZ
_REGULAR, _NEARLY = 0.25, 1e-3
_FINE = 8
_ROUNDING = 1e-9
_GRID = 1 << 16
_DIVISORS = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)


@dataclass(frozen=True)
class Tick:
    """The tick that the search found. Rates are by the analyzer's clock."""

    refused: str = ""
    """The reason why there was no search; empty if it was made."""
    n: int = 0
    """Number of events searched, from the begin of the run."""
    p_value: float = 1.0
    """p-value of no tick from LOWEST_HZ to HIGHEST_HZ; all rates tried are accounted for."""
    rate_hz: float | None = None
    """None: no tick is found at SIGNIFICANCE."""
    phase_n: tuple[int, ...] = ()
    """Events in each phase of the tick, PHASES of them; phase 0 is at the first event."""
    phase_average: tuple[float, ...] = ()
    phase_max: tuple[float, ...] = ()
    """Both in the unit of the values; NaN in a phase without events."""
    explained: float = 0.0
    """Share of the variance that the phase explains, less what chance would."""


def tick_phase(times: Int64Array, values: Int64Array, sample_rate_hz: int) -> Tick:
    """Look for a tick. `times`: samples of the stimuli, ascending; both of shape (n,)."""
    near = times - times[:1] < BINS / _BIN_HZ * sample_rate_hz
    seconds, values = (times[near] - times[:1]) / sample_rate_hz, values[near]
    n = len(values)
    if n < FEWEST_EVENTS:
        return Tick(f"{n} events; a search needs {FEWEST_EVENTS}", n)
    if seconds[-1] < _SHORTEST_S:
        return Tick(f"events of {seconds[-1]:.2g} s; a search needs {_SHORTEST_S:g} s", n)
    ranked = ranks(values)
    if not ranked.any():
        return Tick("all values are equal", n)
    spectrum = _Spectrum(seconds, whitened(ranked))
    if spectrum.regular:
        return Tick("stimuli at regular intervals: a tick cannot be told from its aliases", n)
    p_value, rate_hz = spectrum.search()
    if p_value > SIGNIFICANCE:
        return Tick(n=n, p_value=p_value)
    return _folded(seconds, values, spectrum.refined(rate_hz), p_value)


class _Spectrum:
    """Periodogram of irregular samples, by a Fourier transform of narrow time bins."""

    def __init__(self, seconds: FloatArray, scores: FloatArray) -> None:
        """Transform `scores` of mean 0, variance 1; independent ones have power 1 at each rate."""
        n = len(seconds)
        self._seconds, self._scores = seconds, scores
        self._span_s = float(seconds[-1])
        place = (seconds * _BIN_HZ).astype(np.int64)
        size = fft.next_fast_len(2 * (int(place[-1]) + 1), real=True)
        self._line_hz = _BIN_HZ / size
        self._power = _power(np.bincount(place, scores, size)) / n
        # Also those above HIGHEST_HZ: a regular rate among the harmonics would be taken for theirs.
        lines = slice(int(LOWEST_HZ / self._line_hz), None)
        counts = np.bincount(place, minlength=size)
        self.regular = _on_grid(seconds) or _regular(counts, n, lines)

    def search(self) -> tuple[float, float]:
        """Return p-value and rate of the most significant tick, near nominal rates or anywhere."""
        part = NOMINAL_PPM * 1e-6
        nominal = self._best([(hz * (1 - part), hz * (1 + part)) for hz in NOMINAL_HZ])
        free = self._best([(LOWEST_HZ, HIGHEST_HZ)])
        log_p, rate_hz = min(nominal, free)
        return min(1.0, 2 * math.exp(log_p)), rate_hz

    def _best(self, ranges: list[tuple[float, float]]) -> tuple[float, float]:
        """Return the logarithm of the p-value over all ranges, and the rate."""
        tried = sum(max(1.0, (high - low) * self._span_s) for low, high in ranges)
        tops: dict[int, list[tuple[float, float]]] = {count: [] for count in HARMONICS}
        for rates_hz in self._grids(ranges):
            for count, total in zip(HARMONICS, self._totals(rates_hz), strict=True):
                top = int(np.argmax(total))
                tops[count].append((float(total[top]), float(rates_hz[top])))
        best = (0.0, ranges[0][0])
        for count, found in tops.items():
            # The more power the less chance, but for rounding.
            least = max(power for power, _ in found) * (1 - _ROUNDING)
            for power, rate_hz in found:
                if power >= least:
                    # Rates between independent ones raise the maximum; twice covers it.
                    log_p = math.log(2 * len(HARMONICS) * count * tried)
                    best = min(best, (_log_chance(power, count) + log_p, rate_hz))
        return best

    def _grids(self, ranges: list[tuple[float, float]]) -> Iterator[FloatArray]:
        """Yield the rates to try, in steps for the highest harmonic and pieces of bounded size."""
        step_hz = self._line_hz / HARMONICS[-1]
        for low, high in ranges:
            count = max(1, math.ceil((high - low) / step_hz))
            for first in range(0, count, _GRID):
                yield low + step_hz * np.arange(first, min(first + _GRID, count))

    def _totals(self, rates_hz: FloatArray) -> list[FloatArray]:
        """Return the power summed over each number of harmonics, at each rate."""
        totals, total = [], np.zeros(len(rates_hz))
        for harmonic in range(1, HARMONICS[-1] + 1):
            total = total + self._at(harmonic * rates_hz)
            if harmonic in HARMONICS:
                totals.append(total)
        return totals

    def _at(self, rates_hz: FloatArray) -> FloatArray:
        line = np.rint(rates_hz / self._line_hz).astype(np.int32)
        power: FloatArray = np.take(self._power, line, mode="clip")
        return power

    def refined(self, rate_hz: float) -> float:
        """Return the tick's own rate: not a multiple of it, and the best nearby, without bins."""
        rate_hz = self._fundamental(rate_hz)
        harmonics = range(1, HARMONICS[-1] + 1)
        for step_hz in (self._line_hz / 4, self._line_hz / 32):
            near_hz = rate_hz + step_hz * np.arange(-6, 7)
            power = [sum(self._exact(hz * h) for h in harmonics) for hz in near_hz]
            rate_hz = float(near_hz[int(np.argmax(power))])
        return rate_hz

    def _exact(self, rate_hz: float) -> float:
        turns = np.exp(2j * np.pi * rate_hz * self._seconds)
        return float(np.abs(turns @ self._scores) ** 2)

    def _fundamental(self, rate_hz: float) -> float:
        """Return the rate, or a part of it whose own harmonics, not the rate's, have power too."""
        for divisor in _DIVISORS:
            part_hz = rate_hz / divisor
            own = [h for h in range(1, 2 * HARMONICS[-1]) if h % divisor]
            own = own[: HARMONICS[-1]]
            power = float(self._at(np.array(own) * part_hz).sum())
            chance = _log_chance(power, len(own))
            if part_hz > LOWEST_HZ and chance < math.log(SIGNIFICANCE / len(_DIVISORS)):
                return self._fundamental(part_hz)
        return rate_hz


def _log_chance(power: float, count: int) -> float:
    """Return the log of the chance that `count` harmonics of nothing have this power together.

    Twice the power follows the chi-squared distribution with 2 * count degrees of freedom, whose
    tail has a closed form. scipy's is 0 where a strong tick lies.
    """
    terms = np.arange(count)
    series = terms * math.log(power) - special.gammaln(terms + 1)
    return min(0.0, float(special.logsumexp(series)) - power)


def _power(binned: npt.NDArray[np.generic]) -> FloatArray:
    return np.asarray(np.abs(fft.rfft(binned)) ** 2)


def _regular(counts: Int64Array, n: int, lines: slice) -> bool:
    """Return whether `n` events, counted by bins of time, come at a rate among these lines.

    It is computed in single precision, which is off by a millionth, and if it is close in double.
    """
    share = float(_power(counts.astype(np.float32))[lines].max()) / n**2
    if abs(share - _REGULAR) < _NEARLY:
        share = float(_power(counts.astype(np.float64))[lines].max()) / n**2
    return share > _REGULAR


def _on_grid(seconds: FloatArray) -> bool:
    """Return whether events come at whole multiples of an interval, which bins may not resolve."""
    fine_s = float(np.median(np.diff(seconds))) / _FINE
    if fine_s <= 0:
        return False
    place = (seconds / fine_s).astype(np.int64)
    place = place[place < BINS]
    size = fft.next_fast_len(int(place[-1]) + 1, real=True)
    counts = np.bincount(place, minlength=size)
    return _regular(counts, len(place), slice(size // (2 * _FINE), None))


def _folded(seconds: FloatArray, values: Int64Array, rate_hz: float, p_value: float) -> Tick:
    phase = (seconds * rate_hz % 1.0 * PHASES).astype(np.int64) % PHASES
    n, count = len(values), np.bincount(phase, minlength=PHASES)
    average = np.full(PHASES, np.nan)
    used = count > 0
    average[used] = np.bincount(phase, values, PHASES)[used] / count[used]
    highest = np.full(PHASES, -np.inf)
    np.maximum.at(highest, phase, values)
    between = float((count[used] * (average[used] - values.mean()) ** 2).sum())
    total = float(((values - values.mean()) ** 2).sum())
    groups = int(used.sum())
    chance = (total - between) / (n - groups) * (groups - 1) if n > groups else 0.0
    return Tick(
        n=n,
        p_value=p_value,
        rate_hz=rate_hz,
        phase_n=tuple(int(c) for c in count),
        phase_average=tuple(float(a) for a in average),
        phase_max=tuple(float(m) if m > -np.inf else math.nan for m in highest),
        explained=max(0.0, (between - chance) / total),
    )
