# SPDX-License-Identifier: GPL-3.0-or-later
"""Edge extraction against the speed at which this machine can read the same memory, and numpy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from benchmarks.clock import best_s
from rig.capture.edges import EdgeExtractor, implementations

BYTES = 1 << 27
PACKET_BYTES = 1 << 20
ROUNDS = 3
NUMPY_SHARE = 8
"""numpy gets this part of the samples only, since it takes so much longer."""
GAPS = (10_000, 100, 3)


def lines(_folder: Path) -> Iterator[str]:
    """For each width and density of edges: samples per second, share of the memory's read
    bandwidth, and times numpy, of each implementation."""
    generator = np.random.default_rng(1)
    for unitsize in (1, 2):
        for gap in GAPS:
            samples = toggling(generator, unitsize, gap)
            took_s = {name: float("inf") for name in implementations()}
            read_s = float("inf")
            for _ in range(ROUNDS):  # in turns, so that all meet the same disturbances
                read_s = min(read_s, best_s(lambda samples=samples: read(samples), 1))
                for name in took_s:
                    share = NUMPY_SHARE if name == "numpy" else 1
                    part = samples[: len(samples) // share]
                    call = lambda part=part, name=name: extract(part, name)  # noqa: E731
                    took_s[name] = min(took_s[name], share * best_s(call, 1))
            yield (
                f"edge extraction  {8 * unitsize:2} bit, 1 edge in {gap:>6} samples; "
                f"memory read {BYTES / read_s / 1e9:.1f} GB/s"
            )
            for name, s in took_s.items():
                yield (
                    f"    {name:<9}  {len(samples) / s / 1e9:6.2f} GS/s   {read_s / s:5.2f} of "
                    f"memory read   {took_s['numpy'] / s:5.1f} x numpy"
                )


def toggling(
    generator: np.random.Generator, unitsize: int, mean_gap: int
) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Samples of two lines that toggle in turn at random; written, so that they are in memory."""
    count = BYTES // unitsize
    kind = np.uint8 if unitsize == 1 else np.uint16
    toggles = np.zeros(count, kind)
    at = np.cumsum(generator.integers(1, 2 * mean_gap, count // mean_gap + 1))
    at = at[at < count]
    toggles[at] = 1 + np.arange(len(at)) % 2
    return np.bitwise_xor.accumulate(toggles)


def read(samples: npt.NDArray[Any]) -> int:
    """All bytes once; numpy's maximum uses the widest vectors the processor has."""
    return int(samples.view(np.uint64).max())


def extract(samples: npt.NDArray[Any], implementation: str) -> int:
    """All edges of the samples."""
    unitsize: Literal[1, 2] = 1 if samples.itemsize == 1 else 2
    extractor = EdgeExtractor(unitsize, 0xFFFF, implementation)
    step = PACKET_BYTES // unitsize
    packets = (samples[i : i + step] for i in range(0, len(samples), step))
    return sum(len(block.code) for packet in packets for block in extractor.packed_blocks(packet))
