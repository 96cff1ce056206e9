# SPDX-License-Identifier: GPL-3.0-or-later
"""Judgments of each limit of a plan by what was measured: kept, exceeded, or cannot tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rig.analysis.model.events import Counts
from rig.analysis.model.settings import Limits
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.uncertainty.bounds import CoverageInterval, Undetermined, bounds, worst_of
from rig.analysis.uncertainty.budget import Judgment
from rig.analysis.uncertainty.measurand import Measurand
from rig.formatting import expanded_microseconds, microseconds
from rig.limit_names import (
    COUNTS,
    INTERVAL_ERROR,
    NONE_BY_DEFAULT,
    STATISTICS,
    in_words,
    split,
)

_EVEN_NS = 1e-3
"""Ends that are equally far from the value, to within this, are written as one uncertainty."""


@dataclass(frozen=True)
class JudgedLimit:
    """One limit with its judgment. Times in ns."""

    name: str
    """The plan's name of the limit, such as `p99_latency`."""
    limit: int | float
    """The limit in ns, or of a count an integer."""
    judgment: Judgment
    value: int | float | None
    """The value, less what the bench adds; None: there is none."""
    low: float | None = None
    high: float | None = None
    """Limits of the true value; of a count both are None."""
    why: str = ""
    """The reason why it cannot be judged, beyond that the limit lies between the two."""

    @property
    def is_time(self) -> bool:
        """Whether the limit is of a time; False: of a count."""
        return self.name not in COUNTS

    @property
    def title(self) -> str:
        """The name in words."""
        return in_words(self.name)

    @property
    def text(self) -> str:
        """The value and the limit, in one line."""
        return f"{self.found}, limit {self.allowed}"

    @property
    def allowed(self) -> str:
        """The limit itself."""
        return self._shown(self.limit)

    @property
    def found(self) -> str:
        """The value and how far it is known."""
        if self.value is None:
            return self.why
        return f"{self._range(self.value)}, {self.why}" if self.why else self._range(self.value)

    @property
    def reason(self) -> str:
        """The line for a verdict; "" for a limit that is kept."""
        if self.judgment is Judgment.KEPT:
            return ""
        if not self.is_time:
            more = f" ({self.why})" if self.value is not None and self.why else ""
            return f"{self._shown(self.value or 0)} {self.title}{more}, {self.allowed} allowed"
        known = "" if self.value is None else f" {self._range(self.value)}"
        if self.judgment is Judgment.EXCEEDED:
            return f"{self.title}{known} exceeds {self.allowed}"
        line = f"{self.title}{known} cannot be told from the limit of {self.allowed}"
        return f"{line}: {self.why}" if self.why else line

    def _range(self, value: float) -> str:
        if not self.is_time or self.low is None or self.high is None:
            return self._shown(value)
        below, above = value - self.low, self.high - value
        if abs(above - below) < _EVEN_NS:
            return f"{self._shown(value)} (U = {expanded_microseconds(above)} us)"
        return f"{self._shown(value)} ({microseconds(self.low)} to {microseconds(self.high)} us)"

    def _shown(self, number: float) -> str:
        return f"{microseconds(number)} us" if self.is_time else f"{number:,.0f}"


def counted(counts: Counts, overruns: Overruns) -> dict[str, int]:
    """Return the counts by the names that limits have for them."""
    found = {name: getattr(counts, name) for name in (*NONE_BY_DEFAULT, "glitches")}
    return {**found, "overruns": overruns.count, "overruns_in_a_row": overruns.longest_run}


def judge_limits(
    limits: Limits,
    measurands: Sequence[Measurand],
    counts: Mapping[str, int],
    possible: Mapping[str, int] | None = None,
) -> tuple[JudgedLimit, ...]:
    """Judge each limit of the plan: times first, each measurand's together, then counts.

    `counts`: by the names that limits have for them; one that is absent was not counted.
    `possible`: how many more of each there may be, if ambiguous events are counted.
    """
    known = {each.name: each for each in measurands}
    found = []
    named = limits.named()
    for name in sorted(named, key=partial(_order, measurands=tuple(known))):
        limit = named[name]
        if name in COUNTS:
            found.append(_count(name, limit, counts.get(name), (possible or {}).get(name, 0)))
        else:
            found.append(_judged(name, limit, _bounds(name, known)))
    return tuple(found)


def _order(name: str, measurands: Sequence[str]) -> tuple[int, int, str]:
    """Return a limit's place in the report: what this run did not measure is behind the rest."""
    if name in COUNTS:
        return len(measurands) + 1, COUNTS.index(name), name
    statistic, measurand = split(name, measurands) or ("", "")
    if not statistic:
        return len(measurands), 0, name
    return measurands.index(measurand), STATISTICS.index(statistic), name


def _count(name: str, limit: float, count: int | None, possible: int) -> JudgedLimit:
    if count is None:
        return JudgedLimit(name, limit, Judgment.CANNOT_TELL, None, why="it was not counted")
    judgment = Judgment.EXCEEDED if count > limit else Judgment.KEPT
    if judgment is Judgment.KEPT and count + possible > limit:
        why = f"{possible:,} more are possible"
        return JudgedLimit(name, limit, Judgment.CANNOT_TELL, count, why=why)
    return JudgedLimit(name, limit, judgment, count)


def _bounds(name: str, known: Mapping[str, Measurand]) -> CoverageInterval | Undetermined:
    parts = split(name, tuple(known))
    if parts is None:
        return Undetermined("this run did not measure it")
    statistic, measurand = parts
    found = bounds(known[measurand], statistic)
    if not measurand.startswith(INTERVAL_ERROR):
        return found
    # Too early is as wrong as too late.
    if statistic == "max":
        return worst_of(found, bounds(known[measurand], "min"))
    return found if isinstance(found, Undetermined) else found.magnitude()


def _judged(name: str, limit: float, found: CoverageInterval | Undetermined) -> JudgedLimit:
    needed = "" if found.needed is None else f", n of at least {found.needed:,} needed"
    if isinstance(found, Undetermined):
        return JudgedLimit(name, limit, Judgment.CANNOT_TELL, None, why=found.why + needed)
    if found.low is not None and found.low > limit:
        judgment = Judgment.EXCEEDED
    elif found.high is not None and found.high <= limit:
        judgment = Judgment.KEPT
    else:
        judgment = Judgment.CANNOT_TELL
    why = "" if found.high is not None else f"not bounded above{needed}"
    return JudgedLimit(name, limit, judgment, found.value, found.low, found.high, why)
