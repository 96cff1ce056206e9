# SPDX-License-Identifier: GPL-3.0-or-later
"""The capture path from sample to figure: against the memory's speed, and against sigrok-cli.

Each figure is a ratio of two times measured in turns in one run. Ours work on samples in memory,
where a driver leaves them, in one thread. sigrok-cli reads the same samples from a file in the page
cache; the time that it takes for an empty capture is taken off.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Literal

import numpy as np

from benchmarks.clock import best_s
from benchmarks.signals import Samples, packets, read, toggling
from rig.analysis.model.wiring import Wiring
from rig.analysis.pairing.deficits import MergeProfile
from rig.analysis.pairing.pairing import Pairer, latencies
from rig.analysis.signals.decoder import observe
from rig.capture.edges import EdgeExtractor, implementations
from rig.instruments import Int64Array
from rig.streaming.flow import Flow

RATE_HZ = 24_000_000
WIRING = Wiring(stimulus=0, response=1, answer_level=1)
GLITCH_SAMPLES = 2
HORIZON_SAMPLES = RATE_HZ // 100
GAPS = (10_000, 6_000, 600, 100, 60, 10, 3)
ROUNDS = 3
NUMPY_SHARE = 8
"""numpy gets this part of the samples only, since it takes so much longer."""
PEER_GAPS = (6_000, 600, 60, 10, 3)
PEER_EDGES = 300_000
PEER_SAMPLES_MAX = 1 << 26
_JITTER = "jitter:clk=0:sig=1:clk_polarity=rising:sig_polarity=rising"
PEERS = {
    "jitter": ("-P", _JITTER, "-B", "jitter=ascii-float"),
    "timing": ("-P", "timing:data=0", "-A", "timing=time"),
    "counter": ("-P", "counter:data=0", "-A", "counter=edge_counts"),
    "vcd": ("-O", "vcd"),
}


def lines(folder: Path) -> Iterator[str]:
    """Both tables, 8 and 16 bit, and the memory that the whole pipeline takes."""
    yield from speed_table()
    yield from peer_table(folder)
    yield memory_line()


# --- against memory -----------------------------------------------------------------------------


def speed_table() -> Iterator[str]:
    """Extraction by each implementation and the whole pipeline, as shares of memory read."""
    names = (*implementations(), "pipeline")
    yield "capture: share of memory read, samples/s (pipeline: edges/s too)"
    yield f"{'bits':>4} {'1 edge in':>9} {'read':>10}  " + "".join(f"{n:>18}" for n in names)
    for unitsize in (1, 2):
        for gap in GAPS:
            yield speed_row(unitsize, gap, names)


def speed_row(unitsize: int, gap: int, names: tuple[str, ...]) -> str:
    """One density as a line of the table."""
    samples = toggling(unitsize, gap)
    took_s = times_s(samples, names)
    edges = extractor(names[0])(samples)
    cells = "".join(
        f"{took_s['read'] / took_s[n]:8.2f} {len(samples) / took_s[n] / 1e9:5.2f} GS/s"
        for n in names
    )
    return (
        f"{8 * unitsize:>4} {gap:>9,} {samples.nbytes / took_s['read'] / 1e9:5.1f} GB/s  {cells}"
        f" {edges / took_s['pipeline'] / 1e6:7.1f} M/s"
    )


def times_s(samples: Samples, names: tuple[str, ...]) -> dict[str, float]:
    """Of reading the samples and of each of these: everything in turns, so that all meet the same
    disturbances."""
    took_s = dict.fromkeys(("read", *names), float("inf"))
    for _ in range(ROUNDS):
        took_s["read"] = min(took_s["read"], best_s(partial(read, samples), 1))
        for name in names:
            share = NUMPY_SHARE if name == "numpy" else 1
            part = samples[: len(samples) // share]
            call = partial(pipeline if name == "pipeline" else extractor(name), part)
            took_s[name] = min(took_s[name], share * best_s(call, 1))
    return took_s


def extractor(implementation: str) -> Callable[[Samples], int]:
    """A function that finds all edges and returns how many there are."""

    def extract(samples: Samples) -> int:
        ours = EdgeExtractor(_unitsize(samples), 0xFFFF, implementation)
        blocks = (block for packet in packets(samples) for block in ours.packed_blocks(packet))
        return sum(len(block.code) for block in blocks)

    return extract


def pipeline(samples: Samples) -> Flow:
    """Extract, filter, pair, histogram."""
    ours = EdgeExtractor(_unitsize(samples), 0xFFFF)
    flow = Flow(WIRING, RATE_HZ, GLITCH_SAMPLES, HORIZON_SAMPLES)
    for packet in packets(samples):
        for block in ours.packed_blocks(packet):
            flow.feed(block)
    flow.finish()
    return flow


def _unitsize(samples: Samples) -> Literal[1, 2]:
    return 1 if samples.itemsize == 1 else 2


# --- against sigrok-cli -------------------------------------------------------------------------


@dataclass(frozen=True)
class Timed:
    """What a peer printed, and how long it took for that."""

    output: bytes
    s: float


def peer_table(folder: Path) -> Iterator[str]:
    """How many times as fast as sigrok's decoders and its VCD output the whole pipeline is."""
    yield "capture: whole pipeline, times the speed of sigrok-cli (its own samples/s)"
    yield f"{'bits':>4} {'1 edge in':>9} " + "".join(f"{name:>22}" for name in PEERS)
    for unitsize in (1, 2):
        empty = {name: sigrok(folder, toggling(unitsize, 3, 8), name).s for name in PEERS}
        for gap in PEER_GAPS:
            samples = toggling(unitsize, gap, min(PEER_SAMPLES_MAX, PEER_EDGES * gap))
            ours_s = best_s(partial(pipeline, samples), ROUNDS) / len(samples)
            cells = ""
            for name in PEERS:
                timed = sigrok(folder, samples, name)
                if name == "jitter":
                    require_same_latencies(samples, timed.output)
                their_s = (timed.s - empty[name]) / len(samples)
                cells += f"{their_s / ours_s:9.0f} x ({1 / their_s / 1e6:5.1f} MS/s)"
            yield f"{8 * unitsize:>4} {gap:>9,} {cells}"


def sigrok(folder: Path, samples: Samples, name: str) -> Timed:
    """One run of sigrok-cli over the samples."""
    path = folder / "samples.bin"
    samples.tofile(path)
    form = f"binary:numchannels={8 * samples.itemsize}:samplerate={RATE_HZ}"
    command = ["sigrok-cli", "-I", form, "-i", str(path), *PEERS[name]]
    start = perf_counter()
    ended = subprocess.run(command, capture_output=True, check=True)
    return Timed(ended.stdout, perf_counter() - start)


def require_same_latencies(samples: Samples, output: bytes) -> None:
    """The decoder's latencies are ours, to the sample. Raises ValueError."""
    theirs = np.rint(np.array(output.split(), dtype=np.float64) * RATE_HZ).astype(np.int64)
    if not np.array_equal(theirs, latencies_of(samples)):
        raise ValueError("sigrok's jitter decoder has other latencies")


def latencies_of(samples: Samples) -> Int64Array:
    """Of every stimulus in order, by the code that analyzes run files."""
    ours = EdgeExtractor(_unitsize(samples), 0xFFFF)
    blocks = [block for packet in packets(samples) for block in ours.blocks(packet)]
    profile, seen = MergeProfile(), list(observe(blocks, WIRING, RATE_HZ))
    for stretch in seen:
        profile.feed(stretch.stimulus, stretch.response, None)
    profile.finish()
    pairer = Pairer(profile)
    parts = [latencies(pairer.feed(stretch.stimulus, stretch.response, None)) for stretch in seen]
    return np.concatenate([*parts, latencies(pairer.finish())])


# --- memory -------------------------------------------------------------------------------------


def memory_line() -> str:
    """Growth of this process while the pipeline takes ten times the samples in one flow."""
    samples = toggling(1, 60)
    ours, flow = EdgeExtractor(1, 0xFFFF), Flow(WIRING, RATE_HZ, GLITCH_SAMPLES, HORIZON_SAMPLES)
    resident = []
    for _ in range(10):
        for packet in packets(samples):
            for block in ours.packed_blocks(packet):
                flow.feed(block)
        resident.append(resident_bytes())
    grown = max(resident[1:]) - resident[0]
    return (
        f"capture: pipeline over {flow.samples:,} samples, {flow.stimuli:,} stimuli: "
        f"{grown / 2**20:.1f} MiB more after the first {len(samples):,}"
    )


def resident_bytes() -> int:
    """Memory that this process has now."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096
