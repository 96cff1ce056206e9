# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes beyond the classic figures, back from the JSON in which a run file holds it.

Only what a report says in words comes back whole; what it draws (phases of a tick, residuals of
clocks) is not stored and stays empty. Whether all that is stored came back is checked: what a
version stored that this one does not know is computed again rather than passed over.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.inference.extended import Beyond
from rig.analysis.inference.internal_latency import InsideFigures
from rig.analysis.statistics.average import AverageInterval
from rig.analysis.statistics.changes import Change
from rig.analysis.statistics.correlation import Autocorrelation
from rig.analysis.statistics.interval import Interval
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.statistics.quantiles import Percentile
from rig.analysis.statistics.summary import Figures, ObservedMaximum
from rig.analysis.statistics.tail import Tail, Test
from rig.analysis.statistics.tick import Tick
from rig.analysis.statistics.trend import Trend
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, Distribution, Quantity, Unknown
from rig.session.beyond_json import beyond_json

Stored = dict[str, Any]
MAX: Final = "max"
"""The budget that a report tells first; in the file they are in the order of their names."""
CLOSE: Final = 1e-9
"""Relative: what division and multiplication by a sample's length may change."""
_HALF: Final = 1e-6
"""A figure this near to a whole or half sample is one: it was before it became nanoseconds."""


def stored_beyond(stored: Stored | None, sample_ns: float) -> Beyond | None:
    """None if none is stored, or not all of it came back: then it has to be computed again."""
    if stored is None:
        return None
    try:
        found = _beyond(stored, sample_ns)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    return found if same(beyond_json(found), stored) else None


def same(one: object, other: object) -> bool:
    """Equal, numbers but for the last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, int | float) and isinstance(other, int | float)
        return numbers and math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-12)  # type: ignore[arg-type]
    return one == other


def _beyond(stored: Stored, sample_ns: float) -> Beyond:
    overruns = dict(stored["overruns"])
    n = overruns.pop("events")
    statistics, clock, inside = stored["statistics"], stored["clock"], stored["inside"]
    budgets = stored["uncertainty"]
    return Beyond(
        sample_ns,
        None if statistics is None else Figured(sample_ns).figures(statistics),
        Overruns(n=n, **overruns),
        None if clock is None else _clock(clock),
        None if inside is None else _inside(inside),
        {
            name: stored_budget(budgets[name])
            for name in sorted(budgets, key=lambda name: name != MAX)
        },
    )


class Figured:
    """From nanoseconds to samples."""

    def __init__(self, sample_ns: float) -> None:
        self._sample_ns = sample_ns

    def samples(self, time_ns: float) -> float:
        found = time_ns / self._sample_ns
        nearest = round(2 * found) / 2
        return nearest if abs(found - nearest) < _HALF else found

    def interval(self, stored: Stored) -> Interval:
        low, high = stored["low_ns"], stored["high_ns"]
        return Interval(
            None if low is None else self.samples(low),
            None if high is None else self.samples(high),
            stored["confidence"],
        )

    def figures(self, stored: Stored) -> Figures:
        average, tail = stored["average"], stored["tail"]
        return Figures(
            average=None
            if average is None
            else AverageInterval(self.interval(average), average["effective_n"], math.nan),
            median=self.interval(stored["median"]),
            percentiles=tuple(map(self._percentile, stored["percentiles"])),
            maximum=self._maximum(stored["maximum"]),
            autocorrelation=Autocorrelation((), math.nan, stored["independence_p_value"], math.nan),
            trend=None if stored["trend"] is None else self._trend(stored["trend"]),
            changes=tuple(map(self._change, stored["changes"])),
            tick=Tick(**stored["tick"]),
            tail=None if tail is None else self._tail(tail),
            exact=stored["exact"],
        )

    def _percentile(self, stored: Stored) -> Percentile:
        value = self.samples(stored["value_ns"])
        return Percentile(stored["percent"], value, self.interval(stored))

    def _maximum(self, stored: Stored) -> ObservedMaximum:
        return ObservedMaximum(
            round(self.samples(stored["value_ns"])),
            stored["n"],
            stored["effective_n"],
            stored["probability_beyond"],
            stored["confidence"],
        )

    def _trend(self, stored: Stored) -> Trend:
        change = stored["change_ns"] / self._sample_ns
        return Trend(stored["p_value"], change, self.interval(stored), math.nan)

    def _change(self, stored: Stored) -> Change:
        before, after = (stored[name] / self._sample_ns for name in ("before_ns", "after_ns"))
        return Change(stored["kind"], stored["event"], before, after, stored["p_value"])

    def _tail(self, stored: Stored) -> Tail:
        level, interval = stored["level_ns"], stored["interval"]
        refused = stored["refused"].split("; ") if stored["refused"] else []
        named = [reason.partition(": ") for reason in refused]
        return Tail(
            stored["probability"],
            tuple(Test(name, False, text) for name, _, text in named),
            exceedances=stored["exceedances"],
            shape=stored["shape"],
            level=None if level is None else level / self._sample_ns,
            interval=None if interval is None else self.interval(interval),
        )


def _clock(stored: Stored) -> ClockAgreement:
    rate_ppm = stored["rate_ppm"]
    return ClockAgreement(
        stored["events"], stored["of"], stored["holds"], "", tuple(stored["findings"]),
        stored["slack_ns"], rate_ppm,
    )  # fmt: skip


def _inside(stored: Stored) -> InsideFigures:
    nothing = np.empty(0)
    return InsideFigures(
        stored["events"], stored["average_ns"], stored["min_ns"], stored["max_ns"],
        stored["within_ns"], stored["rest_average_ns"], (nothing, nothing),
    )  # fmt: skip


def stored_budget(stored: Stored) -> Budget:
    return Budget(
        stored["figure"],
        stored["indicated_ns"],
        tuple(map(stored_contribution, stored["contributions"])),
        tuple(Unknown(each["name"], each["remedy"]) for each in stored["unknown"]),
    )


def stored_contribution(stored: Stored) -> Contribution:
    degrees = stored["degrees_of_freedom"]
    quantity = Quantity(
        stored["estimate"],
        stored["standard_uncertainty"],
        stored["unit"],
        Distribution(stored["distribution"]),
        stored["type"],
        stored["source"],
        math.inf if degrees is None else degrees,
    )
    return Contribution(stored["name"], quantity, stored["sensitivity"])
