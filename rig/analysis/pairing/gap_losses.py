# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the sample stream as losses: their size, place, and the latencies they may falsify."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rig.analysis.pairing.pairing import Events
from rig.analysis.train.continuity import Gap
from rig.instruments import LossKind

TOLD_MAX = 1000
"""Most gaps that are listed one by one; the others are counted."""
_NAMED_MAX = 5


class EventsAcrossGaps:
    """Events that began before a gap and ended behind its beginning, gap by gap."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        placed = [gap for gap in gaps if gap.placed]
        self._first = np.array([gap.first_sample for gap in placed], np.int64)
        self._last = np.array([gap.last_sample for gap in placed], np.int64)
        self._events: dict[int, list[int]] = defaultdict(list)
        self._counts: dict[int, int] = defaultdict(int)

    def find(self, events: Events) -> npt.NDArray[np.bool_]:
        """Return which of these events have a latency that a gap may have cut short, shape (n,)."""
        if not len(self._first):
            return np.zeros(len(events.stimulus), bool)
        gap = np.searchsorted(self._last, events.stimulus, side="right")
        begin = np.append(self._first, np.iinfo(np.int64).max)[gap]
        found: npt.NDArray[np.bool_] = events.response > begin
        for at in np.flatnonzero(found).tolist():
            stop = int(np.searchsorted(self._first, events.response[at]))
            for number in range(int(gap[at]), stop):
                self._add(int(self._first[number]), events.first + at)
        return found

    def _add(self, first_sample: int, event: int) -> None:
        self._counts[first_sample] += 1
        if len(self._events[first_sample]) < _NAMED_MAX:
            self._events[first_sample].append(event)

    def text(self, gap: Gap) -> str:
        """Return a text that names the events across a gap, "" if there are none."""
        named = self._events.get(gap.first_sample, []) if gap.placed else []
        if not named:
            return ""
        more = self._counts[gap.first_sample] - len(named)
        names = ", ".join(map(str, named)) + (f" and {more} more" if more else "")
        return f"; the latency of event{'s' * (len(named) > 1)} {names} may be too short by as much"


def gap_losses(
    gaps: Sequence[Gap], straddlers: EventsAcrossGaps, sample_rate_hz: int
) -> list[tuple[str, int, str]]:
    """Return kind, sample and text of each gap, as raw losses have them."""
    kind = LossKind.SEQUENCE_GAP.value
    losses = [
        (kind, gap.first_sample, _text(gap, sample_rate_hz) + straddlers.text(gap))
        for gap in gaps[:TOLD_MAX]
    ]
    if len(gaps) > TOLD_MAX:
        text = f"{len(gaps) - TOLD_MAX:,} more gaps from here on"
        losses.append((kind, gaps[TOLD_MAX].first_sample, text))
    return losses


def _text(gap: Gap, sample_rate_hz: int) -> str:
    between = f"between samples {gap.first_sample:,} and {gap.last_sample:,}"
    sent = f"{gap.swallowed:,} stimul{'us' if gap.swallowed == 1 else 'i'} sent"
    if gap.missing_samples is None:
        if not gap.swallowed:
            return f"the stimulus edges {between} do not follow the planned train"
        return f"{sent} cannot be seen {between}: samples are missing, or the wire was off"
    length_ms = abs(gap.missing_samples) * 1e3 / sample_rate_hz
    samples = f"about {abs(gap.missing_samples):,} samples ({length_ms:.4f} ms)"
    if gap.missing_samples < 0:
        return f"{samples} too many {between}: repeated, or the stimulus stood still"
    if not gap.placed:
        return (
            f"{sent} cannot be seen: {samples}, whole periods of the train, are missing somewhere "
            f"{between}, or the wire was off"
        )
    swallowed = f", and {sent} cannot be seen" if gap.swallowed else ""
    return f"{samples}, +-{gap.tolerance_samples}, are missing {between}{swallowed}"
