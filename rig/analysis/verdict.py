# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be said of a run, and why not more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from rig.analysis.pairing import Counts
from rig.analysis.raw import Account, Limits
from rig.analysis.statistics import Statistics
from rig.analysis.witness import Witness


class Verdict(StrEnum):
    """From best to worst proof; a run gets the first of the last three that holds."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    INCONCLUSIVE = "inconclusive"
    """Within its limits, but it did not get to its planned end, or nothing else bears it out."""
    FAIL = "fail"
    """A limit of the plan was exceeded."""
    INCONSISTENT = "inconsistent"
    """The witnesses disagree."""
    INCOMPLETE = "incomplete"
    """Data were lost."""


def exceeded_limits(limits: Limits, figures: Statistics, counts: Counts) -> list[str]:
    """One line for each limit that the run exceeds."""
    lines = []
    for name, figure in (
        ("max", figures.max_ns),
        ("average", figures.average_ns),
        ("p99", figures.p99_ns),
    ):
        limit = getattr(limits, f"{name}_ns")
        if limit is not None and figure is not None and figure > limit:
            lines.append(f"{name} latency {figure / 1e3:.3f} us exceeds {limit / 1e3:.3f} us")
    for name in ("missed", "late", "merged", "duplicate", "spurious"):
        limit, count = getattr(limits, name), getattr(counts, name)
        if limit is not None and count > limit:
            lines.append(f"{count} {name}, {limit} allowed")
    return lines


def verdict_of(
    *,
    losses: Sequence[tuple[str, int, str]],
    account: Account,
    planned: int | None,
    witnesses: Sequence[Witness],
    exceeded: Sequence[str],
    n: int,
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and its reasons, the gravest first; lesser reasons are listed too.

    `planned` None: a capture by itself, of which no instrument gave an account.
    """
    lost = [f"{kind} at sample {sample:,}: {text}" for kind, sample, text in losses]
    if account.failure:
        lost.insert(0, account.failure)
    disagree = [f"{w.name}: {w.text}" for w in witnesses if not w.agrees]
    short = []
    if planned is None:
        short.append("no second witness: neither stimulus nor target confirm what was captured")
    elif account.interrupted:
        short.append(f"interrupted by the user after {n} of {planned} stimuli")
    elif account.sent is None and not account.failure:
        short.append("the run has no end: it is still going on, or its process was killed")
    elif n < planned:
        short.append(f"{n} of {planned} planned stimuli seen")
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
