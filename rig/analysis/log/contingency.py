# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of each class of event by either witness.

The external witness is the analyzer: edges. The internal ones are the firmware (what it sent) and
the target's log: a record for each pin write, with the handler's count. An edge without a record, a
record without an edge and a count that jumps are evidence; they are shown, not judged, here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rig.analysis.log.responses import CHUNK, ResponseLog
from rig.analysis.model.events import Counts
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.instruments import LOG_COALESCED, Int64Array
from rig.stimulus.train import Train

PLACES_MAX = 5
"""Most places that are named of each finding; all are counted."""
_HANDLED_MAX = 2**62
"""Largest count that is used; a damaged log may have more."""


@dataclass(frozen=True)
class Evidence:
    """A class of event with its numbers by both witnesses. None: this witness cannot know."""

    name: str
    external: int | None
    """Number by edges, or by the plan."""
    internal: int | None
    """Number by the firmware's count or the target's log."""
    text: str
    """Parts of the internal witness's number, and where it differs."""

    @property
    def agrees(self) -> bool | None:
        """Whether both numbers are equal; None: only one witness knows of this class."""
        if self.external is None or self.internal is None:
            return None
        return self.external == self.internal


@dataclass
class Irregularities:
    """A number of places of one kind; the first few by their number."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, places: Int64Array, weights: Int64Array | None = None) -> None:
        """Add numbers of records or edges, shape (n,), each counted once or `weights` times."""
        self.count += len(places) if weights is None else int(weights.sum())
        self.first.extend(places[: PLACES_MAX - len(self.first)].tolist())

    def text(self, what: str) -> str:
        """Return a text such as "3 jumps, at records 5, 9, 12"; "" if there are none."""
        if not self.count:
            return ""
        more = " ..." if len(self.first) < self.count and len(self.first) == PLACES_MAX else ""
        return f"{self.count:,} {what} {', '.join(f'{n:,}' for n in self.first)}{more}"


class ContingencyTally:
    """A tally of the handler counts of a log by themselves, fed in order, in constant memory.

    Records that are no answers (triggers, an interrupted task's) are left out by the caller.
    """

    def __init__(self) -> None:
        self.records = 0
        self.handled = 0
        """Highest count seen."""
        self.repeated = Irregularities()
        """Records whose count did not rise: further answers to the same interrupt."""
        self.skipped = Irregularities()
        """Interrupts counted by the handler and answered by no record."""
        self.coalesced = Irregularities()
        """Interrupts counted by the handler and answered by a record that serves them too."""

    def feed(self, handled: Int64Array, coalesced: npt.NDArray[np.bool_] | None = None) -> None:
        """Add handler counts of the next records, and whether each serves those since the last one.

        Shapes (n,); `coalesced` None: none does.
        """
        shared = np.zeros(len(handled), bool) if coalesced is None else coalesced
        highest = np.maximum.accumulate(np.concatenate([[self.handled], handled]))
        step = handled - highest[:-1]
        number = self.records + np.arange(len(handled))
        self.repeated.add(number[step <= 0])
        for finding, jumped in (
            (self.skipped, (step > 1) & ~shared),
            (self.coalesced, (step > 1) & shared),
        ):
            finding.add(number[jumped], step[jumped] - 1)
        self.records += len(handled)
        self.handled = int(highest[-1])


def tally_of(log: ResponseLog) -> ContingencyTally | None:
    """Return the tally of a run's answers; None if it has no log."""
    if not log.count:
        return None
    tally = ContingencyTally()
    for first in range(0, log.count, CHUNK):
        rows = log.read(first, min(CHUNK, log.count - first))
        handled = np.minimum(rows["handled"], np.uint64(_HANDLED_MAX)).astype(np.int64)
        tally.feed(handled, rows["flags"] & LOG_COALESCED != 0)
    return tally


class CountMatcher:
    """A search for edges without a record and records without an edge, by the handler's count.

    Edges have the count by the sequence pins, records by themselves; both come in order. Counts
    that fall, as a damaged log's may, are compared as if they had stayed. Memory: what one side is
    ahead of the other.
    """

    def __init__(self) -> None:
        self.edges_without_record = Irregularities()
        self.records_without_edge = Irregularities()
        self._edges, self._records = _Side(), _Side()

    def feed(self, edges: Int64Array, records: Int64Array) -> None:
        """Add the next counts of either side, shapes (n,), (m,); one may be empty."""
        self._edges.add(edges)
        self._records.add(records)
        self._compare(min(self._edges.last, self._records.last))

    def finish(self) -> None:
        """Compare what is left: both sides are at their end."""
        self._compare(max(self._edges.last, self._records.last) + 1)

    def _compare(self, below: int) -> None:
        """Compare counts below this, which will not come again, on either side."""
        edges, edge_number = self._edges.take(below)
        records, record_number = self._records.take(below)
        self.edges_without_record.add(edge_number[_surplus(edges, records)])
        self.records_without_edge.add(record_number[_surplus(records, edges)])


class _Side:
    """Counts of one side that are not compared yet, with their numbers."""

    def __init__(self) -> None:
        self.last = 0
        self._first = 0
        self._counts = np.empty(0, np.int64)

    def add(self, counts: Int64Array) -> None:
        rising = np.maximum.accumulate(np.concatenate([[self.last], counts]))
        self.last = int(rising[-1])
        self._counts = np.concatenate([self._counts, rising[1:]])

    def take(self, below: int) -> tuple[Int64Array, Int64Array]:
        cut = int(np.searchsorted(self._counts, below))
        taken, self._counts = self._counts[:cut], self._counts[cut:]
        number = self._first + np.arange(cut)
        self._first += cut
        return taken, number


def _surplus(mine: Int64Array, other: Int64Array) -> Int64Array:
    """Return places in `mine` of values that `other` has less often; both ascending."""
    occurrence = np.arange(len(mine)) - np.searchsorted(mine, mine, side="left")
    there = np.searchsorted(other, mine, side="right") - np.searchsorted(other, mine, side="left")
    return np.flatnonzero(occurrence >= there)


@dataclass(frozen=True)
class Accounts:
    """Counts of a run by each instrument. None: it has not reported one."""

    planned: int | None
    sent: int | None
    """Stimuli by the firmware."""
    stimuli: int
    """Leading stimulus edges at the analyzer."""
    responses: int
    """Answer edges at the analyzer."""
    handled: int | None
    """Interrupts by the target, at the end."""
    captured: int | None = None
    """Answers by the stimulus's input capture."""
    log_dropped: int = 0


def train_evidence(
    train: Train, account: InstrumentCounts, counts: Counts, log: ResponseLog
) -> tuple[Evidence, ...]:
    """Return each class of event of a train."""
    accounts = Accounts(
        planned=train.count,
        sent=account.sent,
        stimuli=counts.n,
        responses=counts.answered + counts.late + counts.duplicate + counts.spurious,
        handled=account.handled,
        log_dropped=account.log_dropped,
    )
    return evidence(accounts, counts, None if account.handled is None else tally_of(log))


def evidence(
    accounts: Accounts, counts: Counts, log: ContingencyTally | None = None
) -> tuple[Evidence, ...]:
    """Return a row for each class, in the order of an event's life. `log` None: there is none."""
    records = None if log is None else log.records + accounts.log_dropped
    found = (
        Evidence("planned", accounts.planned, None, "by the plan's train"),
        Evidence("sent", accounts.stimuli, accounts.sent, "stimulus edges; firmware's account"),
        _seen(accounts, counts, log),
        _answers(accounts, records),
        Evidence("answered", counts.answered, None, "before the next stimulus"),
        Evidence("late", counts.late, None, "after the next stimulus; only edges tell"),
        _missed(accounts, counts, log),
        _merged(accounts, counts, log),
        _duplicate(counts, log),
        _spurious(accounts, counts),
        Evidence("glitch", counts.glitches, None, "pulses below the filter's width, edges only"),
    )  # fmt: skip
    return found if not counts.ambiguous else _with_ambiguous(found, counts.ambiguous)


def _with_ambiguous(found: tuple[Evidence, ...], ambiguous: int) -> tuple[Evidence, ...]:
    """Return the rows without edges' numbers where ambiguous events may change them."""
    text = "late, merged or answered by another edge: more than one reading fits"
    rows = [
        replace(row, external=None, text=f"not known for ambiguous ones; {row.text}")
        if row.name in _BY_READING
        else row
        for row in found
    ]
    return (*rows, Evidence("ambiguous", ambiguous, None, text))


_BY_READING = ("seen", "answers", "answered", "late", "missed", "merged")


def _seen(accounts: Accounts, counts: Counts, log: ContingencyTally | None) -> Evidence:
    """Return those seen by the handler: coalesced interrupts had one of their own, merged none."""
    seen = counts.n - counts.merged + (0 if log is None else log.coalesced.count)
    return Evidence("seen", seen, accounts.handled, "stimuli not merged; handler's own count")


def _answers(accounts: Accounts, records: int | None) -> Evidence:
    parts = ["answer edges; log records"]
    if accounts.log_dropped:
        parts.append(f"{accounts.log_dropped:,} of them found the log full")
    if accounts.captured is not None:
        parts.append(f"input capture {accounts.captured:,}")
    return Evidence("answers", accounts.responses, records, "; ".join(parts))


def _missed(accounts: Accounts, counts: Counts, log: ContingencyTally | None) -> Evidence:
    """Return those missed; the log may have fewer, without those that the handler never saw."""
    if log is None:
        return Evidence("missed", counts.missed, None, "stimuli without an answer")
    parts = [
        "stimuli without an answer",
        log.skipped.text("counted by the handler and not answered, before record")
        or "the handler's count never jumps",
    ]
    behind = 0
    if accounts.handled is not None and not accounts.log_dropped:
        behind = max(0, accounts.handled - log.handled)
    if behind:
        parts.append(f"{behind:,} counted behind the last record")
    return Evidence("missed", counts.missed, log.skipped.count + behind, "; ".join(parts))


def _merged(accounts: Accounts, counts: Counts, log: ContingencyTally | None) -> Evidence:
    if accounts.handled is None:
        return Evidence("merged", counts.merged, None, "two stimuli, one answer")
    unseen = max(0, accounts.stimuli - accounts.handled)
    more = f"{unseen:,} more" if unseen else "no more"
    parts = [f"two stimuli, one answer; {more} stimuli than interrupts handled"]
    if log is not None and log.coalesced.count:
        parts.append(log.coalesced.text("handled and served by the next answer, record"))
        unseen += log.coalesced.count
    return Evidence("merged", counts.merged, unseen, "; ".join(parts))


def _duplicate(counts: Counts, log: ContingencyTally | None) -> Evidence:
    if log is None:
        return Evidence("duplicate", counts.duplicate, None, "further answers")
    found = log.repeated.text("records with the count of the one before, number")
    text = "further answers; " + (found or "no record repeats a count")
    return Evidence("duplicate", counts.duplicate, log.repeated.count, text)


def _spurious(accounts: Accounts, counts: Counts) -> Evidence:
    if accounts.handled is None:
        return Evidence("spurious", counts.spurious, None, "answers to nothing")
    surplus = max(0, accounts.handled - accounts.stimuli)
    text = "answers to nothing; interrupts handled beyond the stimuli"
    return Evidence("spurious", counts.spurious, surplus, text)
