# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.listen`: levels of a bench's wires, with the analyzer alone.

The first line of standard input is a JSON object with the fixture's text and its source; a line of
levels is written ten times a second. The end of standard input, SIGTERM or a failure ends it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from typing import Final

import numpy as np

from gui.pages.wire.levels import CHANNELS_MAX, Levels, error_line
from rig.bench.open import open_analyzer
from rig.bench.virtual_process import VirtualProcess
from rig.config.fixture import Fixture, parse_fixture
from rig.errors import BenchError, RigError
from rig.instruments import Analyzer, CaptureEnd, EdgeBlock, Loss

EVERY_S: Final = 0.1
READ_S: Final = 0.05
REQUEST_MAX: Final = 8 << 20


def main() -> int:
    """Listen until told to end; an error is the last line."""
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    request = json.loads(sys.stdin.buffer.readline(REQUEST_MAX))
    threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    try:
        listen(parse_fixture(str(request["text"]), str(request["source"])), stop)
    except RigError as error:
        _say(error_line(str(error)))
        return error.exit_code
    return 0


def listen(fixture: Fixture, stop: threading.Event) -> None:
    """Write lines of levels until `stop`. Raises RigError."""
    with ExitStack() as stack:
        conn = fixture.analyzer.connection
        if fixture.is_virtual:
            conn = stack.enter_context(VirtualProcess(fixture, stop)).ends.analyzer
        analyzer = stack.enter_context(open_analyzer(fixture, conn))
        analyzer.start()
        _follow(analyzer, stop)
        analyzer.stop()
        while not isinstance(analyzer.read(READ_S), CaptureEnd):
            pass


def _follow(analyzer: Analyzer, stop: threading.Event) -> None:
    edges = np.zeros(CHANNELS_MAX, np.int64)
    mask, begin, end = 0, 0, 0
    told_s = time.monotonic()
    why = "the analyzer ended the capture unasked"
    while not stop.is_set():
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
            _say(Levels(mask, counts, end - begin, analyzer.identity.sample_rate_hz).line())
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


def _wait_for_end(stop: threading.Event) -> None:
    while os.read(0, 1 << 12):
        pass
    stop.set()


def _say(line: bytes) -> None:
    os.write(1, line)


if __name__ == "__main__":
    sys.exit(main())
