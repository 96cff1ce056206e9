# SPDX-License-Identifier: GPL-3.0-or-later
"""A check that the clocks of a run can all be what they declare, and which of them cannot.

Each clock but the analyzer's was measured against the analyzer's. So each limit on a clock's error,
together with its measured rate, is a limit on the error of the analyzer's clock: the clocks agree
if one error of the analyzer's clock fits all limits. If none does, the explanation is the smallest
set of clocks without which the rest agrees.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rig.analysis.model.witness import Witness
from rig.analysis.uncertainty.clock_limits import (
    ANALYZER,
    COUNTER,
    CRYSTAL_PPM,
    STIMULUS,
    TIMER,
    ClockLimit,
    ClockLimits,
)
from rig.analysis.uncertainty.contribution import limits
from rig.analysis.uncertainty.error_model import BenchErrorModel

NAME = "clocks"
"""Name of the witness."""
_PPM = 1e-6
_LEAST = 1e-9
"""Least ratio of a clock's rate to what it declares."""
_ENOUGH_CLOCKS = 3
_FAR_BETTER = 10
_OF_RESONATOR = (
    "a ceramic resonator drifts while it warms up and near a hand or a draft (cover the board, "
    "wait a minute, measure again; `rig stimulus probe` if it stays so)"
)
_DEVICES = {ANALYZER: "analyzer", STIMULUS: "stimulus", COUNTER: "target", TIMER: "target"}
"""Devices of clocks. Those of one may share a crystal: they do not confirm each other."""
_REMEDY = {
    ANALYZER: "",
    STIMULUS: "a stimulus train",
    COUNTER: "a target's log with the rate of its counter",
}


@dataclass(frozen=True)
class ClockRate:
    """The rate of one clock by the analyzer's, against what both declare."""

    clock: str
    ppm: float
    within_ppm: float
    """Largest error of the measured difference."""
    declared_hz: float | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for what is no rate."""
        if not (self.ppm > -1e6 and math.isfinite(self.ppm) and self.within_ppm >= 0):
            raise ValueError(f"{self.clock}: rate {self.ppm} +- {self.within_ppm} ppm")


@dataclass(frozen=True)
class ClockPair:
    """Two clocks, the difference of their rates, and its limits."""

    clock: str
    reference: str
    difference_ppm: float
    """Difference of the first against the second, from what both declare."""
    within_ppm: float
    """Largest error of that difference."""
    low_ppm: float
    high_ppm: float
    """Limits of the difference."""
    source: str
    """Source of the limits."""

    @property
    def agrees(self) -> bool:
        """Whether the difference is within its limits, as far as it is known."""
        low, high = self.low_ppm - self.within_ppm, self.high_ppm + self.within_ppm
        return low <= self.difference_ppm <= high

    @property
    def text(self) -> str:
        """The difference and its limits in one clause."""
        return (
            f"{self.clock} against {self.reference} {shown_ppm(self.difference_ppm)} "
            f"({'within' if self.agrees else 'NOT within'} {shown_ppm(self.low_ppm)} to "
            f"{shown_ppm(self.high_ppm)})"
        )


@dataclass(frozen=True)
class ClockComparison:
    """All pairs of a run's clocks, and what follows from them."""

    pairs: tuple[ClockPair, ...]
    suspects: tuple[tuple[str, ...], ...] = ()
    """Smallest sets of clocks without which the rest agrees; none if all agree."""
    text: str = ""
    limits: tuple[tuple[str, ClockLimit], ...] = ()
    """Limits of each clock by its name."""
    analyzer_low_ppm: float | None = None
    analyzer_high_ppm: float | None = None
    """Limits of the analyzer's error by the other clocks alone; None: these exclude each other."""

    @property
    def agrees(self) -> bool:
        """Whether all clocks can be what they declare."""
        return not self.suspects

    @property
    def witness(self) -> Witness:
        """The result as a comparison of witnesses."""
        return Witness(NAME, self.agrees, self.text)


def compare_clocks(
    rates: Sequence[ClockRate], known: ClockLimits, sample_rate_hz: int
) -> ClockComparison | None:
    """Compare all clocks of a run; None if only the analyzer's was there.

    Those that were calibrated against this analyzer are compared with what they were then, too.
    """
    if not rates:
        return None
    found = _compare(rates, known, sample_rate_hz)
    changes = _changes(rates, known)
    if not found.agrees or not changes:
        return found
    changed = _compare(changes, known.of_changes(), sample_rate_hz)
    pairs = tuple(_narrowed(pair, changes, changed, rates) for pair in found.pairs)
    if changed.agrees:
        return replace(found, pairs=pairs)
    sources = " and ".join(dict.fromkeys(each.source for each in known.calibrated))
    text = f"since {sources} rates have changed by more than clocks do: {changed.text}"
    return replace(found, pairs=pairs, suspects=changed.suspects, text=text)


def _changes(rates: Sequence[ClockRate], known: ClockLimits) -> tuple[ClockRate, ...]:
    """Return how much faster each clock is by the analyzer's than when it was calibrated."""
    calibrated = {each.clock: each for each in known.calibrated}
    found = []
    for rate in rates:
        if (was := calibrated.get(rate.clock)) is None:
            continue
        course = 1 + was.ppm * _PPM
        change = ((1 + rate.ppm * _PPM) / course - 1) / _PPM
        within = (rate.within_ppm + was.within_ppm) / max(_LEAST, course)
        declared = None if rate.declared_hz is None else rate.declared_hz * course
        found.append(ClockRate(rate.clock, change, within, declared))
    return tuple(found)


def _narrowed(
    pair: ClockPair,
    changes: Sequence[ClockRate],
    changed: ClockComparison,
    rates: Sequence[ClockRate],
) -> ClockPair:
    """Return the pair with what the calibration leaves of its limits."""
    if pair.reference != ANALYZER or pair.clock not in [each.clock for each in changes]:
        return pair
    change = next(each for each in changed.pairs if each.clock == pair.clock)
    rate = next(each for each in rates if each.clock == pair.clock)
    course = (1 + rate.ppm * _PPM) / (1 + change.difference_ppm * _PPM)
    room = change.within_ppm - rate.within_ppm / max(_LEAST, course)
    low, high = (
        (course * (1 + limit * _PPM) - 1) / _PPM
        for limit in (change.low_ppm - room, change.high_ppm + room)
    )
    low, high = max(low, pair.low_ppm), min(high, pair.high_ppm)
    if low > high:
        return pair
    return replace(pair, low_ppm=low, high_ppm=high, source=f"{change.source}; {pair.source}")


def _compare(
    rates: Sequence[ClockRate], known: ClockLimits, sample_rate_hz: int
) -> ClockComparison:
    own = known.analyzer
    claims = [_Claim(ANALYZER, own.low_ppm, own.high_ppm)]
    claims += [_claim(rate, known) for rate in rates]
    pairs = tuple(_pairs(rates, known))
    suspects = _suspects(claims)
    others = claims[1:]
    low, high = max(c.low_ppm for c in others), min(c.high_ppm for c in others)
    text = _told(pairs, suspects, claims, rates, sample_rate_hz)
    if suspects == ((STIMULUS,),) and known.stimulus.half_width_ppm > CRYSTAL_PPM:
        text = f"{_OF_RESONATOR}: {text}"
    all_limits = known.by_name()
    used = tuple((claim.clock, all_limits[claim.clock]) for claim in claims)
    if low > high:
        return ClockComparison(pairs, suspects, text, used)
    return ClockComparison(pairs, suspects, text, used, low, high)


def compare_with_timer(
    rates: Sequence[ClockRate],
    timer: Sequence[ClockRate],
    known: ClockLimits,
    sample_rate_hz: int,
) -> ClockComparison | None:
    """Compare all clocks, and the target's timer that paced the events, which these may make slow.

    So it is used where there is no other clock of the target, and where clocks disagree.
    """
    found = compare_clocks(rates, known, sample_rate_hz)
    if not timer or (found is not None and found.agrees):
        return found
    return compare_clocks((*rates, *timer), known, sample_rate_hz)


def with_room(bench: BenchErrorModel, found: ClockComparison | None) -> BenchErrorModel:
    """Return the bench with its time base known only as far as the other clocks confirm it.

    What the fixture or a calibration states of the analyzer is taken at its word. What the maker or
    the rig assumes of such an analyzer is not: an error that no other clock would show is possible.
    """
    clocks = bench.clocks
    if found is None or clocks is None or clocks.analyzer.is_stated:
        return bench
    if found.analyzer_low_ppm is None or found.analyzer_high_ppm is None:
        return bench
    reach = max(abs(found.analyzer_low_ppm), abs(found.analyzer_high_ppm))
    if not reach < 1e6:
        return bench
    names = " and ".join(pair.clock for pair in found.pairs if pair.reference == ANALYZER)
    source = f"not stated: as far as the {names} tells" + ("" if " and " not in names else " best")
    return replace(bench, time_base_ppm=limits(reach, "ppm", source))


@dataclass(frozen=True)
class _Claim:
    """Limits of the error of the analyzer's clock by another clock."""

    clock: str
    low_ppm: float
    high_ppm: float


def _claim(rate: ClockRate, known: ClockLimits) -> _Claim:
    """Return limits by (1 + own error) / (1 + analyzer's error) = 1 + measured difference."""
    limit = known.by_name()[rate.clock]
    low, high = _quotient(
        (limit.low_ppm, limit.high_ppm), (rate.ppm - rate.within_ppm, rate.ppm + rate.within_ppm)
    )
    return _Claim(rate.clock, low, high)


def _quotient(
    dividend_ppm: tuple[float, float], divisor_ppm: tuple[float, float]
) -> tuple[float, float]:
    """Return least and largest (1 + a) / (1 + b) - 1, in ppm, a and b between these limits."""
    (a_low, a_high), (b_low, b_high) = dividend_ppm, divisor_ppm
    low = (1 + a_low * _PPM) / max(_LEAST, 1 + b_high * _PPM) - 1
    high = (1 + a_high * _PPM) / max(_LEAST, 1 + b_low * _PPM) - 1
    return low / _PPM, high / _PPM


def _pairs(rates: Sequence[ClockRate], known: ClockLimits) -> Iterable[ClockPair]:
    """Yield each clock against the analyzer's, then all others against each other."""
    limit = known.by_name()
    for rate in rates:
        own, analyzer = limit[rate.clock], limit[ANALYZER]
        low, high = _quotient((own.low_ppm, own.high_ppm), (analyzer.low_ppm, analyzer.high_ppm))
        source = f"{rate.clock}: {own.source}; analyzer: {analyzer.source}"
        yield ClockPair(rate.clock, ANALYZER, rate.ppm, rate.within_ppm, low, high, source)
    for first, second in combinations(rates, 2):
        difference = ((1 + second.ppm * _PPM) / (1 + first.ppm * _PPM) - 1) / _PPM
        ratio = 1 + difference * _PPM
        within = (first.within_ppm * ratio + second.within_ppm) / (1 + first.ppm * _PPM)
        one, other = limit[first.clock], limit[second.clock]
        low, high = _quotient((other.low_ppm, other.high_ppm), (one.low_ppm, one.high_ppm))
        source = f"{second.clock}: {other.source}; {first.clock}: {one.source}"
        yield ClockPair(second.clock, first.clock, difference, within, low, high, source)


def _agree(claims: Collection[_Claim]) -> bool:
    """Return whether all intervals have a point in common: on a line, if each two have one."""
    if not claims:
        return True
    return max(claim.low_ppm for claim in claims) <= min(claim.high_ppm for claim in claims)


def _suspects(claims: Sequence[_Claim]) -> tuple[tuple[str, ...], ...]:
    """Return smallest sets without which the rest agrees; a device's clocks may all be false."""
    if _agree(claims):
        return ()
    names = [claim.clock for claim in claims]
    devices = [
        tuple(name for name in names if _DEVICES[name] == device)
        for device in dict.fromkeys(_DEVICES.values())
    ]
    sets = dict.fromkeys([*((name,) for name in names), *filter(None, devices)])
    found: list[tuple[str, ...]] = []
    for each in sorted(sets, key=len):
        smaller = any(set(other) < set(each) for other in found)
        if not smaller and _agree([claim for claim in claims if claim.clock not in each]):
            found.append(each)
    return tuple(found) or (tuple(names),)


def _told(
    pairs: Sequence[ClockPair],
    suspects: tuple[tuple[str, ...], ...],
    claims: Sequence[_Claim],
    rates: Sequence[ClockRate],
    sample_rate_hz: int,
) -> str:
    if not suspects:
        count = f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''}"
        return f"{count} compared, each within what is known of their rates"
    measured = "; ".join(pair.text for pair in pairs)
    if len(suspects) == 1 and len(suspects[0]) == 1:
        return f"{_named(suspects[0][0], claims, rates, sample_rate_hz)}: {measured}"
    if len(suspects) == 1:
        return f"no two of {', '.join(suspects[0])} agree: {measured}"
    either = " or ".join(_possessive(each) for each in suspects) + _likelier(suspects, rates)
    present = {claim.clock for claim in claims}
    missing = [text for clock, text in _REMEDY.items() if text and clock not in present]
    remedy = f"; {' or '.join(missing)} would tell which" if missing else ""
    return f"the rate of {either} is false{remedy}: {measured}"


def _likelier(suspects: tuple[tuple[str, ...], ...], rates: Sequence[ClockRate]) -> str:
    """Return the explanation without which the rest agrees far better, if there is one."""
    course = {ANALYZER: 1.0} | {rate.clock: 1 + rate.ppm * _PPM for rate in rates}
    apart = []
    for each in suspects:
        rest = [speed for name, speed in course.items() if name not in each]
        if len(rest) < 2:  # one clock by itself agrees with nobody
            return ""
        apart.append(max(rest) / max(min(rest), _LEAST) - 1)
    best = apart.index(min(apart))
    if len(course) < _ENOUGH_CLOCKS or min(apart) * _FAR_BETTER > sorted(apart)[1]:
        return ""
    return f" (more likely {_possessive(suspects[best])}: the others agree far better)"


def _possessive(clocks: tuple[str, ...]) -> str:
    return f"the {' and the '.join(clocks)}"


def _named(
    name: str, claims: Sequence[_Claim], rates: Sequence[ClockRate], sample_rate_hz: int
) -> str:
    """Return the clock that the others contradict, and the rate that it seems to have."""
    others = [claim for claim in claims if claim.clock != name]
    low, high = max(c.low_ppm for c in others), min(c.high_ppm for c in others)
    agree = " and ".join(claim.clock for claim in others)
    error = (low + high) / 2
    declared: float | None = sample_rate_hz
    if name != ANALYZER:
        rate = next(each for each in rates if each.clock == name)
        error = ((1 + rate.ppm * _PPM) * (1 + error * _PPM) - 1) / _PPM
        declared = rate.declared_hz
    seems = f"its rate is off by about {shown_ppm(error)}"
    if declared is not None:
        true_hz = declared * (1 + error * _PPM)
        seems = f"it declares {_hz(declared)} and runs at about {_hz(true_hz)}"
    return f"the {name} is contradicted by {agree}, which agree with each other: {seems}"


def shown_ppm(value: float) -> str:
    """Return a value for reports: four digits, or whole ppm above."""
    return f"{value:+,.0f} ppm" if abs(value) >= 1000 else f"{value:+.4g} ppm"


def _hz(value: float) -> str:
    for unit, name in ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz")):
        if value >= unit:
            return f"{value / unit:.6g} {name}"
    return f"{value:.6g} Hz"
