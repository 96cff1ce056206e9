# SPDX-License-Identifier: GPL-3.0-or-later
"""Every pass over a run's observations gives what the edges show, wherever they are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.model.wiring import Wiring
from rig.analysis.signals.decoder import Observation, observe
from rig.analysis.signals.glitch import filtered
from rig.analysis.signals.spool import Spool
from rig.analysis.signals.stretches import Stretches
from rig.instruments import EdgeBlock
from tests.analysis.raw_runs import (
    RATE_HZ,
    RESPONSE,
    SEQUENCE,
    STIMULUS,
    TASK,
    MemoryRun,
    settings_of,
)

WIRED = Wiring(STIMULUS, RESPONSE, SEQUENCE, task=TASK)


class _CountedRun(MemoryRun):
    """Counts how often its edges are read."""

    passes = 0

    def edge_blocks(self) -> Iterable[EdgeBlock]:  # type: ignore[override]
        self.passes += 1
        return super().edge_blocks()


def _run(end: int = 5_000) -> _CountedRun:
    """Random toggles of six channels, some of them glitches; two samples apart by over 2**32."""
    rng = np.random.default_rng(5)
    edges = []
    for channel in (STIMULUS, RESPONSE, TASK, *SEQUENCE):
        at = np.unique(rng.integers(1, end, 300)).tolist()
        if channel == STIMULUS:
            at += [end + (1 << 33), end + (1 << 33) + 50]
        edges += [(sample, channel, (place + 1) & 1) for place, sample in enumerate(at)]
    return _CountedRun(edges, end + (1 << 33) + 100, block_samples=(1 << 33) + 7_000)


def _same(a: Iterable[Observation], b: Iterable[Observation]) -> None:
    for one, other in zip(a, b, strict=True):
        assert one.end_sample == other.end_sample
        for name in ("stimulus", "response", "sequence", "task"):
            first, second = getattr(one, name), getattr(other, name)
            assert first.dtype == second.dtype == np.int64
            assert np.array_equal(first, second), name


@pytest.mark.parametrize(
    ("memory_bytes", "file_bytes", "passes"),
    [(1 << 20, 0, 1), (2_000, 1 << 20, 1), (0, 1 << 20, 1), (2_000, 0, 3), (1_000, 300, 3)],
)
def test_every_pass_gives_what_the_edges_show(
    memory_bytes: int, file_bytes: int, passes: int
) -> None:
    run, chosen = _run(), replace(settings_of("interrupt"), wiring=WIRED)
    blocks, glitch = filtered(run, chosen)
    truth = list(observe(blocks, WIRED, RATE_HZ))
    removed = sum(glitch.removed.values())
    assert sum(len(each.response) for each in truth) > 100 < removed
    run.passes = 0
    with Spool(memory_bytes, file_bytes) as spool:
        stretches = Stretches(run, chosen, spool)
        for _ in range(3):
            _same(truth, stretches)
            assert stretches.glitches == removed
    assert run.passes == passes


def test_a_pass_broken_off_keeps_nothing() -> None:
    run, chosen = _run(), replace(settings_of("interrupt"), wiring=WIRED)
    with Spool() as spool:
        stretches = Stretches(run, chosen, spool)
        next(iter(stretches))
        _same(Stretches(_run(), chosen, spool), stretches)
