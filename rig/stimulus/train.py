# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulse trains: the same parameters and seed give the same edges here and in the firmware.

The arithmetic is that of firmware/PROTOCOL.md, integer by integer; firmware/core/train.c is its
other implementation. Time is ticks of the stimulus clock, nominally 62.5 ns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]

CLOCK_HZ = 16_000_000
"""Nominal rate of the stimulus clock: one tick is 62.5 ns."""
COUNT_MAX = 2**32 - 1
SEED_MAX = 2**32 - 1
DELAY_MIN_TICKS = 1_600
WIDTH_MIN_TICKS = 160
WIDTH_MAX_TICKS = 32_767
GAP_MIN_TICKS = 160
"""Shortest rest between a pulse's trailing edge and the next leading edge."""
INTERVAL_MAX_TICKS = 160_000_000
RAMP_INTERVAL_MAX_TICKS = 16_000_000

_CHUNK = 1 << 18
_RATE_UNIT = 2**32 - 1
_LN2_Q32 = 2_977_044_472  # round(ln(2) * 2**32)
_LOG2_Q16 = np.round(np.log2(1 + np.arange(65) / 64) * 65_536).astype(np.uint64)


class Pattern(StrEnum):
    """How the intervals between pulses are made; the values are SCPI mnemonics."""

    PERIODIC = "PER"
    UNIFORM = "UNIF"
    POISSON = "POIS"
    BURST = "BURS"
    RAMP = "RAMP"


class Polarity(StrEnum):
    """Level of the pulse: POSITIVE rests low and pulses high."""

    POSITIVE = "POS"
    NEGATIVE = "NEG"


INTERVAL_MIN_TICKS = {
    Pattern.PERIODIC: 320,
    Pattern.UNIFORM: 1_280,
    Pattern.POISSON: 1_600,
    Pattern.BURST: 320,
    Pattern.RAMP: 1_600,
}
"""Shortest interval the firmware sustains with no late edge while captures are fetched."""

PARAMETERS = {
    Pattern.PERIODIC: ("period_ticks",),
    Pattern.UNIFORM: ("interval_min_ticks", "interval_max_ticks"),
    Pattern.POISSON: ("interval_min_ticks", "interval_mean_ticks"),
    Pattern.BURST: ("period_ticks", "burst_count", "burst_spacing_ticks"),
    Pattern.RAMP: ("ramp_start_ticks", "ramp_stop_ticks"),
}
"""The fields of `Train` that belong to each pattern; all others must stay 0."""


def random_words(seed: int, first: int, stop: int) -> UInt32Array:
    """Words `first` to `stop` - 1 of the generator, shape (stop - first,).

    A counter put through a mixer of two multiplications, so that any word is found without those
    before it. Multipliers and shifts: C. Wellons, "Prospecting for Hash Functions", 2018 (the
    low-bias pair 0x21f0aaad, 0x735a2d97 found by T. Ettinger).
    """
    counter = np.arange(first + 1, stop + 1, dtype=np.uint64)
    x = ((seed + counter * 0x9E3779B9) & 0xFFFFFFFF).astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x21F0AAAD)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x735A2D97)
    x ^= x >> np.uint32(15)
    return x


def minus_log2_q24(words: UInt32Array) -> UInt64Array:
    """-log2(u) with 24 fraction bits for u = (word | 1) / 2**32: 0 to 32.

    The curve is replaced by 64 chords an octave: at most 5e-5 above the true value.
    """
    odd = (words | np.uint32(1)).astype(np.uint64)
    bits: UInt64Array = np.frexp(odd.astype(np.float64))[1].astype(np.uint64)  # exact
    normal = odd << (32 - bits)
    segment = ((normal >> 25) & 63).astype(np.intp)
    rest = (normal >> 9) & 0xFFFF
    low = _LOG2_Q16[segment]
    log2: UInt64Array = (low << 8) + (((_LOG2_Q16[segment + 1] - low) * rest) >> 8)
    minus: UInt64Array = ((33 - bits) << 24).astype(np.uint64) - log2
    return minus


@dataclass(frozen=True)
class Train:
    """A pulse train: everything the firmware needs, and enough to know each planned edge.

    Fields that do not belong to the pattern (see PARAMETERS) are 0.

    Raises:
        ValueError: a value is out of range, foreign to the pattern, or in conflict with another;
            the text names the field, the value and what is valid.
    """

    pattern: Pattern
    count: int
    seed: int
    delay_ticks: int
    """From INIT to the first leading edge."""
    width_ticks: int
    polarity: Polarity
    period_ticks: int = 0
    """From pulse to pulse, or for a burst from first pulse to first pulse."""
    interval_min_ticks: int = 0
    interval_max_ticks: int = 0
    interval_mean_ticks: int = 0
    burst_count: int = 0
    burst_spacing_ticks: int = 0
    ramp_start_ticks: int = 0
    ramp_stop_ticks: int = 0

    def __post_init__(self) -> None:
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if field.name != "polarity" and (isinstance(value, bool) or not isinstance(value, int)):
                raise ValueError(f"{field.name} must be an integer, not {value!r}")
        _check("count", self.count, 1, COUNT_MAX)
        _check("seed", self.seed, 0, SEED_MAX)
        _check("delay_ticks", self.delay_ticks, DELAY_MIN_TICKS, INTERVAL_MAX_TICKS)
        _check("width_ticks", self.width_ticks, WIDTH_MIN_TICKS, WIDTH_MAX_TICKS)
        self._check_parameters()
        if self.width_ticks + GAP_MIN_TICKS > self.shortest_interval_ticks:
            raise ValueError(
                f"width_ticks {self.width_ticks} leaves less than {GAP_MIN_TICKS} ticks of rest in "
                f"the shortest interval, {self.shortest_interval_ticks}; "
                f"valid: at most {self.shortest_interval_ticks - GAP_MIN_TICKS}"
            )

    def _check_parameters(self) -> None:
        """Range of each parameter of the pattern, and their order."""
        own = PARAMETERS[self.pattern]
        for field in fields(self)[6:]:
            value = getattr(self, field.name)
            if field.name not in own:
                if value:
                    raise ValueError(f"{field.name} does not belong to pattern {self.pattern.name}")
            elif field.name == "burst_count":
                _check("burst_count", value, 1, COUNT_MAX)
            else:
                _check(field.name, value, INTERVAL_MIN_TICKS[self.pattern], self._longest_ticks)
        match self.pattern:
            case Pattern.UNIFORM:
                _check_order(self, "interval_min_ticks", "interval_max_ticks")
            case Pattern.POISSON:
                _check_order(self, "interval_min_ticks", "interval_mean_ticks")
            case Pattern.BURST:
                self._check_burst()
            case _:
                pass

    def _check_burst(self) -> None:
        burst_ticks = (self.burst_count - 1) * self.burst_spacing_ticks
        least = INTERVAL_MIN_TICKS[Pattern.BURST]
        if burst_ticks + least > self.period_ticks:
            raise ValueError(
                f"period_ticks {self.period_ticks} is too short for {self.burst_count} pulses "
                f"{self.burst_spacing_ticks} ticks apart; valid: at least {burst_ticks + least}"
            )

    @property
    def _longest_ticks(self) -> int:
        """Longest time a parameter of this pattern may have."""
        return RAMP_INTERVAL_MAX_TICKS if self.pattern is Pattern.RAMP else INTERVAL_MAX_TICKS

    @property
    def shortest_interval_ticks(self) -> int:
        """Lower bound of the interval between two leading edges; some parameters reach it."""
        match self.pattern:
            case Pattern.PERIODIC:
                return self.period_ticks
            case Pattern.UNIFORM | Pattern.POISSON:
                return self.interval_min_ticks
            case Pattern.BURST:
                if self.burst_count == 1:
                    return self.period_ticks
                return min(self.burst_spacing_ticks, self._burst_gap_ticks)
            case Pattern.RAMP:
                return min(self.ramp_start_ticks, self.ramp_stop_ticks)

    @property
    def _burst_gap_ticks(self) -> int:
        """From the last pulse of a burst to the first of the next."""
        return self.period_ticks - (self.burst_count - 1) * self.burst_spacing_ticks

    @property
    def mean_interval_ticks(self) -> float:
        """Expected interval between leading edges, over the whole train."""
        match self.pattern:
            case Pattern.PERIODIC:
                return float(self.period_ticks)
            case Pattern.UNIFORM:
                return (self.interval_min_ticks + self.interval_max_ticks) / 2
            case Pattern.POISSON:
                return float(self.interval_mean_ticks)
            case Pattern.BURST:
                return self.period_ticks / self.burst_count
            case Pattern.RAMP:
                start, stop = self.ramp_start_ticks, self.ramp_stop_ticks
                # The mean of 1/r over rates r spread evenly between 1/start and 1/stop.
                rate_span = 1 / stop - 1 / start
                return float(start) if start == stop else float(np.log(start / stop) / rate_span)

    @property
    def expected_duration_ticks(self) -> int:
        """From INIT to the last trailing edge, to be expected: cheap, for limits and progress."""
        spread = round((self.count - 1) * self.mean_interval_ticks)
        return self.delay_ticks + spread + self.width_ticks

    @cached_property
    def duration_ticks(self) -> int:
        """From INIT to the last trailing edge, exactly. Computes the whole train once."""
        last = self.delay_ticks
        for chunk in self.edge_chunks():
            last = int(chunk[-1])
        return last + self.width_ticks

    def intervals(self, first: int, stop: int) -> Int64Array:
        """Intervals number `first` to `stop` - 1 in ticks, shape (stop - first,).

        Interval k lies between the leading edges k and k + 1. Any stretch is found without those
        before it.
        """
        match self.pattern:
            case Pattern.PERIODIC:
                return np.full(stop - first, self.period_ticks, dtype=np.int64)
            case Pattern.UNIFORM:
                return self._uniform(first, stop)
            case Pattern.POISSON:
                return self._poisson(first, stop)
            case Pattern.BURST:
                last = np.arange(first + 1, stop + 1, dtype=np.int64) % self.burst_count == 0
                return np.where(last, self._burst_gap_ticks, self.burst_spacing_ticks)
            case Pattern.RAMP:
                return self._ramp(first, stop)

    def _uniform(self, first: int, stop: int) -> Int64Array:
        span = self.interval_max_ticks - self.interval_min_ticks + 1
        words = random_words(self.seed, first, stop).astype(np.uint64)
        return self.interval_min_ticks + ((words * np.uint64(span)) >> 32).astype(np.int64)

    def _poisson(self, first: int, stop: int) -> Int64Array:
        mean_ln2_q5 = ((self.interval_mean_ticks - self.interval_min_ticks) * _LN2_Q32) >> 27
        logs_q24 = minus_log2_q24(random_words(self.seed, first, stop))
        logs_q27 = np.minimum(logs_q24, np.uint64(0x1FFFFFFF)) << 3
        excess = (logs_q27 * np.uint64(mean_ln2_q5) + np.uint64(1 << 31)) >> 32
        return self.interval_min_ticks + excess.astype(np.int64)

    def _ramp(self, first: int, stop: int) -> Int64Array:
        start_rate = _RATE_UNIT // self.ramp_start_ticks
        span_q32 = (_RATE_UNIT // self.ramp_stop_ticks - start_rate) << 32
        steps = max(self.count - 2, 1)
        step_q32 = abs(span_q32) // steps * (1 if span_q32 >= 0 else -1)
        rates_q32 = (start_rate << 32) + np.arange(first, stop, dtype=np.int64) * step_q32
        return _RATE_UNIT // (rates_q32 >> 32)

    def edge_chunks(self, chunk: int = _CHUNK) -> Iterator[Int64Array]:
        """All planned leading edges in ticks since INIT, in order, at most `chunk` at a time."""
        begin = self.delay_ticks
        for first in range(0, self.count, chunk):
            stop = min(first + chunk, self.count)
            intervals = self.intervals(first, min(stop, self.count - 1))
            ends = begin + np.cumsum(intervals)
            yield np.concatenate(([begin], ends[: stop - first - 1]))
            begin = int(ends[-1]) if len(ends) else begin

    def edges(self, first: int, stop: int) -> Int64Array:
        """Planned leading edges number `first` to `stop` - 1 in ticks since INIT.

        Args:
            first: number of the first edge, from 0.
            stop: one past the last edge, at most `count`.

        Returns:
            Array of shape (stop - first,). The time taken grows with `stop`, the memory does not.

        Raises:
            ValueError: not 0 <= first <= stop <= count.
        """
        if not 0 <= first <= stop <= self.count:
            raise ValueError(f"edges {first} to {stop} asked of a train of {self.count}")
        begin = self.delay_ticks
        for low in range(0, first, _CHUNK):
            begin += int(self.intervals(low, min(low + _CHUNK, first)).sum())
        if first == stop:
            return np.empty(0, dtype=np.int64)
        return np.cumsum(np.concatenate(([begin], self.intervals(first, stop - 1))))


def _check(name: str, value: int, least: int, most: int) -> None:
    """Raise ValueError unless least <= value <= most."""
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; valid: {least} to {most}")


def _check_order(train: Train, lower: str, upper: str) -> None:
    """Raise ValueError unless the first field is at most the second."""
    if getattr(train, lower) > getattr(train, upper):
        raise ValueError(
            f"{lower} {getattr(train, lower)} is above {upper} {getattr(train, upper)}"
        )
