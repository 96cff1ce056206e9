# SPDX-License-Identifier: GPL-3.0-or-later
"""Edge extraction against the speed at which this machine can read the same memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.clock import best_s
from rig.capture.edges import EdgeExtractor

SAMPLES = 1 << 26
PACKET = 1 << 20


def lines(_folder: Path) -> Iterator[str]:
    """Samples per second at three densities of edges, and their share of the read bandwidth."""
    quiet = np.ones(SAMPLES, np.uint8)  # zeros would be one shared page, never read from memory
    read_s = best_s(lambda: quiet.view(np.uint64).max())
    yield f"memory read      {SAMPLES / read_s / 1e9:6.2f} GB/s   (numpy max of 64-bit words)"
    for gap in (10_000, 100, 3):
        samples = (np.arange(SAMPLES) // gap % 2).astype(np.uint8)
        took_s = best_s(lambda samples=samples: extract(samples), 3)
        yield (
            f"edge extraction  {SAMPLES / took_s / 1e9:6.2f} GS/s   1 edge in {gap:>6} samples: "
            f"{read_s / took_s:.2f} of memory read"
        )


def extract(samples: np.ndarray) -> int:
    """All edges of the samples, packet by packet as libsigrok hands them out."""
    extractor = EdgeExtractor(1, 0xFF)
    return sum(
        len(extractor.feed(samples[i : i + PACKET]).index) for i in range(0, SAMPLES, PACKET)
    )
