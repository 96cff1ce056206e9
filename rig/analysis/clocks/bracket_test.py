# SPDX-License-Identifier: GPL-3.0-or-later
"""The bracket test: can one clock put every edge between the two readings its record has of it?

First one straight line is tried on the whole run. Where it does not fit, the run is split until it
does. A stretch that no line fits even with its brackets widened by all that the clocks may drift in
it is a contradiction, whatever the clocks did: it is followed down to the smallest such stretch and
the record that causes it is named, set aside and counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from rig.analysis.clocks.brackets import BracketSource, Rates
from rig.analysis.clocks.line import Line, slope_range
from rig.analysis.clocks.pyramid import Pyramid
from rig.analysis.clocks.violations import Break, Violation, locate_violations
from rig.analysis.clocks.windows import EventWindow, LineFit, WindowFit, Windows
from rig.instruments import Int64Array

NAMED_MAX = 100
"""Largest number of violations and breaks that are named one by one."""


@dataclass(frozen=True)
class Piece:
    """A stretch that one straight line fits."""

    first_event: int
    stop_event: int
    first_sample: int
    last_sample: int
    ticks_per_sample: float
    """The middle of `lowest` and `highest`."""
    lowest: float
    highest: float
    """All lines that fit have from `lowest` to `highest` ticks per sample."""
    slack_ticks: float
    """Negative: a line fits only with what the clocks may drift in the stretch."""

    @property
    def middle_sample(self) -> float:
        return (self.first_sample + self.last_sample) / 2


@dataclass(frozen=True)
class BracketTest:
    """The outcome of a bracket test, and the straight pieces that the clock is made of."""

    rates: Rates
    n: int
    pieces: tuple[Piece, ...]
    """Pieces in order of their middles; they overlap. One: a single line fits the whole run."""
    violations: tuple[Violation, ...]
    breaks: tuple[Break, ...]
    complete: bool = True
    """False: there is more wrong than was named."""

    @property
    def holds(self) -> bool:
        """Every event lies in its bracket."""
        return not self.violations and not self.breaks and self.complete

    @property
    def straight(self) -> bool:
        """One line fits all that was not set aside: the data ask for no drift."""
        return self.holds_but_for_named and len(self.pieces) == 1

    @property
    def holds_but_for_named(self) -> bool:
        return not self.breaks and self.complete

    @property
    def slack_ns(self) -> float:
        """The time by which all brackets could shrink at both ends, in the tightest piece."""
        return min((p.slack_ticks for p in self.pieces), default=0.0) * self.rates.tick_ns

    @property
    def rate_ppm(self) -> float:
        """Mean rate of the ticks over the run, against nominal."""
        if not self.pieces:
            return 0.0
        middle = [piece.middle_sample for piece in self.pieces]
        at = [self.pieces[0].first_sample, *middle, self.pieces[-1].last_sample]
        rate = [piece.ticks_per_sample for piece in self.pieces]
        rate = [rate[0], *rate, rate[-1]]
        area = float(np.sum(np.diff(at) * (np.array(rate[1:]) + rate[:-1]) / 2))
        return self.rates.ppm(area / (at[-1] - at[0]) if at[-1] > at[0] else rate[0])

    @property
    def rate_within_ppm(self) -> float:
        """Largest error of `rate_ppm`: half the longest piece's range and half of all changes."""
        if not self.pieces:
            return 0.0
        longest = max(self.pieces, key=lambda piece: piece.last_sample - piece.first_sample)
        rates = [piece.ticks_per_sample for piece in self.pieces]
        open_half = (longest.highest - longest.lowest) / 2 + (max(rates) - min(rates)) / 2
        return open_half / self.rates.nominal_ticks_per_sample * 1e6

    @property
    def text(self) -> str:
        """The outcome in one line, for reports."""
        if not self.holds_but_for_named:
            return f"no clock fits {self.n:,} events: {len(self.breaks)} breaks" + (
                "" if self.complete else " and more"
            )
        inside = self.n - len(self.violations)
        how = "one line" if self.straight else f"{len(self.pieces)} overlapping straight pieces"
        return (
            f"{inside:,} of {self.n:,} events inside their brackets, slack {self.slack_ns:.1f} ns, "
            f"rate {self.rate_ppm:+.4f} ppm, {how}"
        )

    def numbered(self, number: Int64Array) -> BracketTest:
        """Return this outcome with event i named number[i], shape (n,)."""
        violations = tuple(
            replace(v, event=int(number[v.event]), instead=tuple(number[list(v.instead)].tolist()))
            for v in self.violations
        )
        breaks = tuple(
            replace(b, first_event=int(number[b.first_event]), last_event=int(number[b.last_event]))
            for b in self.breaks
        )
        return replace(self, violations=violations, breaks=breaks)

    @property
    def findings(self) -> tuple[str, ...]:
        """The violations and breaks, a line each."""
        lines = [violation.text for violation in self.violations]
        lines += [found.text for found in self.breaks]
        return tuple(lines if self.complete else [*lines, "and more, not named one by one"])


@dataclass
class _Sweep:
    """One go through the windows, largest first."""

    windows: Windows
    known: set[EventWindow]
    """Windows whose contradiction is a break that is already in the outcome."""
    good: dict[EventWindow, WindowFit] = field(default_factory=dict)
    bad: dict[EventWindow, WindowFit] = field(default_factory=dict)
    _seen: dict[EventWindow, bool] = field(default_factory=dict)

    def visit(self, window: EventWindow) -> bool:
        """Return whether there is a contradiction inside; with too many found, look no further."""
        if len(self.bad) > NAMED_MAX:
            return True
        if window not in self._seen:
            self._seen[window] = self._look(window)
        return self._seen[window]

    def _look(self, window: EventWindow) -> bool:
        fit = self.windows.fit(window)
        if fit.outcome is LineFit.FITS:
            self.good[window] = fit
            return False
        if not self.windows.is_smallest(fit):
            inside = [self.visit(part) for part in self.windows.parts(window)]
            if any(inside) or fit.outcome is LineFit.DRIFTS:
                return any(inside)
        elif fit.outcome is LineFit.DRIFTS:
            self.good[window] = fit
            return False
        if window not in self.known:
            self.bad[window] = fit
        return True


def bracket_test(source: BracketSource, rates: Rates) -> BracketTest:
    """Test all events of a run; memory: a fifth of the brackets.

    `source`: the events in order, one record to an edge (`matching.match` sees to that).

    Raises:
        ValueError: there are no events, or their samples do not rise.
    """
    pyramid = Pyramid(source)
    windows = Windows(pyramid, rates)
    violations: dict[int, Violation] = {}
    breaks: dict[EventWindow, Break] = {}
    while True:
        sweep = _Sweep(windows, set(breaks))
        sweep.visit(windows.whole)
        if not sweep.bad or len(violations) + len(breaks) >= NAMED_MAX:
            break
        new = _explain_all(sweep.bad.values(), windows, breaks)
        violations.update(new)
        pyramid.exclude(new)
        windows.forget(set(new))
    return BracketTest(
        rates,
        pyramid.count,
        _pieces(sweep.good.values(), windows),
        tuple(violations[event] for event in sorted(violations)),
        _merged(breaks.values()),
        complete=not sweep.bad,
    )


def _explain_all(
    bad: Iterable[WindowFit], windows: Windows, breaks: dict[EventWindow, Break]
) -> dict[int, Violation]:
    """Locate the violations, worst window first; one with an event just named waits a sweep."""
    named: dict[int, Violation] = {}
    by_slack = sorted(bad, key=lambda fit: fit.line.slack_ticks if fit.line else 0)
    for fit in by_slack[:NAMED_MAX]:
        if any(fit.window.first <= event < fit.window.stop for event in named):
            continue
        found = locate_violations(fit, windows.pyramid, windows.rates)
        if isinstance(found, Break):
            breaks[fit.window] = found
        else:
            named.update({violation.event: violation for violation in found})
    return named


def _merged(breaks: Iterable[Break]) -> tuple[Break, ...]:
    """Return the breaks, each once: of those that overlapping windows found, the narrowest."""
    kept: list[Break] = []
    for found in sorted(breaks, key=lambda b: (b.last_event - b.first_event, b.first_event)):
        if all(
            found.last_event <= other.first_event or other.last_event <= found.first_event
            for other in kept
        ):
            kept.append(found)
    return tuple(sorted(kept, key=lambda b: b.first_event))


def _pieces(fits: Iterable[WindowFit], windows: Windows) -> tuple[Piece, ...]:
    """Return the pieces in order; of two with nearly one middle the longer."""
    kept: list[WindowFit] = []
    for fit in sorted((fit for fit in fits if fit.line), key=lambda fit: fit.middle_sample):
        if kept and fit.middle_sample - kept[-1].middle_sample < _closest(kept[-1], fit):
            if fit.span_samples > kept[-1].span_samples:
                kept[-1] = fit
        else:
            kept.append(fit)
    return tuple(_piece(fit, fit.line, windows) for fit in kept if fit.line)


def _closest(a: WindowFit, b: WindowFit) -> float:
    return min(a.span_samples, b.span_samples) / 4


def _piece(fit: WindowFit, line: Line, windows: Windows) -> Piece:
    slope = float(line.ticks_per_sample or windows.rates.nominal_ticks_per_sample)
    lowest = highest = slope
    if line.feasible:
        low, high = slope_range(windows.corners(fit.window))
        lowest = slope if low is None else float(low)
        highest = slope if high is None else float(high)
    return Piece(
        fit.window.first, fit.window.stop, fit.first_sample, fit.last_sample,
        (lowest + highest) / 2, lowest, highest, float(line.slack_ticks),
    )  # fmt: skip
