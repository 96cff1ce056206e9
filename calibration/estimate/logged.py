# SPDX-License-Identifier: GPL-3.0-or-later
"""A target's log against the edges of its pin: the pin write, and the counter's clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.estimate.estimate import Estimate
from calibration.estimate.skew import paired
from rig.analysis.clocks.bracket_test import BracketTest, bracket_test
from rig.analysis.clocks.brackets import Brackets, Rates, log_brackets
from rig.analysis.clocks.clock import Clock
from rig.analysis.clocks.counter import diagnose
from rig.analysis.clocks.matching import match
from rig.analysis.clocks.wraps import Wraps, unwrap_after
from rig.instruments import Int64Array, LogArray, UInt8Array

EVEN = 1 / math.sqrt(12)
WARM_PPM_PER_S = 0.01
"""The drift of crystals some minutes after they were switched on, with room to spare."""
NARROW = 1 << 32
"""Readings below this may be of a counter of 32 bits."""
FEWEST = 16
"""The fewest answers from which a clock is fitted."""


@dataclass(frozen=True)
class Logged:
    """The answers that both saw: brackets, level of each edge, and the clock through them."""

    brackets: Brackets
    level: UInt8Array
    """The level after each edge, shape (n,)."""
    origin_ticks: int
    """The counter's value that the brackets count from."""
    test: BracketTest
    unmatched: tuple[str, ...]
    """Edges or records without a partner, in words."""
    modulus: int = 0
    """The value at which the counter wraps, or may do so between two logs; 0: none."""
    wraps: str = ""
    """The wraps that were undone, in words."""

    @property
    def clock(self) -> Clock:
        """The clock through the brackets. Raises ValueError if none fits.

        Where one line fits all, bounds are those of clocks that have warmed up.
        """
        if not self.test.straight:
            return Clock(self.brackets, self.test)
        rates = self.test.rates
        warm = replace(rates, drift_ppm_per_s=min(rates.drift_ppm_per_s, WARM_PPM_PER_S))
        return Clock(self.brackets, replace(self.test, rates=warm))


def logged(index: Int64Array, level: UInt8Array, log: LogArray, rates: Rates) -> Logged:
    """Bring edges of the answering pin, shape (n,), and records, shape (m,), together.

    Raises ValueError for too few that match.
    """
    if len(index) < FEWEST or len(log) < FEWEST:
        raise ValueError(f"{len(index)} edges and {len(log)} records; at least {FEWEST} are needed")
    read = _unwrapped(index, log, rates)
    # Only differences matter: any samples will do to make the ticks relative.
    relative, origin = log_brackets(np.arange(1, len(log) + 1, dtype=np.int64), *read.ticks)
    near = _near_rates(index, relative.before_ticks, rates)
    matching = match(index, relative.before_ticks, relative.after_ticks, near)
    if len(matching.edge) < FEWEST:
        raise ValueError(f"{len(index)} edges and {len(log)} records do not belong together")
    brackets = matching.brackets(index, relative.before_ticks, relative.after_ticks)
    test = bracket_test(brackets, rates)
    return Logged(
        brackets, level[matching.edge], origin, test, matching.findings, read.modulus, read.wraps
    )


@dataclass(frozen=True)
class _Read:
    ticks: tuple[npt.NDArray[Any], npt.NDArray[Any]]
    """Readings before and after each write, shapes (n,), as an endless counter would show them."""
    modulus: int
    wraps: str


def _unwrapped(index: Int64Array, log: LogArray, rates: Rates) -> _Read:
    before, after = log["before_ticks"], log["after_ticks"]
    narrow = max(int(before.max()), int(after.max())) < NARROW
    # Where edges and records are not as many, records stand for their times: one comes like the
    # other, and all come many times in the time that a counter takes to wrap.
    sample = index if len(index) == len(log) else np.arange(len(log), dtype=np.int64)
    found = diagnose(sample, before, rates)
    if found.wraps is not None:
        modulus = found.wraps.modulus
        signed = (before.view(np.int64), after.view(np.int64))
        later = unwrap_after(signed[0], found.ticks, signed[1], modulus)
        return _Read((found.ticks, later), modulus, _wraps(found.wraps))
    if not narrow:
        return _Read((before, after), 0, "")
    # Only the last reading behind a write may be beyond the first wrap.
    later = before + (after - before) % np.uint64(NARROW)
    return _Read((before, later), NARROW, "")


def _wraps(found: Wraps) -> str:
    return f"{found.name}: {int(found.times.sum()):,} wraps undone"


def _near_rates(index: Int64Array, before_ticks: Int64Array, rates: Rates) -> Rates:
    """Return rates to match intervals by: a nominal rate may be far off what the counter does.

    It takes as many edges as records, for then the first belong together, and the last.
    """
    samples, ticks = int(index[-1] - index[0]), int(before_ticks[-1] - before_ticks[0])
    if len(index) != len(before_ticks) or samples <= 0 or ticks <= 0:
        return rates
    return replace(rates, tick_hz=max(1, ticks * rates.sample_rate_hz // samples))


@dataclass(frozen=True)
class PinWrite:
    """What a pin write takes, for one edge direction, in ns."""

    overhead: Estimate
    """The mean time from the reading before the write to the pin's edge."""
    spread: Estimate
    """The standard deviation of single overheads, without what samples and ticks add."""
    took: Estimate
    """The time from the reading before to the reading after: the edge comes within it."""


def pin_write(found: Logged, level: int) -> PinWrite | None:
    """Return what the writes to this level take; None if there are too few.

    Raises ValueError if no clock fits.
    Edge and readings have no common clock but the one that the brackets allow; how far that can be
    shifted with every edge still in its bracket is how uncertain the overhead is. Where writes end
    now early, now late in their brackets that is little; where they always take the same time, it
    is nearly all of the bracket, and no figure from outside could tell more.
    """
    mine = found.level == level
    return _pin_write(found, found.brackets.sample[mine], mine)


def other_pin_write(
    found: Logged, index: Int64Array, level: UInt8Array, to: int
) -> PinWrite | None:
    """Return what the same writes take to move another pin to a level; its indexes: shape (m,).

    An edge belongs to the answer that it is nearest to, within half of the shortest interval.
    """
    answers = found.brackets.sample
    reach = int(np.diff(answers).min()) // 2 if len(answers) > 1 else 0
    mine = paired(answers, index[level == to], reach)
    there = mine >= 0
    return _pin_write(found, index[level == to][mine[there]], there)


def _pin_write(found: Logged, sample: Int64Array, mine: npt.NDArray[np.bool_]) -> PinWrite | None:
    """Return what the marked answers' pin writes take, by their edges, shape (n,)."""
    n = len(sample)
    if n < FEWEST:
        return None
    before, after = found.brackets.before_ticks[mine], found.brackets.after_ticks[mine]
    clock = found.clock
    early, late = clock.at(sample - 1), clock.at(sample)
    shift = late.origin_ticks - early.origin_ticks
    lowest = (early.lowest_ticks + late.lowest_ticks + shift) / 2 + early.origin_ticks
    highest = (early.highest_ticks + late.highest_ticks + shift) / 2 + early.origin_ticks
    tick_ns = found.test.rates.tick_ns
    # A reading is rounded down: on average it is half a tick behind.
    least = (lowest - before - 0.5) * tick_ns
    most = (highest - before - 0.5) * tick_ns
    middle = (least + most) / 2
    took = (after - before) * tick_ns
    # Whatever the clock, the edge is not before the first reading nor after the second.
    lowest_ns = max(0.0, float(least.mean()))
    highest_ns = min(float(took.mean()) + tick_ns, float(most.mean()))
    own = Estimate.between(lowest_ns, max(lowest_ns, highest_ns), n)
    quantum_ns2 = (tick_ns**2 + (1e9 / found.test.rates.sample_rate_hz) ** 2) / 12
    variance = float(middle.var(ddof=1))
    u = math.hypot(own.standard_uncertainty, math.sqrt(variance / n))
    return PinWrite(
        Estimate(own.value, u, n),
        deviation_beyond(middle, quantum_ns2),
        # Both readings are rounded down, and the second is taken at or after the first's tick.
        Estimate(float(took.mean()), tick_ns / math.sqrt(3), n),
    )


def deviation_beyond(values: npt.NDArray[np.float64], known_variance: float) -> Estimate:
    """Return the standard deviation of what is left once a known variance is taken off.

    The variance's own deviation is from the fourth moment; where nothing is left, it says how much
    could be hidden.
    """
    n = len(values)
    variance = float(values.var(ddof=1))
    fourth = float(np.mean((values - values.mean()) ** 4))
    u_variance = math.sqrt(max(0.0, fourth - variance**2) / n) + 1e-12
    left = variance - known_variance
    if left <= 2 * u_variance:
        return Estimate(math.sqrt(max(0.0, left)), math.sqrt(2 * u_variance), n)
    return Estimate(math.sqrt(left), u_variance / (2 * math.sqrt(left)), n)
