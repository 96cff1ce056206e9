# SPDX-License-Identifier: GPL-3.0-or-later
"""A check that a constant delay that was fitted to a run's data can be true of its bench.

The stimulus channel, the response channel and the capture pin each show an edge some time after it
was at the target's pin. A latency by the analyzer is too long by the response's delay less the
stimulus's. The input capture, and the target's log where it has both edges, show the same latency
without one of these, so that the delay in which they differ is known, up to its own limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rig.analysis.crosscheck.witness import CaptureComparison, DifferenceRange
from rig.analysis.model.witness import Witness
from rig.analysis.uncertainty.chips import CaptureTiming
from rig.analysis.uncertainty.contribution import UncertainQuantity, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.arrays import BoolArray, FloatArray

_OTHERWISE: Final = 3.0
"""Number of standard uncertainties that count as the limit of a quantity without limits."""


@dataclass(frozen=True)
class PathDelay:
    """The known delay of one path less that of another."""

    estimate_ns: float
    reach_ns: float
    """Largest departure from the estimate."""
    is_known: bool
    """False: part of the reach is an allowance for what is neither calibrated nor stated."""
    source: str


@dataclass(frozen=True)
class ConstantDelay:
    """A constant that was fitted, and its limits."""

    name: str
    value_ns: float
    within_ns: float
    """Error that the run leaves, either way."""
    low_ns: float
    high_ns: float
    """Limits of the constant."""
    source: str
    """Source of the limits."""
    if_large: str
    """Possible cause if it is too large."""
    if_small: str

    @property
    def agrees(self) -> bool:
        """Whether the constant is within its limits, as far as it is known."""
        low, high = self.low_ns - self.within_ns, self.high_ns + self.within_ns
        return low <= self.value_ns <= high

    @property
    def text(self) -> str:
        """The constant and its limits in one line, for reports."""
        shown = f"{self.value_ns:,.1f} +- {self.within_ns:,.1f} ns"
        allowed = f"{self.low_ns:,.1f} to {self.high_ns:,.1f} ns"
        if self.agrees:
            return f"{shown}, may be {allowed}"
        cause = self.if_large if self.value_ns > self.high_ns else self.if_small
        return f"{shown}, may be {allowed} ({self.source}): {cause}"

    @property
    def witness(self) -> Witness:
        """The result as a comparison of witnesses."""
        return Witness(self.name, self.agrees, self.text)


def response_path(bench: BenchErrorModel) -> PathDelay:
    """Return the response's delay less the stimulus's, from the pins to what the analyzer shows."""
    names = ("channel skew", "threshold and edge shape", "line delay")
    parts = dict(zip(names, (bench.skew_ns, bench.edge_shape_ns, bench.line_ns), strict=True))
    if bench.is_calibrated:
        parts = {"calibration": bench.calibration_ns}
    return _path(bench, parts, sum(_reach(part) for part in (bench.edge_direction_ns,) if part))


def task_path(bench: BenchErrorModel) -> PathDelay:
    """Return the task channel's delay less the response's, from the pins to the analyzer."""
    if bench.task_skew_ns is not None:
        parts: dict[str, UncertainQuantity | None] = {"channel skew": bench.task_skew_ns}
    else:
        both = {"channel skew": bench.skew_ns, "line delay": bench.line_ns}
        # Found for other channels: how large it may be, but not which way.
        parts = {
            name: None if part is None else limits(abs(part.estimate) + _reach(part), "ns", "")
            for name, part in both.items()
        }
    return _path(bench, parts, 0.0)


def _path(
    bench: BenchErrorModel, parts: dict[str, UncertainQuantity | None], more_ns: float
) -> PathDelay:
    known = [part for part in parts.values() if part is not None]
    missing = [name for name, part in parts.items() if part is None]
    reach_ns = math.fsum(_reach(part) for part in known) + more_ns
    if not missing:
        source = "; ".join(dict.fromkeys(f"channels: {part.source}" for part in known))
        return PathDelay(math.fsum(q.estimate for q in known), reach_ns, True, source)
    allowed = bench.delay_allowance_ns
    source = f"{allowed:g} ns allowed for {' and '.join(missing)} that nobody states"
    return PathDelay(math.fsum(part.estimate for part in known), reach_ns + allowed, False, source)


def _reach(quantity: UncertainQuantity) -> float:
    """Return the limit of a quantity, or what counts as one."""
    return quantity.half_width(_OTHERWISE)


def capture_delay(
    capture: CaptureComparison | None,
    bench: BenchErrorModel,
    channels: tuple[int, int],
    *,
    some_late: bool,
) -> ConstantDelay | None:
    """Return the input capture's constant: chip, wire to its pin, less what the analyzer shows.

    `channels`: those of stimulus and response. `some_late`: pulses left later than planned, which
    makes differences larger, never smaller. None if it is not known.
    """
    timing = bench.capture_timing
    if capture is None or not capture.n or timing is None:
        return None
    excesses = [_excess(found, capture, timing, some_late=some_late) for found in capture.constants]
    if any(low_ns > high_ns for low_ns, high_ns in excesses):
        return None  # no constant: that is what the comparison itself tells
    path, wire = response_path(bench), _capture_wire(bench)
    middle_ns = (timing.low_cycles + timing.high_cycles) / 2 * capture.tick_ns
    expected_ns = middle_ns + wire.estimate_ns - path.estimate_ns
    reach_ns = path.reach_ns + wire.reach_ns
    # Of rising and falling answers, those that are farther from what is expected.
    low_ns, high_ns = max(excesses, key=lambda each: abs(middle_ns + sum(each) / 2 - expected_ns))
    stimulus, response = (f"D{channel}" for channel in channels)
    sources = (timing.source, path.source, f"capture pin: {wire.source}")
    return ConstantDelay(
        name="delay of the input capture",
        value_ns=middle_ns + (low_ns + high_ns) / 2,
        within_ns=(high_ns - low_ns) / 2,
        low_ns=expected_ns - reach_ns,
        high_ns=expected_ns + reach_ns,
        source="; ".join(dict.fromkeys(sources)),
        if_large=f"edges of the stimulus reach the analyzer late (wire or input {stimulus}: then "
        "each latency is too short by it), or those of the response reach the capture pin late",
        if_small=f"edges of the response reach the analyzer late (wire or input {response}: then "
        "each latency is too long by it), or the capture pin hears another wire",
    )


def _excess(
    found: DifferenceRange, capture: CaptureComparison, timing: CaptureTiming, *, some_late: bool
) -> tuple[float, float]:
    """Return limits of delays beyond the middle of the chip's own that fit all differences."""
    tick_ns, sample_ns = capture.tick_ns, capture.sample_ns
    half_ns = (timing.high_cycles - timing.low_cycles) / 2 * tick_ns
    middle_ns = (timing.high_cycles + timing.low_cycles) / 2 * tick_ns
    highest_ns = found.lowest_ns if some_late else found.highest_ns
    return (
        highest_ns - middle_ns - half_ns - sample_ns,
        found.lowest_ns - middle_ns + half_ns + sample_ns,
    )


def _capture_wire(bench: BenchErrorModel) -> PathDelay:
    known = bench.capture_line_ns
    if known is not None:
        return PathDelay(known.estimate, _reach(known), True, known.source)
    allowed = bench.delay_allowance_ns
    return PathDelay(0.0, allowed, False, f"{allowed:g} ns allowed for a wire that nobody states")


def with_capture_room(bench: BenchErrorModel, found: ConstantDelay | None) -> BenchErrorModel:
    """Return the bench with unstated delays known as far as the input capture confirms them."""
    path = response_path(bench)
    if found is None or path.is_known or bench.capture_timing is None:
        return bench
    wire = _capture_wire(bench)
    # What the constant departs from its expected value may all be the response's path.
    middle_ns = (found.low_ns + found.high_ns) / 2
    off_ns = abs(found.value_ns - middle_ns) + found.within_ns + wire.reach_ns
    return with_wires(bench, off_ns, "not stated: as far as the input capture bears it out")


def with_wires(bench: BenchErrorModel, off_ns: float, source: str) -> BenchErrorModel:
    """Return the bench with all unstated delays together no more than this, either way."""
    return replace(bench, wires_ns=limits(off_ns, "ns", source))


@dataclass(frozen=True)
class DelayRange:
    """Delays that fit the records of all events: from `low_ns` to `high_ns`; n events."""

    n: int = 0
    low_ns: float = -math.inf
    high_ns: float = math.inf
    largest_ns: float = 0.0
    """Largest error of any time, by its own two records."""
    likely_ns: tuple[float, float] = (-math.inf, math.inf)
    """Delays between these are taken where most events allow one."""

    @classmethod
    def about(cls, path: PathDelay) -> DelayRange:
        """Return the range before any event, of a path of known delay."""
        least_ns, most_ns = path.estimate_ns - path.reach_ns, path.estimate_ns + path.reach_ns
        return cls(likely_ns=(least_ns, most_ns))

    def narrowed(self, low_ns: FloatArray, high_ns: FloatArray) -> tuple[DelayRange, BoolArray]:
        """Return the range with more events, each of delays `low_ns` to `high_ns`, shapes (n,).

        Returns which of them do not fit, too: all those that allow none of the delays that most of
        them, and the events so far, have in common.
        """
        if not len(low_ns):
            return self, np.zeros(0, bool)
        low, high = np.maximum(low_ns, self.low_ns), np.minimum(high_ns, self.high_ns)
        if not (low <= high).any():
            return self, np.ones(len(low), bool)
        common = self._common(low, high)
        fits = (low <= common) & (common <= high)
        reach = np.maximum(np.abs(low_ns[fits]), np.abs(high_ns[fits])).max()
        found = replace(
            self,
            n=self.n + len(low_ns),
            low_ns=float(low[fits].max()),
            high_ns=float(high[fits].min()),
            largest_ns=max(self.largest_ns, float(reach)),
        )
        return found, ~fits

    def _common(self, low: FloatArray, high: FloatArray) -> float:
        """Return the delay that most events allow: a likely one, if half of them allow one."""
        possible = low <= high
        begins, ends = np.sort(low[possible]), np.sort(high[possible])
        for places in (np.clip(begins, *self.likely_ns), begins):
            allowing = np.searchsorted(begins, places, side="right") - np.searchsorted(
                ends, places, side="left"
            )
            best = int(np.argmax(allowing))
            if 2 * int(allowing[best]) >= len(begins):
                break
        return float(places[best])


def logged_delay(
    name: str, found: DelayRange, path: PathDelay, causes: tuple[str, str]
) -> ConstantDelay | None:
    """Return the delay between two channels, both of whose edges the target's log encloses.

    `causes`: if it is too large, if it is too small. None if nothing was compared.
    """
    if not found.n:
        return None
    return ConstantDelay(
        name=name,
        value_ns=(found.low_ns + found.high_ns) / 2,
        within_ns=(found.high_ns - found.low_ns) / 2,
        low_ns=path.estimate_ns - path.reach_ns,
        high_ns=path.estimate_ns + path.reach_ns,
        source=path.source,
        if_large=causes[0],
        if_small=causes[1],
    )
