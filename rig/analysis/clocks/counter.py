# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters that are no clocks: narrow ones that wrap, ones that jump, stop, or change their rate.

Wraps are undone, since the modulus gives their size, and the diagnosis lists them. A jump or a rate
that changes is named and left in, since nobody knows what was lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.brackets import Rates
from rig.analysis.clocks.wraps import Wraps, find_wraps, unwrap
from rig.arrays import FloatArray
from rig.instruments import Int64Array

NAMED_MAX = 100
_BESIDE = 5
"""Values around a place, whose median is taken for the usual one there."""
_AROUND = 21
"""Values around a place for jumps, which late stamps in a row must not look like."""
_CRYSTAL = 300e-6
"""No crystal changes its rate by so much within a run."""
_SMALL = 5e-4
"""Share of an interval; a smaller jump is left to the bracket test, which allows late stamps."""
_LASTING = 8
"""Intervals that a rate must last to be one."""
_NOISE = 10.0
"""Multiples of the usual departure that count as unusual."""


class FaultKind(StrEnum):
    """A behavior of a counter that a clock does not have."""

    WRAPS = "wraps"
    JUMPS = "jumps"
    STANDS = "stands still"
    SCALES = "rate changes"


@dataclass(frozen=True)
class Fault:
    """One fault of a counter, at one place."""

    kind: FaultKind
    event: int
    """The first event behind it."""
    size: float
    """Modulus; ticks jumped, signed; ticks missing; new rate by old."""
    text: str


@dataclass(frozen=True)
class Diagnosis:
    """The faults of a counter, and its readings with the wraps undone."""

    faults: tuple[Fault, ...]
    wraps: Wraps | None
    ticks: Int64Array
    """The readings, wraps undone, shape (n,); from 0 if they were of 64 unsigned bits."""
    notes: tuple[str, ...]
    """What was done to the readings, and what could not be decided."""
    complete: bool = True
    """False: more than NAMED_MAX of one kind, the others are not listed."""

    @property
    def is_clock(self) -> bool:
        """Whether a clock can be fitted to `ticks`."""
        return all(fault.kind is FaultKind.WRAPS for fault in self.faults)

    @property
    def findings(self) -> tuple[str, ...]:
        """The faults and notes, a line each, the notes last."""
        more = () if self.complete else (f"and more; of each kind {NAMED_MAX} are told",)
        return (*(fault.text for fault in self.faults), *more, *self.notes)


def diagnose(sample: Int64Array, ticks: npt.NDArray[Any], rates: Rates) -> Diagnosis:
    """Find the faults in a counter's readings at edges, shapes (n,), samples rising.

    `ticks`: as read, signed or unsigned; values of 2^62 and more are taken relative to the first,
    modulo 2^64.
    """
    readings = _signed(ticks)
    if len(readings) < 3:
        return Diagnosis((), None, readings, ("too few events to judge the counter by",))
    rate = _usual_rate(sample, readings)
    if not rate:
        text = "counter never goes forward"
        stuck = Fault(FaultKind.STANDS, 1, float("nan"), text)
        return Diagnosis((stuck,), None, readings, ())
    wraps = find_wraps(sample, readings, rate)
    notes = [_wrap_note(wraps, readings, rates)]
    faults: list[Fault] = []
    if wraps is not None:
        faults += [_wrap(wraps, event) for event in wraps.events.tolist()]
        readings = unwrap(readings, wraps)
    standing, ends = _standing(sample, readings, rate)
    changes = _rate_changes(sample, readings, rate)
    faults += [*standing, *changes]
    taken = [fault.event for fault in (*standing, *changes)]
    taken += ends
    faults += _jumps(sample, readings, taken, rates)
    kept, complete = _capped(faults)
    return Diagnosis(kept, wraps, readings, tuple(filter(None, notes)), complete)


def _signed(ticks: npt.NDArray[Any]) -> Int64Array:
    if len(ticks) and int(ticks.max()) >= 1 << 62:
        return (ticks.astype(np.uint64) - np.uint64(ticks[0])).view(np.int64)
    return ticks.astype(np.int64)


def _usual_rate(sample: Int64Array, ticks: Int64Array) -> float:
    """Return the ticks per sample in most intervals that go forward; 0 if none does."""
    steps = np.diff(ticks)
    forward = steps > 0
    if not forward.any():
        return 0.0
    return float(np.median(steps[forward] / np.diff(sample)[forward]))


def _wrap_note(wraps: Wraps | None, ticks: Int64Array, rates: Rates) -> str:
    if wraps is not None:
        return f"{wraps.name}: {int(wraps.times.sum()):,} wraps undone"
    if int(ticks.min()) >= 0 and int(ticks.max()) < 1 << 32:
        after_s = (1 << 32) / rates.tick_hz
        return f"no reading needs more than 32 bits; such a counter wraps every {after_s:.3g} s"
    return ""


def _wrap(wraps: Wraps, event: int) -> Fault:
    text = f"{wraps.name} wraps before event {event:,}"
    return Fault(FaultKind.WRAPS, event, float(wraps.modulus), text)


def _standing(sample: Int64Array, ticks: Int64Array, rate: float) -> tuple[list[Fault], list[int]]:
    """Return stretches of two or more intervals in which the counter stands, and their ends."""
    still = np.concatenate([[False], np.diff(ticks) == 0, [False]])
    edges = np.diff(still.astype(np.int8))
    found, ends = [], []
    for first, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        missing = float(sample[stop] - sample[first]) * rate
        if stop - first >= 2 and missing > _LASTING:
            text = f"counter stands still from event {first:,} to {stop:,}"
            found.append(Fault(FaultKind.STANDS, int(first) + 1, missing, text))
            ends.append(int(stop) + 1)
    return found, ends


def _rate_changes(sample: Int64Array, ticks: Int64Array, rate: float) -> list[Fault]:
    """Return the steps between a few lasting rates."""
    local = _running_median(np.diff(ticks) / np.diff(sample), _BESIDE)
    level = np.log(np.where(local > 0, local, rate))
    apart = max(_CRYSTAL, _NOISE * float(np.median(np.abs(np.diff(level)))))
    ordered = np.sort(level)
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > apart) + 1)
    levels = np.array([float(np.median(g)) for g in groups if len(g) >= _LASTING])
    if len(levels) < 2:
        return []
    nearest = levels[np.abs(level[:, None] - levels).argmin(1)] if len(levels) <= 64 else level
    nearest = _running_median(nearest, _BESIDE)
    found = []
    for at in np.flatnonzero(np.diff(nearest)).tolist():
        factor = float(np.exp(nearest[at + 1] - nearest[at]))
        text = (
            f"counter's rate changes about event {at + 1:,}: {factor:.4g} times what it was "
            f"({len(levels)} rates in all)"
        )
        found.append(Fault(FaultKind.SCALES, at + 1, factor, text))
    return found


def _jumps(sample: Int64Array, ticks: Int64Array, taken: list[int], rates: Rates) -> list[Fault]:
    """Return where the count is off by the same from then on; one false record is no jump."""
    local = _running_median(np.diff(ticks) / np.diff(sample), _AROUND)
    off = np.diff(ticks) - local * np.diff(sample)
    usual = float(np.median(np.abs(off)))
    unusual = np.abs(off) > _NOISE * usual + 2 + _SMALL * local * np.diff(sample)
    unusual[-_BESIDE:] = False  # too near the end to tell
    at = np.flatnonzero(unusual)
    course = np.concatenate([[0.0], np.cumsum(off)])
    step = _median_of(course, at + 1, _AROUND) - _median_of(course, at + 1 - _AROUND, _AROUND)
    lasting = np.abs(step - off[at]) <= np.abs(off[at]) / 2
    places = np.sort(np.array(taken, np.int64))
    beside = np.searchsorted(places, at + 1 - _AROUND) != np.searchsorted(places, at + 2 + _AROUND)
    return [
        _jump(event, float(off[event - 1]), rates)
        for event in (at[lasting & ~beside][: NAMED_MAX + 1] + 1).tolist()
    ]


def _jump(event: int, ticks: float, rates: Rates) -> Fault:
    way = "forward" if ticks > 0 else "back"
    or_samples = ", or samples of that time are missing," if ticks > 0 else ""
    size = f"{abs(ticks):,.0f} ticks ({abs(ticks) / rates.tick_hz * 1e6:,.3f} us)"
    text = f"counter jumps {way} by {size}{or_samples} before event {event:,}"
    return Fault(FaultKind.JUMPS, event, ticks, text)


def _median_of(values: FloatArray, first: Int64Array, count: int) -> FloatArray:
    """Return medians of `count` values from each of these on, shape (m,); ends are repeated."""
    at = np.clip(first[:, None] + np.arange(count), 0, len(values) - 1)
    median: FloatArray = np.sort(values[at], axis=1)[:, count // 2]
    return median


def _running_median(values: FloatArray, count: int) -> FloatArray:
    """Return the median of the `count` values around each; the ends are repeated."""
    from scipy import ndimage  # only where a counter is looked at

    median: FloatArray = ndimage.median_filter(values, count, mode="nearest")
    return median


def _capped(faults: list[Fault]) -> tuple[tuple[Fault, ...], bool]:
    kept = []
    for kind in FaultKind:
        kept += [fault for fault in faults if fault.kind is kind][:NAMED_MAX]
    return tuple(kept), len(kept) == len(faults)
