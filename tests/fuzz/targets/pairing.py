# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges to figures: glitch filter, observer, pairing. Any split gives the same, sums add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.instruments import LOG_RECORD, EdgeBlock, Int64Array, LogArray
from rig.measurements.evaluate import Evaluation, EventColumns, evaluate
from tests.fuzz.captures import levels_behind

HEAD_BYTES = 8
_RATES_HZ = (1, 1_000_000, 24_000_000, 1_000_000_000)
_STIMULUS, _RESPONSE, _SEQUENCE = 0, 1, (2, 3, 4)
_CHANNELS = 6
_EDGES_MAX = 800
_BLOCKS_MAX = 20
"""Both bound the time of an input."""


@dataclass
class Stream:
    """Edges, what they mean, and the log that goes with them: all of it taken from the input."""

    edges: EdgeBlock
    settings: Settings
    log: LogArray
    step: int
    """Edges of a block in the split stream."""
    sound: bool
    """Each edge is a change of its channel's level, as in every capture; not so in a made-up run
    file."""


@dataclass
class _Raw:
    """Implements rig.analysis.model.run_data.RawRun."""

    blocks: list[EdgeBlock]
    records: LogArray
    capture_count = 0

    def edge_blocks(self) -> Iterator[EdgeBlock]:
        return iter(self.blocks)

    def losses(self) -> list[tuple[str, int, str]]:
        return []

    @property
    def log_count(self) -> int:
        return len(self.records)

    def log(self, first: int, count: int) -> LogArray:
        return self.records[first : first + count]

    def captures(self, _first: int, _count: int) -> Int64Array:
        return np.empty(0, np.int64)


@dataclass
class _Collected:
    """All events of an evaluation, piece by piece."""

    columns: dict[str, list[int]] = field(default_factory=dict)

    def add(self, events: EventColumns) -> None:
        for name, values in events.items():
            self.columns.setdefault(name, []).extend(values.tolist())


def one_input(data: bytes) -> None:
    stream = decoded(data)
    whole, events = _evaluated(stream, [stream.edges])
    _check_sums(stream, whole, events)
    if not stream.sound:
        return
    parts, same_events = _evaluated(stream, split(stream.edges, stream.step))
    assert events == same_events
    assert (whole.counts, whole.figures, whole.paired_by) == (
        parts.counts,
        parts.figures,
        parts.paired_by,
    )
    assert np.array_equal(whole.histogram.values, parts.histogram.values)
    assert np.array_equal(whole.histogram.counts, parts.histogram.counts)


def _evaluated(stream: Stream, blocks: list[EdgeBlock]) -> tuple[Evaluation, _Collected]:
    events = _Collected()
    raw = _Raw(blocks, stream.log)
    return evaluate(raw, stream.settings, InstrumentCounts(), events.add), events


def _check_sums(stream: Stream, evaluation: Evaluation, events: _Collected) -> None:
    """Each stimulus is one event, each answer belongs to one place."""
    wiring, counts = stream.settings.wiring, evaluation.counts
    stays, glitches = _staying(stream.edges, stream.settings.glitch_samples)
    edges = stream.edges
    leading = (edges.channel == wiring.stimulus) & (edges.level == wiring.active_level)
    answers = edges.channel == wiring.response
    if wiring.answer_level is not None:
        answers &= edges.level == wiring.answer_level
    stimuli = edges.index[leading & stays].tolist()
    kinds = (counts.answered, counts.late, counts.missed, counts.merged, counts.ambiguous)
    assert counts.n == sum(kinds) == len(stimuli)
    assert events.columns.get("stimulus_sample", []) == stimuli
    belonging = {number for number in events.columns.get("response_edge", []) if number >= 0}
    extras = counts.duplicate + counts.spurious
    assert len(belonging) + extras == np.count_nonzero(answers & stays)
    for sample, response in zip(stimuli, events.columns.get("response_sample", []), strict=True):
        assert response == -1 or response >= sample
    assert counts.glitches == glitches


def _staying(edges: EdgeBlock, width: int) -> tuple[npt.NDArray[np.bool_], int]:
    """The glitch filter by its definition: which edges stay, and how many pulses go.

    Edges of a channel with gaps below the width belong together; of an even number none stays, of
    an odd number the last one.
    """
    stays = np.ones(len(edges.index), bool)
    glitches = 0
    for channel in np.unique(edges.channel) if width else ():
        places = np.flatnonzero(edges.channel == channel)
        gaps = np.flatnonzero(np.diff(edges.index[places]) >= width) + 1
        for cluster in np.split(places, gaps):
            stays[cluster[: len(cluster) // 2 * 2]] = False
            stays[cluster[-1]] = len(cluster) % 2 == 1
            glitches += len(cluster) // 2
    return stays, glitches


def split(edges: EdgeBlock, step: int) -> list[EdgeBlock]:
    """Blocks of about `step` edges that never part those of one sample, an empty one among them."""
    blocks: list[EdgeBlock] = []
    step = max(step, len(edges.index) // _BLOCKS_MAX)
    at, levels, start = 0, edges.levels_before, edges.start_sample
    while at < len(edges.index):
        stop = min(at + step, len(edges.index))
        while stop < len(edges.index) and edges.index[stop] == edges.index[stop - 1]:
            stop += 1
        end = int(edges.index[stop - 1]) + 1
        rows = slice(at, stop)
        blocks.append(
            EdgeBlock(start, end, edges.index[rows], edges.channel[rows], edges.level[rows], levels)
        )
        levels, start, at = levels_behind(blocks[-1]), end, stop
    none = np.empty(0, np.uint8)
    middle = start + (edges.end_sample - start) // 2
    blocks.append(EdgeBlock(start, middle, none.astype(np.int64), none, none, levels))
    blocks.append(EdgeBlock(middle, edges.end_sample, none.astype(np.int64), none, none, levels))
    return blocks


def decoded(data: bytes) -> Stream:
    """Eight bytes of settings, then two an edge: distance from the last one, channel and level.

    The log has a record an answer; its handler counts are those of the order, or come from the
    input, too, as if the file were damaged.
    """
    head = data[:HEAD_BYTES].ljust(HEAD_BYTES, b"\0")
    pairs = np.frombuffer(data[HEAD_BYTES:][: 2 * _EDGES_MAX], np.uint8)
    pairs = pairs[: len(pairs) // 2 * 2].reshape(-1, 2)
    sound = not head[6] & 0x80
    edges = _edges(pairs, scale=1 << head[5] % 32, levels=head[6] & 0x3F, sound=sound)
    sequence = _SEQUENCE[: head[0] % 4]
    wiring = Wiring(
        _STIMULUS,
        _RESPONSE,
        sequence,
        active_level=head[0] >> 2 & 1,
        answer_level=(None, 0, 1, None)[head[0] >> 3 & 3],
    )
    settings = Settings(
        "interrupt", "idle", _RATES_HZ[head[2] % 4], 16_000_000, wiring, head[1], None, Limits()
    )
    return Stream(edges, settings, _log(head, pairs, edges), head[3] + 1, sound)


def _edges(pairs: np.ndarray, scale: int, levels: int, *, sound: bool) -> EdgeBlock:
    index, channel = pairs[:, 0].astype(np.int64) * scale, pairs[:, 1] & 0x7F
    channel = (channel % _CHANNELS).astype(np.uint8) if sound else channel
    falls = np.append(False, channel[1:] <= channel[:-1])  # no room in the same sample
    index[falls & (index == 0)] = 1
    index = np.cumsum(index)
    level = pairs[:, 1] >> 7
    for bit in range(_CHANNELS) if sound else ():
        mine = channel == bit
        level[mine] = ((levels >> bit & 1) + 1 + np.arange(np.count_nonzero(mine))) % 2
    end = int(index[-1]) + 1 + scale if len(index) else scale
    return EdgeBlock(0, end, index, channel, level, levels)


def _log(head: bytes, pairs: np.ndarray, edges: EdgeBlock) -> LogArray:
    count = head[4] % 3 and np.count_nonzero(edges.channel == _RESPONSE) + head[7] % 3 - 1
    records = np.zeros(max(0, int(count)), LOG_RECORD)
    records["sequence"] = np.arange(len(records))
    records["handled"] = records["sequence"] + 1
    if head[4] % 3 == 2:  # a few bytes tell how each handler count differs from the order
        wrong = np.resize(pairs[:, 0].astype(np.uint64), len(records))
        records["handled"] += wrong << np.uint64(head[4] % 64)
    return records
