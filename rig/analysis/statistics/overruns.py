# SPDX-License-Identifier: GPL-3.0-or-later
"""Values above a limit, and how many of them came in a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Overruns:
    """The overruns among n events, in event order."""

    n: int = 0
    count: int = 0
    longest_run: int = 0
    """Most overruns in a row."""
    longest_run_first: int | None = None
    """Number, from 0, of the first event of the first such run."""


class OverrunCounter:
    """A counter of overruns, exact and in constant memory, to which events come in pieces."""

    def __init__(self) -> None:
        self._n = self._count = self._longest = self._open = 0
        self._longest_first: int | None = None

    def add(self, over: npt.NDArray[np.bool_]) -> None:
        """Add the next events, shape (n,): True if above the limit, or never answered at all."""
        if not len(over):
            return
        edges = np.flatnonzero(np.diff(np.concatenate([[False], over, [False]]).astype(np.int8)))
        first, stop = edges[::2], edges[1::2]
        lengths = stop - first
        first = first + self._n
        if len(first) and over[0]:
            lengths[0] += self._open
            first[0] -= self._open
        if len(lengths) and (longest := int(lengths.max())) > self._longest:
            self._longest = longest
            self._longest_first = int(first[np.argmax(lengths)])
        self._open = int(lengths[-1]) if over[-1] else 0
        self._n += len(over)
        self._count += int(np.count_nonzero(over))

    def add_overruns(self, count: int) -> None:
        """Add the next `count` events, all of them above the limit: however many, in one step."""
        if count <= 0:
            return
        if self._open + count > self._longest:
            self._longest, self._longest_first = self._open + count, self._n - self._open
        self._open += count
        self._n += count
        self._count += count

    def result(self) -> Overruns:
        """Return the overruns that were counted so far."""
        return Overruns(self._n, self._count, self._longest, self._longest_first)
