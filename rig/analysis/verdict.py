# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be said of a run, and why not more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from rig.analysis.budget.budget import Budget, Judgment, judge
from rig.analysis.budget.run import Budgets
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


def exceeded_limits(
    limits: Limits, figures: Statistics, counts: Counts, budgets: Budgets | None = None
) -> list[str]:
    """One line for each limit that the run exceeds.

    A figure that has a budget exceeds its limit if all of its uncertainty lies above that.
    """
    lines = []
    for name, figure in (
        ("max", figures.max_ns),
        ("average", figures.average_ns),
        ("p99", figures.p99_ns),
    ):
        limit, budget = getattr(limits, f"{name}_ns"), (budgets or {}).get(name)
        if limit is None or figure is None:
            continue
        if budget is not None and judge(limit, budget) is Judgment.EXCEEDED:
            lines.append(f"{name} latency {_known(budget)} exceeds {limit / 1e3:.3f} us")
        elif budget is None and figure > limit:
            lines.append(f"{name} latency {figure / 1e3:.3f} us exceeds {limit / 1e3:.3f} us")
    for name in ("missed", "late", "merged", "duplicate", "spurious"):
        limit, count = getattr(limits, name), getattr(counts, name)
        if limit is not None and count > limit:
            lines.append(f"{count} {name}, {limit} allowed")
    return lines


def doubtful_limits(limits: Limits, budgets: Budgets) -> list[str]:
    """One line for each limit that lies within the uncertainty of its figure."""
    return [
        f"{name} latency {_known(budget)} cannot be told from the limit of {limit / 1e3:.3f} us"
        for name, budget in budgets.items()
        if (limit := getattr(limits, f"{name}_ns")) is not None
        and judge(limit, budget) is Judgment.CANNOT_TELL
    ]


def _known(budget: Budget) -> str:
    """What the bench adds is taken off."""
    return f"{budget.corrected / 1e3:.3f} us (U = {budget.expanded / 1e3:.3f} us)"


def exceeded_interval(limits: Limits, error: Statistics) -> list[str]:
    """A line if an interval departs further from the period than the plan allows, either way."""
    limit = limits.interval_error_ns
    if limit is None or error.min_ns is None or error.max_ns is None:
        return []
    worst = max(-error.min_ns, error.max_ns)
    if worst <= limit:
        return []
    return [f"interval error {worst / 1e3:.3f} us exceeds {limit / 1e3:.3f} us"]


def verdict_of(
    *,
    losses: Sequence[tuple[str, int, str]],
    account: Account,
    planned: int | None,
    witnesses: Sequence[Witness],
    exceeded: Sequence[str],
    n: int,
    ended: bool,
    events: str = "stimuli",
    doubts: Sequence[str] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and its reasons, the gravest first; lesser reasons are listed too.

    `planned` None: a capture by itself, of which no instrument gave an account. `ended`: the
    instruments gave theirs. `doubts`: why a run within its limits proves nothing all the same.
    """
    lost = [f"{kind} at sample {sample:,}: {text}" for kind, sample, text in losses]
    if account.failure:
        lost.insert(0, account.failure)
    disagree = [f"{w.name}: {w.text}" for w in witnesses if not w.agrees]
    short = list(doubts)
    if planned is None:
        short.append("no second witness: neither stimulus nor target confirm what was captured")
    elif account.interrupted:
        short.append(f"interrupted by the user after {n} of {planned} {events}")
    elif not ended and not account.failure:
        short.append("the run has no end: it is still going on, or its process was killed")
    elif n < planned:
        short.append(f"{n} of {planned} planned {events} seen")
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
