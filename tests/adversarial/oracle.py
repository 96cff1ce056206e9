# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run's figures should have been, from the bench's truth alone, and how far off they are.

Nothing of `rig.analysis` is used: classes, latencies and figures are made of the true times of
edges, and compared with what `rig show --json` prints.

A fixture that is wrong about a delay is to be told from a sample and a cycle of the capture's clock
on, since the input capture is the witness. No witness tells of a smaller one: figures are judged by
the latencies that are at the analyzer's inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.instruments import UNKNOWN_PS
from rig.virtual.target import BOOT_TICKS

_PS_PER_S = 10**12
_MISSED, _MERGED = 1, 2
_LIMITS = {"rectangular": 3**0.5, "triangular": 6**0.5}
"""Half a distribution's width in standard deviations; of others 3 are taken."""
_CAPTURE_CYCLE_NS = 62.5
_ANSWERED_CLASS, _LATE_CLASS, _MISSED_CLASS, _MERGED_CLASS = range(4)


@dataclass(frozen=True)
class Judgment:
    """Of one run."""

    number: int
    faults: tuple[str, ...]
    verdict: str
    errors: tuple[str, ...]
    """Figures that are off by more than their uncertainty, and wrong classes."""
    covered: tuple[bool, ...]
    """Of each figure with an uncertainty: whether the true value is within it."""
    reason: str = ""
    """The gravest reason of the verdict, or why there is no verdict."""

    @property
    def wrong(self) -> bool:
        """It passed with a wrong figure."""
        return self.verdict == "pass" and bool(self.errors)


def true_classes(truth: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
    """Of each stimulus: answered 0, late 1, missed 2, merged 3; shape (n,)."""
    following = np.append(truth["stimulus_ps"][1:], np.iinfo(np.int64).max)
    late = truth["response_ps"] >= following
    classes = np.where(late, _LATE_CLASS, _ANSWERED_CLASS)
    classes[truth["kind"] == _MISSED] = _MISSED_CLASS
    classes[truth["kind"] == _MERGED] = _MERGED_CLASS
    return classes


@dataclass(frozen=True)
class Scales:
    """What the fixture says of the bench's clocks."""

    sample_ns: float
    """Nominal period of the samples."""
    analyzer_ppb: int
    """How much faster than nominal the analyzer samples."""
    counter_hz: int
    """Nominal rate of the target's counter."""
    counter_ppb: int
    """How much faster than that it really runs."""
    delay_ns: float = 0.0
    """Of the response channel less the stimulus channel, of which the fixture says nothing."""

    @property
    def told_ns(self) -> float:
        """A false delay from this size on is to be told."""
        return self.sample_ns + _CAPTURE_CYCLE_NS

    def begin_of_write_ps(self, ticks: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """True time of readings of the counter before the pin write; shape (n,)."""
        since = ticks.astype(np.int64) - BOOT_TICKS
        return since * (_PS_PER_S / (self.counter_hz * (1 + self.counter_ppb / 1e9)))

    def true_ns(self, indicated_ns: float) -> float:
        """A duration by the analyzer's clock, in true nanoseconds."""
        return indicated_ns / (1 + self.analyzer_ppb / 1e9)


def judge_interrupts(
    shown: dict[str, Any],
    events: dict[str, npt.NDArray[np.int64]],
    truth: npt.NDArray[np.void],
    scales: Scales,
) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Errors and coverage of a run of interrupt latencies.

    `shown`: the document of `rig show --json`. `events`: the run file's columns.
    """
    primary = shown["measurands"][0]
    own = primary["statistics"]
    errors = [*_classes(shown["counts"], events, truth)]
    served = truth["kind"] != _MISSED
    true_ns = (truth["response_ps"] - truth["stimulus_ps"])[served] / 1e3 + scales.delay_ns
    if abs(scales.delay_ns) > scales.told_ns:
        errors.append(f"a delay of {scales.delay_ns:.1f} ns was not told")
    if not len(true_ns) or own["max_ns"] is None:
        return tuple(errors), ()
    budgets = primary["budgets"]
    covered = []
    for key, wanted in (("max", true_ns.max()), ("average", true_ns.mean())):
        budget = budgets[key]
        pin_write_ns, limit_ns = _offset_and_limit(budget)
        error_ns = budget["corrected"] + pin_write_ns - wanted
        covered.append(bool(abs(error_ns) <= budget["expanded"]))
        if abs(error_ns) > limit_ns:
            errors.append(f"{key} is off by {error_ns:.1f} ns, allowed {limit_ns:.1f} ns")
    allowed_ns = budgets["max"]["expanded"] + scales.sample_ns
    for key, wanted in _quantiles(true_ns).items():
        error_ns = scales.true_ns(own[key]) - wanted
        if abs(error_ns) > allowed_ns:
            errors.append(f"{key} is off by {error_ns:.1f} ns, allowed {allowed_ns:.1f} ns")
    return (*errors, *_inside(shown["internal_latency"], events, truth, scales)), tuple(covered)


def _quantiles(true_ns: npt.NDArray[np.float64]) -> dict[str, float]:
    return {
        "min_ns": float(true_ns.min()),
        "median_ns": float(np.median(true_ns)),
        "deviation_ns": float(true_ns.std()),
    }


def _offset_and_limit(budget: dict[str, Any]) -> tuple[float, float]:
    """What the pin write was taken to last, and how far off the figure can be at most, in ns.

    U is exceeded once in twenty runs, as it says. What all contributions allow together, each at
    the limit of its distribution, is never exceeded: a figure beyond that is wrong. The scatter of
    the values has no part in how far a run's own average is off.
    """
    parts = budget["contributions"]
    quantities = [(part, part["quantity"]) for part in parts]
    pin_write_ns = sum(q["estimate"] for p, q in quantities if p["name"] == "agent's pin write")
    limit_ns = sum(
        _LIMITS.get(q["distribution"], 3.0) * p["uncertainty"]
        for p, q in quantities
        if q["evaluation"] == "B"
    )
    return pin_write_ns, limit_ns


def _classes(
    counts: dict[str, Any], events: dict[str, npt.NDArray[np.int64]], truth: npt.NDArray[np.void]
) -> list[str]:
    found, wanted = events["status"], true_classes(truth)
    if len(found) != len(wanted):
        return [f"{len(found)} events of {len(wanted)}"]
    told = (found == wanted) | (found > _MERGED_CLASS)  # what is undecided is no wrong figure
    errors = []
    if not told.all():
        first = int(np.flatnonzero(~told)[0])
        errors.append(
            f"{np.count_nonzero(~told)} wrong classes, the first that of event {first}: "
            f"{found[first]} for {wanted[first]}"
        )
    for name in ("duplicate", "glitches"):
        column = "duplicates" if name == "duplicate" else name
        if counts[name] != truth[column].sum():
            errors.append(f"{name} {counts[name]} for {truth[column].sum()}")
    return errors


def _inside(
    inside: dict[str, Any] | None,
    events: dict[str, npt.NDArray[np.int64]],
    truth: npt.NDArray[np.void],
    scales: Scales,
) -> list[str]:
    if inside is None or len(events.get("internal_latency_ps", ())) != len(truth):
        return []
    known = (events["internal_latency_ps"] != UNKNOWN_PS) & (truth["before_ticks"] > 0)
    begin_ps = scales.begin_of_write_ps(truth["before_ticks"])
    true_ns = (begin_ps - truth["stimulus_ps"])[known] / 1e3
    shown_ns = events["internal_latency_ps"][known] / 1e3 - scales.delay_ns
    off_ns = shown_ns / (1 + scales.analyzer_ppb / 1e9) - true_ns
    worst_ns = float(np.abs(off_ns).max(initial=0))
    tick_ns = 1e9 / scales.counter_hz
    if worst_ns <= inside["within_ns"] + tick_ns:
        return []
    return [f"a latency inside is off by {worst_ns:.1f} ns, bound {inside['within_ns']:.1f} ns"]
