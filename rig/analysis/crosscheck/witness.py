# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons of witnesses: analyzer, stimulus firmware, its input capture, target's log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.witness import Witness
from rig.arrays import FloatArray
from rig.instruments import Int64Array, UInt8Array


@dataclass(frozen=True)
class DifferenceRange:
    """The range of what two witnesses differ by; empty before the first event."""

    lowest_ns: float = np.inf
    highest_ns: float = -np.inf

    def widened(self, down_to_ns: FloatArray, up_to_ns: FloatArray) -> Self:
        """Return the range with more events; it surely reaches from and to these, shapes (n,)."""
        if not len(down_to_ns):
            return self
        return replace(
            self,
            lowest_ns=min(self.lowest_ns, float(down_to_ns.min())),
            highest_ns=max(self.highest_ns, float(up_to_ns.max())),
        )

    @property
    def middle_ns(self) -> float:
        """The constant part."""
        return (self.lowest_ns + self.highest_ns) / 2

    @property
    def spread_ns(self) -> float:
        """Largest departure from the constant part."""
        return max(0.0, self.highest_ns - self.lowest_ns) / 2


@dataclass(frozen=True)
class CaptureComparison:
    """The same latency by the analyzer and by the stimulus's input capture, event by event.

    Both see the same two edges, each on its own clock. What differs is a constant (synchronizer
    and noise canceler of the input capture) and the quantization of both: the capture's tick and
    the analyzer's sample. The stimulus clock's rate is taken from the train's own edges.

    Where one constant does not explain all differences, rising and falling answers have one each:
    through a level shifter or a long wire an edge is slow one way, and the two inputs take it for
    an edge at different voltages.
    """

    sample_ns: float
    tick_ns: float
    """Length of a stimulus clock tick in the analyzer's time."""
    n: int = 0
    every: DifferenceRange = DifferenceRange()
    by_level: tuple[DifferenceRange, ...] = (DifferenceRange(), DifferenceRange())
    """The ranges of falling and of rising answers, as far as levels are known."""

    @classmethod
    def begin(cls, sample_rate_hz: int, clock_hz: int, *, samples: int, ticks: int) -> Self:
        """Return an empty comparison; `samples`, `ticks`: the train's length by either clock."""
        sample_ns = 1e9 / sample_rate_hz
        tick_ns = samples * sample_ns / ticks if samples > 0 and ticks > 0 else 1e9 / clock_hz
        return cls(sample_ns, tick_ns)

    def add(
        self,
        latency_samples: Int64Array,
        latency_ticks: Int64Array,
        local: tuple[FloatArray, FloatArray] | None = None,
        shown_later_ns: FloatArray | None = None,
        levels: UInt8Array | None = None,
    ) -> Self:
        """Return the comparison with more events' latencies by either clock, shapes (n,).

        `local`: samples per tick around each event, and how far that may be off, relatively; a long
        latency is known no better than that. None: the train's mean. `shown_later_ns`: what the
        analyzer is known to add to each, but for a constant. `levels`: after each answer, if known.
        """
        per_tick, error = (self.tick_ns / self.sample_ns, 0.0) if local is None else local
        latency_ns = latency_samples * self.sample_ns
        if shown_later_ns is not None:
            latency_ns = latency_ns - shown_later_ns
        difference = latency_ticks * per_tick * self.sample_ns - latency_ns
        unsure = np.abs(latency_ns) * error
        down_to, up_to = difference + unsure, difference - unsure
        by_level = self.by_level
        if levels is not None:
            by_level = tuple(
                found.widened(down_to[levels == level], up_to[levels == level])
                for level, found in enumerate(by_level)
            )
        return replace(
            self,
            n=self.n + len(difference),
            every=self.every.widened(down_to, up_to),
            by_level=by_level,
        )

    @property
    def constants(self) -> tuple[DifferenceRange, ...]:
        """The range of all events, or of falling and of rising answers if that is not within what
        is allowed and these are."""
        if self.every.spread_ns <= self.allowed_ns:
            return (self.every,)
        explained = all(
            found.lowest_ns < np.inf and found.spread_ns <= self.allowed_ns
            for found in self.by_level
        )
        return self.by_level if explained else (self.every,)

    @property
    def offset_ns(self) -> float:
        """The constant part: input capture minus analyzer; the mean of both levels."""
        return sum(found.middle_ns for found in self.constants) / len(self.constants)

    @property
    def rising_later_ns(self) -> float:
        """How much later the analyzer shows rising answers than falling ones, by the capture; 0 if
        one constant is enough."""
        return self.constants[0].middle_ns - self.constants[-1].middle_ns

    @property
    def spread_ns(self) -> float:
        """Largest departure from the constant part."""
        return max(found.spread_ns for found in self.constants)

    @property
    def allowed_ns(self) -> float:
        """One tick of the capture plus one sample of the analyzer."""
        return self.tick_ns + self.sample_ns

    @property
    def agreement(self) -> tuple[bool, int, float]:
        """How well the witnesses agree: the smaller, the better."""
        return self.spread_ns > self.allowed_ns, len(self.constants), self.spread_ns

    @property
    def text(self) -> str:
        """The comparison in one line."""
        rest = f"rest within {self.spread_ns:.1f} of {self.allowed_ns:.1f} ns"
        if not self.rising_later_ns:
            return f"{self.n} compared, offset {self.offset_ns:.1f} ns, {rest}"
        falling, rising = (f"{found.middle_ns:.1f}" for found in self.constants)
        return (
            f"{self.n} compared, offset {rising} ns of rising, {falling} ns of falling answers (an "
            "edge is slow one way, as through a level shifter with open drain: calibrate "
            f"edge-shape), {rest}"
        )


def log_witnesses(
    raw: RawRun,
    log: ResponseLog,
    account: InstrumentCounts,
    responses: int,
    sequence_differing: int,
    unmatched: str = "",
) -> tuple[Witness, Witness]:
    """Compare the response pin's edges with the target's log, and that log in itself.

    `unmatched`: which of them have no partner, in words.
    """
    count = _log_count(log, account, responses, whole=log.count == raw.log_count)
    return (
        replace(count, text=f"{count.text}: {unmatched}") if unmatched else count,
        # Behind a place where one of them lacks a partner, all pins differ: that says no more.
        _log_sequence(raw, log, 0 if unmatched else sequence_differing),
    )


def witnesses(
    raw: RawRun,
    log: ResponseLog,
    account: InstrumentCounts,
    stimuli: int,
    responses: int,
    sequence_differing: int,
    capture: CaptureComparison | None,
    unmatched: str = "",
    planned: int | None = None,
) -> tuple[Witness, ...]:
    """Return all comparisons that this run allows.

    `planned`: pulses of the train; None: not known, as of a search.
    """
    found: list[Witness] = []
    if account.sent is not None:
        found.append(_stimuli(stimuli, account.sent, planned))
    if account.handled is not None:
        found += log_witnesses(raw, log, account, responses, sequence_differing, unmatched)
    if account.sent is not None:  # without the run's end, captures are still on their way
        found.append(_captures(raw, account, responses))
    if capture is not None and capture.n:
        # A pulse that left late moves only its own planned time, and is counted as such.
        agrees = capture.spread_ns <= capture.allowed_ns or account.stimulus_late > 0
        found.append(
            Witness(
                "latency by input capture",
                agrees,
                capture.text,
            )
        )
    return tuple(found)


def count_witness(
    log: ResponseLog, account: InstrumentCounts, unanswered: int
) -> tuple[Witness, ...]:
    """Compare the agent's own count with its log; none if it reported no count.

    `unanswered`: stimuli or periods that had no answer of their own, by the edges: so many
    may have been counted behind the last record.
    """
    if account.handled is None:
        return ()
    last = int(log.column("handled", log.count - 1, 1)[0]) if log.count else 0
    behind = account.handled - last
    text = f"target counted {account.handled}, its log goes up to {last}"
    if behind > 0:
        text += f", {unanswered} had no answer"
    agrees = 0 <= behind <= unanswered + account.log_dropped
    return (Witness("target's count", agrees, text),)


def _stimuli(seen: int, sent: int, planned: int | None) -> Witness:
    """Compare stimuli: fewer than planned are a run cut short; more are not the planned train."""
    found = _equal("stimulus edges", "analyzer", seen, "firmware sent", sent)
    if planned is None or sent <= planned:
        return found
    return replace(found, agrees=False, text=f"{found.text}, the plan asks for {planned}")


def _equal(name: str, a: str, n_a: int, b: str, n_b: int) -> Witness:
    return Witness(name, n_a == n_b, f"{a} {n_a}, {b} {n_b}")


def _log_count(
    log: ResponseLog, account: InstrumentCounts, responses: int, *, whole: bool
) -> Witness:
    """Compare answers; `whole`: the log has only answers, so those that found it full were, too."""
    dropped = account.log_dropped
    full = f", {dropped} found the log full" if dropped else ""
    least = log.count + dropped if whole else log.count
    return Witness(
        "answers",
        least <= responses <= log.count + dropped,
        f"analyzer {responses}, target log {log.count}{full}",
    )


def _log_sequence(raw: RawRun, log: ResponseLog, differing: int) -> Witness:
    """Check record numbers without a hole, counts and ticks that never fall, pins that agree."""
    problems = list(log.order.problems)
    if differing:
        problems.append(f"{differing} answers whose sequence pins differ from the log")
    text = "; ".join(problems) or f"{raw.log_count} records in order"
    return Witness("target log's sequence", not problems, text)


def _captures(raw: RawRun, account: InstrumentCounts, responses: int) -> Witness:
    lost = account.capture_overruns
    if lost:
        # It says itself that it lost edges: a weaker witness, not a contradicting one.
        text = f"analyzer {responses}, input capture {raw.capture_count} and lost at least {lost}"
        found = Witness("answers by input capture", raw.capture_count <= responses, text)
    else:
        found = _equal(
            "answers by input capture", "analyzer", responses, "input capture", raw.capture_count
        )
    if not account.replies_damaged:
        return found
    replies = "reply" if account.replies_damaged == 1 else "replies"
    damaged = f"{found.text}, {account.replies_damaged} {replies} damaged on the serial line"
    return replace(found, text=damaged)
