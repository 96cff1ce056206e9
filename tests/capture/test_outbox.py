# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks on their way out of the capture's process."""

from __future__ import annotations

import os
import threading

import numpy as np

from rig.capture import frames
from rig.capture.edges import PackedBlock
from rig.capture.frame_sender import FrameSender

EDGES = 1 << 15
BLOCKS = 200


def test_a_reader_that_pauses_makes_the_driver_wait_and_loses_nothing() -> None:
    """Of 6.5 million edges only those that fit the pipe and two frames are taken before."""
    read, write = os.pipe()
    outbox, taken, finished = FrameSender(write), [], threading.Event()

    def put_all() -> None:
        offset = np.arange(EDGES, dtype=np.uint32)
        code = (offset & 1).astype(np.uint8) << 7
        for number in range(BLOCKS):
            outbox.put(PackedBlock(number * EDGES, (number + 1) * EDGES, offset, code, 1))
            taken.append(number)
        outbox.send(frames.FrameKind.END)
        finished.set()

    threading.Thread(target=put_all, daemon=True).start()
    assert not finished.wait(1)  # it cannot end before somebody reads
    assert len(taken) < BLOCKS / 10
    reader, kinds, data = frames.FrameReader(), [], []
    while frames.FrameKind.END not in kinds:
        for kind, payload in reader.feed(os.read(read, 1 << 20)):
            kinds.append(kind)
            data.append(bytes(payload))
    blocks = [frames.unpack_block(one)[0] for one in data[:-1]]
    index = np.concatenate([block.unpacked().index for block in blocks])
    assert np.array_equal(index, np.arange(BLOCKS * EDGES))
    assert finished.wait(20)
