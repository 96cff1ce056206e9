# SPDX-License-Identifier: GPL-3.0-or-later
"""Raw data that the analysis reads of a run file, or of anything else that has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from rig.instruments import EdgeBlock, Int64Array, LogArray


class RawRun(Protocol):
    """The raw data of a run. Everything can be read any number of times, in pieces."""

    def edge_blocks(self) -> Iterator[EdgeBlock]: ...

    def losses(self) -> list[tuple[str, int, str]]: ...

    @property
    def log_count(self) -> int: ...

    def log(self, first: int, count: int) -> LogArray: ...

    @property
    def capture_count(self) -> int: ...

    def captures(self, first: int, count: int) -> Int64Array: ...
