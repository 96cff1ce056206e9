# SPDX-License-Identifier: GPL-3.0-or-later
"""The edge at which each captured answer, and each record of the log, was taken.

Found by time, as a run file is written: the clock's count so far tells where the next edges are. It
need not be right. A wrong edge makes the file larger, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rig.arrays import FloatArray
from rig.instruments import Int64Array
from rig.record.chunks import Rows
from rig.record.layout import LOG
from rig.record.stamp_code import Codes, CountedEdges, Lines, encode_log, encode_stamps, fitted

_FIRST_EDGES, _FIRST_COUNTS = 64, 32
"""The edges that the first count may belong to, and the counts by which that is decided."""
_BEHIND = 32
"""Edges kept before the last one that was found."""
_FEW = 64
"""The fewest rows from which a rate is estimated."""


class EdgeSource(Protocol):
    """Edges of the answers, read back from the file that is being written."""

    def more(self) -> CountedEdges | None:
        """Return the next edges, None if there are no more yet."""
        ...


@dataclass(frozen=True)
class _Clock:
    """A clock, as its count at a sample and its rate."""

    count: int
    sample: float
    counts_a_sample: float

    def samples(self, counts: Int64Array) -> FloatArray:
        """Return the samples at which the clock shows these counts."""
        with np.errstate(over="ignore"):
            since: FloatArray = (counts - np.int64(self.count)).astype(np.float64)
        return self.sample + since / self.counts_a_sample


class Follower:
    """Follows one clock from chunk to chunk."""

    def __init__(self, source: EdgeSource, counts_a_sample: float) -> None:
        """`counts_a_sample`: the clock's nominal rate."""
        self._source = source
        self._nominal = counts_a_sample
        self._clock: _Clock | None = None
        self._rows, self._samples = np.empty(0, np.int64), np.empty(0, np.int64)

    def edges_of(self, counts: Int64Array, *, wait: bool) -> CountedEdges | None:
        """Return the edge of each count, shape (n,) with n > 0; None if there are no edges.

        `wait`: None as well if edges of some of them are still to come.
        """
        while len(self._rows) < _FIRST_EDGES + _FIRST_COUNTS and self._more():
            pass
        clock = self._clock or self._first_clock(counts)
        if clock is None:
            return None
        expected = clock.samples(counts)
        last = float(expected.max())
        while self._samples[-1] < last and self._more():
            pass
        if wait and self._samples[-1] < last:
            return None
        place = _nearest(self._samples, expected)
        samples = self._samples[place]
        found = CountedEdges(self._rows[place], samples, fitted(samples, counts))
        self._clock = self._next_clock(counts, samples, *found.line)
        self._drop(int(place[-1]) - _BEHIND)
        return found

    def lost(self) -> None:
        """Forget the clock: the edges found last do not fit, the next are looked for anew."""
        self._clock = None

    def _more(self) -> bool:
        found = self._source.more()
        if found is not None:
            self._rows = np.concatenate((self._rows, found.rows))
            self._samples = np.concatenate((self._samples, found.samples))
        return found is not None

    def _drop(self, count: int) -> None:
        if count > 0:
            self._rows, self._samples = self._rows[count:], self._samples[count:]

    def _first_clock(self, counts: Int64Array) -> _Clock | None:
        """Return the clock that puts the first count at the edge with which the next fit best."""
        if not len(self._samples):
            return None
        first = int(counts[0])
        tried = self._samples[:_FIRST_EDGES].astype(np.float64)
        since = _Clock(first, 0.0, self._nominal).samples(counts[:_FIRST_COUNTS])
        expected = tried[:, None] + since
        place = _nearest(self._samples, expected.ravel()).reshape(expected.shape)
        off = np.abs(self._samples[place] - expected).mean(axis=1)
        clock = _Clock(first, float(tried[np.argmin(off)]), self._nominal)
        few = counts[:_FEW]
        samples = self._samples[_nearest(self._samples, clock.samples(few))]
        return self._next_clock(few, samples, *fitted(samples, few))

    def _next_clock(
        self, counts: Int64Array, samples: Int64Array, offset: int, slope: float
    ) -> _Clock:
        """Return the clock along the line through these counts, if they are enough for one."""
        if len(counts) < _FEW or not 0.9 < slope / self._nominal < 1.1:
            slope = self._clock.counts_a_sample if self._clock else self._nominal
            return _Clock(int(counts[-1]), float(samples[-1]), slope)
        return _Clock(offset, float(samples[0]), slope)


class AlongEdges:
    """Encodes the log, or captured answers."""

    def __init__(self, name: str, follower: Follower | None) -> None:
        """`follower`: None if nobody knows where the edges of these rows are."""
        self._is_log, self._follower = name == LOG, follower

    def __call__(self, rows: Rows, *, wait: bool) -> tuple[Lines, Codes] | None:
        """Return the line and the codes of these rows, as Encoder."""
        edges = None
        if self._follower is not None:
            counts = rows["before_ticks"].view(np.int64) if self._is_log else rows
            edges = self._follower.edges_of(counts, wait=wait)
            if wait and edges is None:
                return None
        line, codes = encode_log(rows, edges) if self._is_log else encode_stamps(rows, edges)
        if self._follower is not None and not line["by_edge"][0]:
            self._follower.lost()
        return line, codes


def _nearest(samples: Int64Array, expected: FloatArray) -> npt.NDArray[np.intp]:
    """Return the places of the samples next to these."""
    after = np.minimum(np.searchsorted(samples, expected), len(samples) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(expected - samples[before] < samples[after] - expected, before, after)
