# SPDX-License-Identifier: GPL-3.0-or-later
"""Brackets: for each event, an interval of one clock's ticks at a sample of another clock.

An edge whose index is sample s lies in (s - 1, s] of the analyzer's clock: s is the first sample
that shows the new level. A counter read as `before` at or before the edge, and as `after` at or
after it, was at the edge within [before, after + 1), since a reading is rounded down. A clock that
never runs backward fits the event if it is at least `before` at s and at most `after + 1` at s - 1.
So an event is two points, and neither needs the rate to be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array

LARGEST = 1 << 53
"""Samples and ticks stay below this, so that their differences are exact as floats too."""


class BracketSource(Protocol):
    """Brackets that can be read any number of times, in pieces."""

    def __len__(self) -> int: ...

    def read(self, first: int, count: int) -> Brackets: ...

    def samples(self, first: int, count: int) -> Int64Array:
        """Return the samples of `read`, alone."""
        ...


@dataclass(frozen=True)
class Rates:
    """Nominal rates of the two clocks, and how fast the true ones may drift apart."""

    sample_rate_hz: int
    tick_hz: int
    drift_ppm_per_s: float = 1.0
    """A stated bound, not an estimate. Crystals stay below 1; ceramic resonators need 10."""

    def __post_init__(self) -> None:
        """Raises ValueError for rates no clock has."""
        for name in ("sample_rate_hz", "tick_hz"):
            if not 0 < getattr(self, name) < LARGEST:
                raise ValueError(f"{name} is {getattr(self, name)}; valid: 1 to 2^53 - 1")
        if not 0 <= self.drift_ppm_per_s <= 1000:
            raise ValueError(f"drift is {self.drift_ppm_per_s} ppm/s; valid: 0 to 1000")

    @property
    def nominal_ticks_per_sample(self) -> float:
        return self.tick_hz / self.sample_rate_hz

    @property
    def tick_ns(self) -> float:
        return 1e9 / self.tick_hz

    def ppm(self, ticks_per_sample: float) -> float:
        """Return how much faster than nominal the tick clock runs, by the analyzer's clock."""
        return (ticks_per_sample / self.nominal_ticks_per_sample - 1) * 1e6

    @overload
    def allowance_ticks(self, span_samples: float) -> float: ...

    @overload
    def allowance_ticks(self, span_samples: Int64Array) -> npt.NDArray[np.float64]: ...

    def allowance_ticks(self, span_samples: float | Int64Array) -> float | npt.NDArray[np.float64]:
        """Return how far a clock of that drift may depart from the best straight line over a span.

        With |f''| <= c over a length T the best line is never further off than c T^2 / 16
        (Chebyshev's linear approximation of the parabola, the worst case).
        """
        span_s = span_samples / self.sample_rate_hz
        return self.drift_ppm_per_s * 1e-6 * self.tick_hz * span_s * span_s / 16


@dataclass(frozen=True)
class Brackets:
    """Events in order: the analyzer's sample, and the other clock's ticks around the edge."""

    sample: Int64Array
    """Shape (n,), strictly rising."""
    before_ticks: Int64Array
    """Shape (n,)."""
    after_ticks: Int64Array
    """Shape (n,). Below `before_ticks` only in a damaged log; the bracket test then names it."""

    def __post_init__(self) -> None:
        """Raises ValueError for arrays that cannot be brackets: they may come from a file."""
        n = len(self.sample)
        for name in ("sample", "before_ticks", "after_ticks"):
            values = getattr(self, name)
            if values.shape != (n,) or values.dtype != np.int64:
                raise ValueError(f"{name} is {values.dtype}{values.shape}; valid: int64({n},)")
            if n and not -LARGEST < int(values.min()) <= int(values.max()) < LARGEST:
                raise ValueError(f"{name} reaches beyond 2^53; take ticks relative to the first")
        falls = np.flatnonzero(np.diff(self.sample) <= 0)
        if len(falls):
            at = int(falls[0])
            raise ValueError(
                f"edge {at + 1} at sample {self.sample[at + 1]} does not follow edge {at} at "
                f"{self.sample[at]}; samples must rise"
            )

    def __len__(self) -> int:
        return len(self.sample)

    def read(self, first: int, count: int) -> Brackets:
        """Return events `first` to `first + count` - 1, fewer at the end."""
        part = slice(first, first + count)
        return Brackets(self.sample[part], self.before_ticks[part], self.after_ticks[part])

    def samples(self, first: int, count: int) -> Int64Array:
        """Return the samples of `read`, alone."""
        return self.sample[first : first + count]

    def part(self, first: int, stop: int) -> Brackets:
        """Return events `first` to `stop` - 1, without the checks: a part of brackets is valid."""
        part = slice(first, stop)
        found = object.__new__(Brackets)
        found.__dict__.update(
            sample=self.sample[part],
            before_ticks=self.before_ticks[part],
            after_ticks=self.after_ticks[part],
        )
        return found

    def without(self, events: Sequence[int] | Int64Array) -> Brackets:
        """Return all events but these, whose numbers count from 0."""
        keep = np.ones(len(self), bool)
        keep[np.asarray(events, np.int64)] = False
        return Brackets(self.sample[keep], self.before_ticks[keep], self.after_ticks[keep])

    @property
    def width_ticks(self) -> float:
        """The median width of the brackets, the counter's own tick included."""
        return float(np.median(self.after_ticks - self.before_ticks)) + 1 if len(self) else 0.0


def log_brackets(
    sample: Int64Array, before_ticks: npt.NDArray[Any], after_ticks: npt.NDArray[Any]
) -> tuple[Brackets, int]:
    """Return the brackets of a log, shapes (n,), and the tick they count from: its first `before`.

    Differences are taken modulo 2^64, as an unsigned 64-bit counter takes them.
    """
    origin = np.uint64(before_ticks[0]) if len(before_ticks) else np.uint64(0)
    before = (before_ticks.astype(np.uint64) - origin).view(np.int64)
    after = (after_ticks.astype(np.uint64) - origin).view(np.int64)
    return Brackets(sample.astype(np.int64), before, after), int(origin)


def stamp_brackets(
    sample: Int64Array, ticks: Int64Array, late_ticks: npt.ArrayLike = 0
) -> Brackets:
    """Return brackets of edges known to a tick, as the stimulus's: each left within its tick.

    `late_ticks`, scalar or shape (n,): by how much more an edge may have been late, for those that
    the firmware counts as late.
    """
    late = np.broadcast_to(np.asarray(late_ticks, np.int64), ticks.shape)
    if (late < 0).any():
        raise ValueError("late_ticks is negative; an edge never leaves before its tick")
    return Brackets(sample, ticks, ticks + late)
