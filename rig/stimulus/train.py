# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulse trains: the same parameters and seed give the same edges here and in the firmware.

The arithmetic is that of firmware/PROTOCOL.md, integer by integer; firmware/core/patterns.c is its
other implementation. Time is ticks of the stimulus clock. All that is known of a pattern is here:
its parameters and its class (docs/how-to/add-a-stimulus-pattern.md). What a chip can do, and so
which trains can be sent, is in rig/stimulus/chip.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import InitVar, dataclass, fields
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from rig.arrays import Int64Array
from rig.event_source import EventSource
from rig.stimulus.limits import ANY_CHIP, TrainLimits
from rig.stimulus.random_words import minus_log2_q24, random_words

COUNT_MAX: Final = 2**32 - 1
SEED_MAX: Final = 2**32 - 1
SPAN_MAX_TICKS: Final = 2**61
"""The bound of a train's length: 64 bits hold what is computed of it."""

_CHUNK = 1 << 18
_RATE_UNIT = 2**32 - 1
_LN2_Q32 = 2_977_044_472  # round(ln(2) * 2**32)


class Pattern:
    """SCPI mnemonics, by which a train names its pattern, of the patterns that code asks for."""

    PERIODIC: Final = "PER"
    UNIFORM: Final = "UNIF"
    POISSON: Final = "POIS"
    BURST: Final = "BURS"
    RAMP: Final = "RAMP"


class Polarity(StrEnum):
    """The level of the pulse: POSITIVE rests low and pulses high."""

    POSITIVE = "POS"
    NEGATIVE = "NEG"

    @property
    def active_level(self) -> int:
        """The level of a pulse."""
        return 0 if self is Polarity.NEGATIVE else 1


@dataclass(frozen=True)
class Train(EventSource):
    """A pulse train: everything the firmware needs, and enough to know each planned edge.

    Fields that do not belong to the pattern are 0.

    Args:
        limits: those of the chip that is to make it; None: it may come from a file, and is only
            such that some chip could make it.

    Raises:
        ValueError: a value is out of range, foreign to the pattern, or in conflict with another;
            the text names the field, the value and what is valid.
    """

    kind = "train"

    pattern: str
    """The mnemonic of the pattern, of PATTERNS."""
    count: int
    seed: int
    delay_ticks: int
    """The time from INIT to the first leading edge."""
    width_ticks: int
    polarity: Polarity
    period_ticks: int = 0
    """The time from pulse to pulse, or for a burst from first pulse to first pulse."""
    interval_min_ticks: int = 0
    interval_max_ticks: int = 0
    interval_mean_ticks: int = 0
    burst_count: int = 0
    burst_spacing_ticks: int = 0
    ramp_start_ticks: int = 0
    ramp_stop_ticks: int = 0
    limits: InitVar[TrainLimits | None] = None

    def __post_init__(self, limits: TrainLimits | None) -> None:
        limits = limits or ANY_CHIP
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if field.name != "polarity" and (isinstance(value, bool) or not isinstance(value, int)):
                raise ValueError(f"{field.name} must be an integer, not {value!r}")
        _check("count", self.count, 1, COUNT_MAX)
        _check("seed", self.seed, 0, SEED_MAX)
        _check("delay_ticks", self.delay_ticks, *limits.delay_ticks)
        _check("width_ticks", self.width_ticks, *limits.width_ticks)
        self._check_parameters(*limits.interval_of(self.shape.mnemonic))
        shortest = self.shortest_interval_ticks
        if self.width_ticks + limits.rest_ticks > shortest:
            raise ValueError(
                f"width_ticks {self.width_ticks} leaves less than {limits.rest_ticks} ticks of "
                f"rest in the shortest interval, {shortest}; "
                f"valid: at most {shortest - limits.rest_ticks}"
            )
        if self.count * self.mean_interval_ticks > SPAN_MAX_TICKS:
            raise ValueError(f"count is {self.count}: the train is longer than any can be")

    def _check_parameters(self, least: int, most: int) -> None:
        """Check the range of each parameter of the pattern, and that they fit each other."""
        own = {parameter.field: parameter for parameter in self.shape.parameters}
        for field in fields(self)[6:]:
            value = getattr(self, field.name)
            if field.name not in own:
                if value:
                    raise ValueError(f"{field.name} does not belong to pattern {self.shape.name}")
            elif own[field.name].is_count:
                _check(field.name, value, 1, COUNT_MAX)
            else:
                _check(field.name, value, least, most)
        self.shape.check(self, least)

    @property
    def active_level(self) -> int:
        return self.polarity.active_level

    @property
    def shape(self) -> IntervalPattern:
        """The pattern itself. Raises ValueError if there is none of this mnemonic."""
        found = PATTERNS.get(self.pattern)
        if found is None:
            raise ValueError(f"pattern is {self.pattern!a:.40}; valid: {', '.join(PATTERNS)}")
        return found

    @property
    def shortest_interval_ticks(self) -> int:
        """Lower bound of the interval between two leading edges; some parameters reach it."""
        return self.shape.shortest_ticks(self)

    @property
    def mean_interval_ticks(self) -> float:
        """Expected interval between leading edges, over the whole train."""
        return self.shape.mean_ticks(self)

    def repeats_after(self, edges: int) -> bool:
        """Return whether the intervals are the same again after so many edges."""
        every = self.shape.repeats_every(self)
        return every > 0 and edges % every == 0

    @property
    def expected_duration_ticks(self) -> int:
        """The expected time from INIT to the last trailing edge: cheap, for limits and progress."""
        spread = round((self.count - 1) * self.mean_interval_ticks)
        return self.delay_ticks + spread + self.width_ticks

    @cached_property
    def duration_ticks(self) -> int:
        """The exact time from INIT to the last trailing edge, by a pass over the whole train."""
        last = self.delay_ticks
        for chunk in self.edge_chunks():
            last = int(chunk[-1])
        return last + self.width_ticks

    def intervals(self, first: int, stop: int) -> Int64Array:
        """Intervals number `first` to `stop` - 1 in ticks, shape (stop - first,).

        Interval k lies between the leading edges k and k + 1. Any stretch is found without those
        before it.
        """
        return self.shape.intervals(self, first, stop)

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


# --- patterns ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """A parameter of a pattern beside count, seed, width and delay."""

    field: str
    """The field of `Train`."""
    key: str
    """The key in the [stimulus] table of a plan."""
    header: str
    """The header of the firmware's protocol."""
    is_count: bool = False
    """Whether it is a number of pulses; otherwise a time."""


class IntervalPattern(ABC):
    """A pattern of the intervals of a train. `train` is always one of this pattern."""

    name: ClassVar[str]
    """The word in plans."""
    mnemonic: ClassVar[str]
    """The word in the firmware's protocol and in run files."""
    parameters: ClassVar[tuple[Parameter, ...]]
    order: ClassVar[tuple[str, ...]] = ()
    """The two fields of which the first may not be above the second, if any."""

    def check(self, train: Train, least_ticks: int) -> None:  # noqa: ARG002
        """Raise ValueError if values exclude each other; `least_ticks`: the shortest interval."""
        if self.order:
            _check_order(train, *self.order)

    @abstractmethod
    def shortest_ticks(self, train: Train) -> int:
        """Lower bound of the interval between two leading edges."""

    @abstractmethod
    def mean_ticks(self, train: Train) -> float:
        """Expected interval between leading edges, over the whole train."""

    @abstractmethod
    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        """Intervals number `first` to `stop` - 1 in ticks, shape (stop - first,)."""

    def fastest(self, least_ticks: int) -> dict[str, int]:
        """Return parameters with which intervals are as short as a chip keeps them all the time."""
        return {parameter.field: least_ticks for parameter in self.parameters}

    def repeats_every(self, train: Train) -> int:
        """Return after how many edges the intervals are the same again; 0: never."""
        return 1 if self.shortest_ticks(train) == self.mean_ticks(train) else 0


_PERIOD = Parameter("period_ticks", "period", "SOUR:PER")
_INTERVAL_MIN = Parameter("interval_min_ticks", "interval_min", "SOUR:INT:MIN")


class Periodic(IntervalPattern):
    """All intervals are equal."""

    name, mnemonic, parameters = "periodic", Pattern.PERIODIC, (_PERIOD,)

    def shortest_ticks(self, train: Train) -> int:
        return train.period_ticks

    def mean_ticks(self, train: Train) -> float:
        return float(train.period_ticks)

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        return np.full(stop - first, train.period_ticks, dtype=np.int64)


class Uniform(IntervalPattern):
    """Intervals between two limits, each equally likely."""

    name, mnemonic = "uniform", Pattern.UNIFORM
    parameters = (_INTERVAL_MIN, Parameter("interval_max_ticks", "interval_max", "SOUR:INT:MAX"))
    order = ("interval_min_ticks", "interval_max_ticks")

    def shortest_ticks(self, train: Train) -> int:
        return train.interval_min_ticks

    def mean_ticks(self, train: Train) -> float:
        return (train.interval_min_ticks + train.interval_max_ticks) / 2

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        span = train.interval_max_ticks - train.interval_min_ticks + 1
        words = random_words(train.seed, first, stop).astype(np.uint64)
        return train.interval_min_ticks + ((words * np.uint64(span)) >> 32).astype(np.int64)


class Poisson(IntervalPattern):
    """A least interval, and on top of it a time that is exponentially distributed."""

    name, mnemonic = "poisson", Pattern.POISSON
    parameters = (_INTERVAL_MIN, Parameter("interval_mean_ticks", "interval_mean", "SOUR:INT:MEAN"))
    order = ("interval_min_ticks", "interval_mean_ticks")

    def shortest_ticks(self, train: Train) -> int:
        return train.interval_min_ticks

    def mean_ticks(self, train: Train) -> float:
        return float(train.interval_mean_ticks)

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        mean_ln2_q5 = ((train.interval_mean_ticks - train.interval_min_ticks) * _LN2_Q32) >> 27
        logs_q24 = minus_log2_q24(random_words(train.seed, first, stop))
        logs_q27 = np.minimum(logs_q24, np.uint64(0x1FFFFFFF)) << 3
        excess = (logs_q27 * np.uint64(mean_ln2_q5) + np.uint64(1 << 31)) >> 32
        return train.interval_min_ticks + excess.astype(np.int64)


class Burst(IntervalPattern):
    """Groups of equal intervals, the groups at equal intervals."""

    name, mnemonic = "burst", Pattern.BURST
    parameters = (
        Parameter("burst_count", "burst_count", "SOUR:BURS:COUN", is_count=True),
        Parameter("burst_spacing_ticks", "burst_spacing", "SOUR:BURS:SPAC"),
        _PERIOD,
    )

    def check(self, train: Train, least_ticks: int) -> None:
        burst_ticks = (train.burst_count - 1) * train.burst_spacing_ticks
        if burst_ticks + least_ticks > train.period_ticks:
            raise ValueError(
                f"period_ticks {train.period_ticks} is too short for {train.burst_count} pulses "
                f"{train.burst_spacing_ticks} ticks apart; "
                f"valid: at least {burst_ticks + least_ticks}"
            )

    def shortest_ticks(self, train: Train) -> int:
        if train.burst_count == 1:
            return train.period_ticks
        return min(train.burst_spacing_ticks, self._gap_ticks(train))

    def fastest(self, least_ticks: int) -> dict[str, int]:
        # Few pulses need a longer gap behind them (firmware/PROTOCOL.md, Limits).
        pulses, gap = 10, 3
        every = {"burst_count": pulses, "period_ticks": (pulses - 1 + gap) * least_ticks}
        return super().fastest(least_ticks) | every

    def _gap_ticks(self, train: Train) -> int:
        """Return the time from the last pulse of a burst to the first of the next."""
        return train.period_ticks - (train.burst_count - 1) * train.burst_spacing_ticks

    def mean_ticks(self, train: Train) -> float:
        return train.period_ticks / train.burst_count

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        last = np.arange(first + 1, stop + 1, dtype=np.int64) % train.burst_count == 0
        return np.where(last, self._gap_ticks(train), train.burst_spacing_ticks)

    def repeats_every(self, train: Train) -> int:
        return train.burst_count


class Ramp(IntervalPattern):
    """A rate that goes linearly from a first to a last one."""

    name, mnemonic = "ramp", Pattern.RAMP
    parameters = (
        Parameter("ramp_start_ticks", "interval_start", "SOUR:RAMP:STAR"),
        Parameter("ramp_stop_ticks", "interval_stop", "SOUR:RAMP:STOP"),
    )

    def shortest_ticks(self, train: Train) -> int:
        return min(train.ramp_start_ticks, train.ramp_stop_ticks)

    def mean_ticks(self, train: Train) -> float:
        start, stop = train.ramp_start_ticks, train.ramp_stop_ticks
        # The mean of 1/r over rates r spread evenly between 1/start and 1/stop.
        rate_span = 1 / stop - 1 / start
        return float(start) if start == stop else float(np.log(start / stop) / rate_span)

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        start_rate = _RATE_UNIT // train.ramp_start_ticks
        span_q32 = (_RATE_UNIT // train.ramp_stop_ticks - start_rate) << 32
        steps = max(train.count - 2, 1)
        step_q32 = abs(span_q32) // steps * (1 if span_q32 >= 0 else -1)
        rates_q32 = (start_rate << 32) + np.arange(first, stop, dtype=np.int64) * step_q32
        return _RATE_UNIT // (rates_q32 >> 32)


PATTERNS: Final[dict[str, IntervalPattern]] = {
    each.mnemonic: each for each in (Periodic(), Uniform(), Poisson(), Burst(), Ramp())
}
"""All patterns, by mnemonic."""
