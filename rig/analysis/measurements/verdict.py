# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict of a run, and its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.witness import Witness
from rig.analysis.uncertainty.budget import Judgment


class Verdict(StrEnum):
    """Verdicts in order of severity; a run gets the gravest that holds."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    INCONCLUSIVE = "inconclusive"
    """The run is within its limits, but is not as long as planned, has no second witness, or
    was not made as the plan asks."""
    FAIL = "fail"
    """A limit of the plan was exceeded."""
    INCONSISTENT = "inconsistent"
    """The witnesses disagree."""
    INCOMPLETE = "incomplete"
    """Data were lost."""


def verdict_of(
    *,
    losses: Sequence[tuple[str, int, str]],
    account: InstrumentCounts,
    planned: int | None,
    witnesses: Sequence[Witness],
    limits: Sequence[JudgedLimit],
    n: int,
    ended: bool,
    events: str = "stimuli",
    caveats: Sequence[str] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict and its reasons, the gravest first; lesser reasons are listed too.

    `planned` None: a capture by itself, without counts of the instruments. `ended`: there are
    such counts. `caveats`: reasons why a run within its limits proves nothing all the same,
    beside limits that cannot be judged.
    """
    lost = [f"{kind} at sample {sample:,}: {text}" for kind, sample, text in losses]
    late = _late_stimuli(account)
    if lost:  # an edge that is late does not follow the planned train, by which gaps are found
        lost, late = [*late, *lost], []
    if account.failure:
        lost.insert(0, account.failure)
    disagree = [f"{w.name}: {w.text}" for w in witnesses if not w.agrees]
    exceeded, untold = (
        [limit.reason for limit in limits if limit.judgment is judgment]
        for judgment in (Judgment.EXCEEDED, Judgment.CANNOT_TELL)
    )
    short = [*late, *caveats, *untold, *_not_as_planned(account, planned, n, events, ended=ended)]
    reasons = (*lost, *disagree, *exceeded, *short)
    if lost:
        return Verdict.INCOMPLETE, reasons
    if disagree:
        return Verdict.INCONSISTENT, reasons
    if exceeded:
        return Verdict.FAIL, reasons
    if short:
        return Verdict.INCONCLUSIVE, reasons
    return Verdict.PASS, ()


def _late_stimuli(account: InstrumentCounts) -> list[str]:
    """Return the edges that left the stimulus's pin later than planned, if there were any."""
    if not account.stimulus_late:
        return []
    return [
        f"{account.stimulus_late:,} edges of the stimulus left late, by up to "
        f"{account.stimulus_late_max_ticks:,} ticks of its clock: give the plan longer intervals "
        "(`rig stimulus probe --loopback` tries a microcontroller's limits)"
    ]


def _not_as_planned(
    account: InstrumentCounts, planned: int | None, n: int, events: str, *, ended: bool
) -> Iterator[str]:
    """Yield what the run was to be and was not."""
    course = account.frequency
    if account.frequency_held and course is not None and not course.is_steady:
        yield f"the frequency was held, and {course}"
    if planned is None:
        yield "no second witness: neither stimulus nor target confirm what was captured"
    elif account.interrupted:
        yield f"interrupted by the user after {n} of {planned} {events}"
    elif not ended and not account.failure:
        yield "the run has no end: it is still going on, or its process was killed"
    elif n < planned:
        yield f"{n} of {planned} planned {events} seen"
