# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.levels_process`: levels of a bench's wires, with the analyzer alone.

The request is a fixture's text and its source; levels are sent ten times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, Final

import numpy as np

from gui.pages.wire.levels import CHANNELS_MAX, ChannelLevels
from gui.processes.worker import ParentWindow, serve
from rig.bench.open import open_analyzer
from rig.bench.virtual_process import VirtualProcess
from rig.config.fixture import Fixture, parse_fixture
from rig.errors import BenchError
from rig.instruments import Analyzer, CaptureEnd, EdgeBlock, Loss

EVERY_S: Final = 0.1
READ_S: Final = 0.05


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Listen until told to end. Raises RigError."""
    listen(parse_fixture(str(request["text"]), str(request["source"])), window)


def listen(fixture: Fixture, window: ParentWindow) -> None:
    """Send levels until the end. Raises RigError."""
    with ExitStack() as stack:
        conn = fixture.analyzer.connection
        if fixture.is_virtual:
            conn = stack.enter_context(VirtualProcess(fixture, window.stop)).ends.analyzer
        analyzer = stack.enter_context(open_analyzer(fixture, conn))
        analyzer.start()
        _follow(analyzer, window)
        analyzer.stop()
        while not isinstance(analyzer.read(READ_S), CaptureEnd):
            pass


def _follow(analyzer: Analyzer, window: ParentWindow) -> None:
    edges = np.zeros(CHANNELS_MAX, np.int64)
    mask, begin, end = 0, 0, 0
    told_s = time.monotonic()
    why = "the analyzer ended the capture unasked"
    while not window.stop.is_set():
        match analyzer.read(READ_S):
            case EdgeBlock() as block:
                edges += np.bincount(block.channel, minlength=CHANNELS_MAX)
                mask, end = levels_after(block), block.end_sample
            case Loss() as loss:
                why = loss.text
            case CaptureEnd():
                raise BenchError(why)
        if time.monotonic() - told_s >= EVERY_S and end > begin:
            counts = tuple(int(count) for count in edges)
            rate_hz = analyzer.identity.sample_rate_hz
            window.send(ChannelLevels(mask, counts, end - begin, rate_hz).message())
            edges[:] = 0
            begin, told_s = end, time.monotonic()


def levels_after(block: EdgeBlock) -> int:
    """Bit mask of all levels at the end of a block."""
    mask = block.levels_before
    # Of the edges of one channel only the last counts.
    channels, from_end = np.unique(block.channel[::-1], return_index=True)
    for channel, level in zip(channels, block.level[::-1][from_end], strict=True):
        bit = 1 << int(channel)
        mask = mask | bit if level else mask & ~bit
    return mask


if __name__ == "__main__":
    sys.exit(serve(work))
