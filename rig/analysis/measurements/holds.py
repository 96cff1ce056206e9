# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds: trains of one rate each, and what became of the stimuli of each.

Where one hold ends and the next begins is shown by the rest between them, which is longer than any
interval: nothing but the capture is needed, and a run that was cut short keeps its whole holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.analysis.model.events import EventClass
from rig.analysis.model.rate_search import falls_behind
from rig.analysis.model.rate_steps import REST_FACTOR, RateSteps
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.instruments import Int64Array

_UNEVEN_SAMPLES = 2
"""An interval of a train of one rate departs from it by no more than these and a tick."""
_NAMED_MAX = 3


@dataclass(frozen=True)
class RateStep:
    """The counts and latencies of the stimuli of one rate."""

    spacing_ns: float
    """Time from stimulus to stimulus, as the analyzer saw it."""
    rate_hz: float
    sent: int
    answered: int
    late: int
    """Number that have an answer of their own, but after the next stimulus."""
    merged: int
    missed: int
    average_ns: float | None
    max_ns: float | None
    """Average and maximum of the latencies, of all that were served."""
    backlog_growing: bool
    """Whether answers came later and later."""
    is_complete: bool
    """Whether there were as many stimuli as planned."""
    answer_interval_ns: float | None = None
    """Average time from an answer to the next; None: fewer than two were seen."""
    least_answer_interval_ns: float | None = None
    """The least of these times."""

    @property
    def is_sustained(self) -> bool:
        """Whether each stimulus got an answer of its own, and answers did not fall behind."""
        return self.is_complete and not self.merged and not self.missed and not self.backlog_growing


class HoldTally:
    """The holds of a run, made of its events; those of one hold are kept."""

    def __init__(
        self, source: RateSteps, sample_rate_hz: int, clock_hz: int, faster_ppm: float = 0.0
    ) -> None:
        """Begin the first hold; `faster_ppm`: the stimulus's clock by the analyzer's, as found."""
        self._source, self._rate_hz = source, sample_rate_hz
        self._tick_samples = sample_rate_hz / clock_hz / (1 + faster_ppm / 1e6)
        self._rest_samples = REST_FACTOR / 2 * source.first_ticks * self._tick_samples
        self._parts: list[tuple[Int64Array, Int64Array, Int64Array]] = []
        self._last: int | None = None
        self.holds: list[RateStep] = []
        self.latencies: list[ExactHistogram] = []
        """Latencies of each hold, in samples."""
        self.uneven: list[int] = []
        """Samples of stimuli that do not follow at the rate of their hold."""

    def add(self, events: Events) -> None:
        """Add the next events, in order."""
        if not len(events.stimulus):
            return
        before = events.stimulus[0] if self._last is None else self._last
        rests = np.flatnonzero(np.diff(events.stimulus, prepend=before) > self._rest_samples)
        # Whichever reading of ambiguous ones is true: as many interrupts were lost.
        kind = events.kind if events.readings is None else events.readings[0].kind
        columns = (events.stimulus, events.response, kind.astype(np.int64))
        start = 0
        for rest in rests.tolist():
            self._keep(columns, start, rest)
            self._end_hold()
            start = rest
        self._keep(columns, start, len(events.stimulus))
        self._last = int(events.stimulus[-1])

    def finish(self) -> None:
        """End the last hold."""
        self._end_hold()

    def _keep(self, columns: tuple[Int64Array, ...], start: int, stop: int) -> None:
        if stop > start:
            stimulus, response, kind = (column[start:stop] for column in columns)
            self._parts.append((stimulus, response, kind))

    def _end_hold(self) -> None:
        if not self._parts:
            return
        stimulus, response, kind = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        self._parts = []
        n = len(stimulus)
        spacing = float(stimulus[-1] - stimulus[0]) / max(1, n - 1)
        off = np.abs(np.diff(stimulus) - spacing) > _UNEVEN_SAMPLES + self._tick_samples
        self.uneven += stimulus[1:][off].tolist()
        latency = (response - stimulus)[response >= 0]
        count = np.bincount(kind, minlength=len(EventClass))
        sample_ns = 1e9 / self._rate_hz
        between = np.diff(np.unique(response[response >= 0]))
        histogram = ExactHistogram()
        histogram.add(latency)
        self.latencies.append(histogram)
        self.holds.append(
            RateStep(
                spacing_ns=spacing * sample_ns,
                rate_hz=self._rate_hz / spacing if spacing else 0.0,
                sent=n,
                answered=int(count[EventClass.ANSWERED]),
                late=int(count[EventClass.LATE]),
                merged=int(count[EventClass.MERGED] + count[EventClass.AMBIGUOUS]),
                missed=int(count[EventClass.MISSED]),
                average_ns=float(latency.mean()) * sample_ns if len(latency) else None,
                max_ns=float(latency.max()) * sample_ns if len(latency) else None,
                backlog_growing=falls_behind(latency, spacing),
                is_complete=n == self._source.count,
                answer_interval_ns=float(between.mean()) * sample_ns if len(between) else None,
                least_answer_interval_ns=float(between.min()) * sample_ns if len(between) else None,
            )
        )


def hold_witness(source: RateSteps, tally: HoldTally, steps: Sequence[int] | None) -> Witness:
    """Compare each hold with what the firmware sent: as many stimuli, and evenly spaced.

    `steps`: stimuli of each hold by the firmware's account; None: the run did not get to it.
    """
    seen = [hold.sent for hold in tally.holds]
    told = seen if steps is None else [sent for sent in steps if sent]
    problems = []
    if seen != told:
        at = next((i for i, pair in enumerate(zip(seen, told, strict=False)) if pair[0] != pair[1]),
                  min(len(seen), len(told)))  # fmt: skip
        problems.append(
            f"analyzer saw {len(seen)} holds, firmware sent {len(told)}, they differ from hold {at}"
        )
    if tally.uneven:
        places = ", ".join(str(sample) for sample in tally.uneven[:_NAMED_MAX])
        problems.append(f"{len(tally.uneven)} stimuli off their rate, at sample {places}")
    text = "; ".join(problems) or f"{len(seen)} of up to {source.count:,} stimuli, each of one rate"
    return Witness("holds", not problems, text)
