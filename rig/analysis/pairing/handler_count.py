# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of each answer's handler count: the log, the sequence pins, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from rig.analysis.log.contingency import CountMatcher, Irregularities
from rig.analysis.log.responses import CHUNK, ResponseLog
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.pairing.pairing import PinCounter
from rig.analysis.signals.decoder import Observation, observe
from rig.analysis.signals.glitch import filtered
from rig.instruments import LOG_COALESCED, Int64Array, LogArray

_HANDLED_MAX = 2**62
"""Largest count: the difference of two fits 64 bits."""


def handled_of(records: LogArray) -> Int64Array:
    """Return handler counts of records; those that only a damaged log has stay in range."""
    return _in_range(records["handled"])


def _in_range(handled: npt.NDArray[np.unsignedinteger]) -> Int64Array:
    counts: Int64Array = np.minimum(handled, np.uint64(_HANDLED_MAX)).astype(np.int64)
    return counts


def pins_differing(log: ResponseLog, first: int, seen: Observation, bits: int) -> int:
    """Return how many answers, from number `first` on, have pins that their records contradict."""
    if seen.sequence is None or not len(seen.sequence):
        return 0
    handled = log.column("handled", first, len(seen.sequence)).astype(np.int64)
    expected = handled & ((1 << bits) - 1)
    return int(np.count_nonzero(expected != seen.sequence[: len(expected)]))


def unmatched(
    raw: RawRun, log: ResponseLog, settings: Settings, account: InstrumentCounts, responses: int
) -> str:
    """Return which edges have no record and which records no edge, by the sequence pins, in words.

    "" if their numbers are the same, or the log was full and lacks some anyhow.
    """
    wiring = settings.wiring
    if not wiring.sequence or responses == log.count or account.log_dropped:
        return ""
    blocks, _ = filtered(raw, settings)
    return _unmatched(observe(blocks, wiring, settings.sample_rate_hz), log, len(wiring.sequence))


def _unmatched(stretches: Iterable[Observation], log: ResponseLog, bits: int) -> str:
    pins, matcher = PinCounter(bits), CountMatcher()
    none = np.empty(0, np.int64)
    for seen in stretches:
        if seen.sequence is not None:
            matcher.feed(pins.feed(seen.sequence), none)
    for first in range(0, log.count, CHUNK):
        matcher.feed(none, handled_of(log.read(first, CHUNK)))
    matcher.finish()
    found = (
        _lonely(matcher.edges_without_record, "edge", "a record"),
        _lonely(matcher.records_without_edge, "record", "an edge"),
    )
    return "; ".join(text for text in found if text)


def _lonely(found: Irregularities, what: str, partner: str) -> str:
    return found.text(f"{what}{'' if found.count == 1 else 's'} without {partner}, number")


@dataclass(frozen=True)
class HandlerCountSource:
    """A source of handler counts, by name, and the way to get them."""

    name: str
    log: ResponseLog
    bits: int
    """Number of sequence pins."""

    @property
    def by_log(self) -> bool:
        """Whether counts are those of the log, whose answers are the analyzer's, one by one."""
        return self.name.startswith("target log")

    @classmethod
    def choose(
        cls, settings: Settings, log: ResponseLog, responses: int, pins_differing: int
    ) -> Self:
        """Return the log, if it has a record for each answer and the pins do not contradict it.

        The log's count is whole where the pins have its low bits only; the pins show which record
        belongs to which answer where the numbers differ.
        """
        bits = len(settings.wiring.sequence)
        if responses and responses == log.count and not pins_differing:
            return cls("target log and sequence pins" if bits else "target log", log, bits)
        return cls("sequence pins" if bits else "order alone", log, bits)

    def feeder(self) -> Callable[[int, Observation], Int64Array | None]:
        """Return a function for one pass: number of the first answer, observation -> counts."""
        if self.name == "sequence pins":
            pins = PinCounter(self.bits)
            return lambda _, seen: None if seen.sequence is None else pins.feed(seen.sequence)
        if self.by_log:
            return lambda first, seen: _in_range(
                self.log.column("handled", first, len(seen.response))
            )
        return lambda _first, _seen: None

    def coalesced(self, first: int, count: int) -> npt.NDArray[np.bool_]:
        """Return which answers, by number, serve several interrupts by the log; shape (count,)."""
        if not self.by_log:
            return np.zeros(count, np.bool_)
        flags = self.log.column("flags", first, count)
        shared: npt.NDArray[np.bool_] = (flags & LOG_COALESCED) != 0
        return shared
