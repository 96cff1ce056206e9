# SPDX-License-Identifier: GPL-3.0-or-later
"""The live figures of a run, made of its edges in one pass while it goes on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rig.analysis.model.events import Counts
from rig.analysis.model.wiring import Wiring
from rig.analysis.signals.decoder import settle_samples
from rig.capture.edges import LEVEL_BIT, PackedBlock
from rig.capture.native import flow as native
from rig.instruments import EdgeBlock
from rig.streaming.engine import NativeEngine, PairingEngine
from rig.streaming.histogram import Extreme, LogHistogram
from rig.streaming.outcome import CAPACITY, Doubts, FlowSettings, Notable
from rig.streaming.reference import ReferenceFlow

_OFFSETS = 1 << 32
"""The most samples that a packed block covers."""


def implementations() -> tuple[str, ...]:
    """Names of the implementations that work here, fastest first; `python` always does."""
    return ("native", "python") if native.available() else ("python",)


class Flow:
    """Glitch filter, observation, pairing and histogram, in constant memory for runs of any length.

    Figures are of the stimuli decided so far; `rig.streaming.reference` tells how they are decided
    and what is provisional about it. They do not depend on how the edges are split into blocks,
    nor on the implementation.
    """

    def __init__(
        self,
        wiring: Wiring,
        sample_rate_hz: int,
        glitch_samples: int,
        horizon_samples: int,
        limit_samples: int | None = None,
        implementation: str | None = None,
        capacity: int = CAPACITY,
    ) -> None:
        """Pulses shorter than `glitch_samples` are set aside, a stimulus is decided no later than
        `horizon_samples` after its edge, and latencies above `limit_samples` are notable.

        `implementation` is one of `implementations()`, by default the fastest; `capacity`, a power
        of two, is how many stimuli and how many answers may be undecided. Raises ValueError for
        settings that cannot be.
        """
        settings = FlowSettings(
            wiring,
            settle_samples(wiring, sample_rate_hz),
            glitch_samples,
            horizon_samples,
            limit_samples,
            capacity,
        )
        self._engine = _engine(implementation or implementations()[0], settings, sample_rate_hz)
        self._samples: int | None = None
        self._finished = False

    def feed(self, block: PackedBlock) -> None:
        """Take the next edges; blocks follow each other without a hole.

        Raises ValueError, and takes nothing, if they do not, if edges are not in order of
        (offset, channel), or after `finish`.
        """
        start, end = block.start_sample, block.end_sample
        expected = start if self._samples is None else self._samples
        if self._finished or start != expected or not 0 <= start <= end < native.SAMPLE_MAX:
            raise ValueError(
                f"a block of samples {start} to {end} cannot follow sample {expected}"
                + (" of a finished flow" if self._finished else "")
            )
        if not self._engine.feed(block):
            raise ValueError(f"the edges of samples {start} to {end} are not in order")
        self._samples = end

    def feed_block(self, block: EdgeBlock) -> None:
        """Take the next edges of an unpacked block, of any length."""
        for packed in _packed(block):
            self.feed(packed)

    def finish(self) -> None:
        """Decide what is left, as no more edges come."""
        if not self._finished:
            self._finished = True
            self._engine.finish()

    @property
    def samples(self) -> int:
        """End of the last block, 0 before the first."""
        return self._samples or 0

    @property
    def stimuli(self) -> int:
        """Leading stimulus edges seen, decided or not."""
        return self._engine.stimuli

    @property
    def answers(self) -> int:
        """Answer edges seen, decided or not."""
        return self._engine.answers

    @property
    def last_stimulus_sample(self) -> int:
        """Sample of the newest stimulus, 0 without any."""
        return self._engine.last_stimulus_sample

    @property
    def maximum(self) -> Extreme | None:
        """The longest latency, the first if there are several."""
        return self._engine.maximum()

    @property
    def minimum(self) -> Extreme | None:
        """The shortest latency, the first if there are several."""
        return self._engine.minimum()

    @property
    def over_limit(self) -> int:
        """Latencies above the limit; 0 if there is none."""
        return self._engine.over_limit

    @property
    def notable_lost(self) -> int:
        """Notable events that found no room because nobody took those before them."""
        return self._engine.notable_lost

    def counts(self) -> Counts:
        """Return the counts of decided stimuli; extra answers and glitches count when seen."""
        return self._engine.counts()

    def histogram(self) -> LogHistogram:
        """Return the latencies of decided stimuli: answered, late and merged."""
        return self._engine.histogram()

    def glitches(self) -> dict[int, int]:
        """Pulses removed, by channel; channels without any are left out."""
        return self._engine.glitches()

    def doubts(self) -> Doubts:
        """Return how often the flow had to decide before it could be sure."""
        return self._engine.doubts()

    def take_notable(self) -> list[Notable]:
        """The notable events since the last call, in the order of their decision."""
        return self._engine.take_notable()


def _engine(implementation: str, settings: FlowSettings, sample_rate_hz: int) -> PairingEngine:
    if implementation == "native":
        return NativeEngine(settings)
    if implementation == "python":
        return ReferenceFlow(settings, sample_rate_hz)
    raise ValueError(f"no flow {implementation!r}, only {', '.join(implementations())}")


def _packed(block: EdgeBlock) -> Iterator[PackedBlock]:
    """Yield the same edges in blocks within offsets of 32 bits."""
    edges = block.index
    if len(edges) and not block.start_sample <= edges[0] <= edges[-1] < block.end_sample:
        raise ValueError(
            f"samples {block.start_sample} to {block.end_sample} cannot have edges at "
            f"{edges[0]} to {edges[-1]}"
        )
    code = block.channel | block.level << np.uint8(LEVEL_BIT)
    if block.end_sample - block.start_sample <= _OFFSETS:
        offset = np.subtract(edges, block.start_sample).astype(np.uint32)
        yield PackedBlock(block.start_sample, block.end_sample, offset, code, block.levels_before)
        return
    levels, at, start = block.levels_before, 0, block.start_sample
    while True:
        # A stretch without edges is one block however long it is.
        quiet_until = int(edges[at]) if at < len(edges) else block.end_sample
        if quiet_until - start < _OFFSETS:
            end = min(start + _OFFSETS, block.end_sample)
        else:
            end = quiet_until
        upto = int(np.searchsorted(edges, end)) if end < block.end_sample else len(code)
        mine = slice(at, upto)
        offset = (edges[mine] - start).astype(np.uint32)
        yield PackedBlock(start, end, offset, code[mine], levels)
        for channel in np.flatnonzero(np.bincount(block.channel[mine], minlength=1) & 1).tolist():
            levels ^= 1 << channel
        at, start = upto, end
        if end == block.end_sample:
            return
