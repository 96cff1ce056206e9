# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a capture file to its end and checks what every capture keeps to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rig.capture.replay.capture_file import open_capture
from rig.instruments import CaptureEnd, EdgeBlock, Loss
from tests.fuzz.refusal import refusal


def read_through(path: Path, wanted: Sequence[str], rate_hz: int | None) -> None:
    """Refused in one line, or blocks that follow each other, losses, and one end."""
    with refusal():
        capture = open_capture(path, wanted, rate_hz)
        assert len(capture.bits) == len(wanted)
        assert capture.source.identity.sample_rate_hz >= 1
        sample, levels, ended = 0, None, False
        for item in capture.source.items():
            assert not ended
            if isinstance(item, EdgeBlock):
                assert levels in (None, item.levels_before)
                check_block(item, sample, capture.bits)
                sample, levels = item.end_sample, levels_behind(item)
            elif isinstance(item, Loss):
                assert item.text.isprintable()
                assert 0 <= item.sample <= sample
            else:
                assert isinstance(item, CaptureEnd)
                assert item.samples == sample
                ended = True
        assert ended


def check_block(block: EdgeBlock, start: int, bits: Sequence[int]) -> None:
    """Edges in order, within the block, on these channels, each a change of its level."""
    assert block.start_sample == start <= block.end_sample
    assert len(block.index) == len(block.channel) == len(block.level)
    if not len(block.index):
        return
    assert start <= block.index[0]
    assert block.index[-1] < block.end_sample
    order = np.lexsort((block.channel, block.index))
    assert np.array_equal(order, np.arange(len(order)))
    assert set(np.unique(block.channel).tolist()) <= set(bits)
    for bit in bits:
        level = block.level[block.channel == bit]
        before = block.levels_before >> bit & 1
        assert np.array_equal(level, (before + 1 + np.arange(len(level))) % 2)


def levels_behind(block: EdgeBlock) -> int:
    """Levels of all channels after the block's edges."""
    toggles = np.bincount(block.channel, minlength=1) % 2
    return block.levels_before ^ sum(1 << bit for bit in np.flatnonzero(toggles).tolist())
