# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine behind a flow: the library in C, or the reference in Python."""

from __future__ import annotations

from typing import Any, Protocol

from rig.analysis.model.events import Counts, EventClass, ExtraClass
from rig.capture.edges import PackedBlock
from rig.capture.native import flow as native
from rig.streaming.histogram import Extreme, LogHistogram
from rig.streaming.outcome import Doubts, EventReason, FlowSettings, Notable


class PairingEngine(Protocol):
    """The interface of both engines; `rig.streaming.flow.Flow` has the meanings."""

    def feed(self, block: PackedBlock) -> bool:
        """Take edges; return whether they were taken: no if not in order or not of this block."""

    def finish(self) -> None: ...

    def counts(self) -> Counts: ...

    def histogram(self) -> LogHistogram: ...

    def maximum(self) -> Extreme | None: ...

    def minimum(self) -> Extreme | None: ...

    def glitches(self) -> dict[int, int]: ...

    def doubts(self) -> Doubts: ...

    def take_notable(self) -> list[Notable]: ...

    @property
    def stimuli(self) -> int: ...

    @property
    def answers(self) -> int: ...

    @property
    def last_stimulus_sample(self) -> int: ...

    @property
    def over_limit(self) -> int: ...

    @property
    def notable_lost(self) -> int: ...


class NativeEngine:
    """The library's figures as values of the rig."""

    def __init__(self, settings: FlowSettings) -> None:
        wiring, limit = settings.wiring, settings.limit_samples
        self._flow = native.FlowEngine(
            glitch_samples=settings.glitch_samples,
            settle_samples=settings.settle_samples,
            horizon_samples=settings.horizon_samples,
            limit_samples=-1 if limit is None else limit,
            capacity=settings.capacity,
            stimulus=wiring.stimulus,
            active_level=wiring.active_level,
            response=wiring.response,
            answer_level=-1 if wiring.answer_level is None else wiring.answer_level,
            pins=wiring.sequence,
        )

    def feed(self, block: PackedBlock) -> bool:
        return self._flow.feed(
            block.start_sample, block.end_sample, block.offset, block.code, block.levels_before
        )

    def finish(self) -> None:
        self._flow.finish()

    def counts(self) -> Counts:
        results = self._flow.results
        return Counts(
            n=results.decided,
            answered=results.classes[EventClass.ANSWERED],
            late=results.classes[EventClass.LATE],
            missed=results.classes[EventClass.MISSED],
            merged=results.classes[EventClass.MERGED],
            ambiguous=results.classes[EventClass.AMBIGUOUS],
            duplicate=results.extras[ExtraClass.DUPLICATE],
            spurious=results.extras[ExtraClass.SPURIOUS],
            glitches=sum(results.removed),
        )

    def histogram(self) -> LogHistogram:
        results = self._flow.results
        total = results.sum_high << 64 | results.sum_low
        return LogHistogram(self._flow.histogram(), total, self.maximum(), self.minimum())

    def maximum(self) -> Extreme | None:
        return _extreme(self._flow.results.maximum)

    def minimum(self) -> Extreme | None:
        return _extreme(self._flow.results.minimum)

    def glitches(self) -> dict[int, int]:
        return {channel: n for channel, n in enumerate(self._flow.results.removed) if n}

    def doubts(self) -> Doubts:
        results = self._flow.results
        return Doubts(results.expired, results.forced, results.contradicted)

    def take_notable(self) -> list[Notable]:
        return [
            Notable(event, stimulus, response, EventClass(kind), EventReason(reasons))
            for event, stimulus, response, kind, reasons in self._flow.take_notable().tolist()
        ]

    @property
    def stimuli(self) -> int:
        return int(self._flow.results.stimuli)

    @property
    def answers(self) -> int:
        return int(self._flow.results.answers)

    @property
    def last_stimulus_sample(self) -> int:
        return int(self._flow.results.last_stimulus_sample)

    @property
    def over_limit(self) -> int:
        return int(self._flow.results.over_limit)

    @property
    def notable_lost(self) -> int:
        return int(self._flow.results.notable_lost)


def _extreme(raw: Any) -> Extreme | None:
    if raw.latency_samples < 0:
        return None
    return Extreme(raw.latency_samples, raw.event, raw.stimulus_sample)
