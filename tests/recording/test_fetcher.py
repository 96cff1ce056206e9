# SPDX-License-Identifier: GPL-3.0-or-later
"""The input capture of a response line that never rests: fetching it comes to an end."""

from __future__ import annotations

import threading

from rig.bench.open import Bench, open_bench
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.instruments import ArmOptions
from rig.recording.fetcher import CaptureFetcher
from tests.chip import CHIP

END_S = 20


def test_it_ends_while_the_target_goes_on() -> None:
    with open_bench(load_fixture("virtual")) as bench:
        over = threading.Event()
        reader = threading.Thread(target=_read, args=(bench, over))
        bench.analyzer.start()
        reader.start()
        try:
            train = load_plan("interrupt").with_overrides(count=1).train(CHIP)
            assert train is not None
            bench.stimulus.configure(train)
            periods = {"period_ns": "200000", "count": "10000000"}
            bench.target.arm(ArmOptions("period", 1000, 3, periods))
            bench.stimulus.start()
            fetcher = CaptureFetcher(bench.stimulus)
            assert fetcher.done.wait(END_S)
            ending = threading.Thread(target=fetcher.finish, daemon=True)
            ending.start()
            ending.join(END_S)
            assert not ending.is_alive()
            assert len(fetcher.take()) > 0
        finally:
            over.set()
            reader.join()


def _read(bench: Bench, over: threading.Event) -> None:
    """The bench's time stands still without a reader."""
    while not over.is_set():
        bench.analyzer.read(0.05)
