# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of edges as a value change dump (IEEE 1364-2005, clause 18), for GTKWave and PulseView."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rig.files import create_new
from rig.instruments import EdgeBlock

PS_PER_S = 10**12
_FIRST_CODE = ord("!")  # identifier codes are printable characters from here on


def write_vcd(
    path: Path, blocks: Iterable[EdgeBlock], sample_rate_hz: int, channel_names: Sequence[str]
) -> None:
    """Write the edges of the blocks, in flat memory; time 0 is the first block's first sample.

    Times are picoseconds, each sample's rounded down. Raises InputError if the file exists or
    cannot be written; no part of a file is left behind then.
    """
    with create_new(path, "capture") as file:
        for text in _texts(blocks, sample_rate_hz, channel_names):
            file.write(text)


def _texts(blocks: Iterable[EdgeBlock], sample_rate_hz: int, names: Sequence[str]) -> Iterable[str]:
    codes = [chr(_FIRST_CODE + number) for number in range(len(names))]
    yield "$timescale 1 ps $end\n$scope module capture $end\n"
    for code, name in zip(codes, names, strict=True):
        yield f"$var wire 1 {code} {''.join(name.split())} $end\n"
    yield "$upscope $end\n$enddefinitions $end\n"
    origin, end, last = None, 0, -1
    for block in blocks:
        if origin is None:
            origin = block.start_sample
            levels = (f"{block.levels_before >> n & 1}{code}\n" for n, code in enumerate(codes))
            yield "#0\n$dumpvars\n" + "".join(levels) + "$end\n"
        end = block.end_sample
        edges = zip(block.index.tolist(), block.channel.tolist(), block.level.tolist(), strict=True)
        for sample, channel, level in edges:
            if channel < len(codes):
                if sample != last:
                    yield f"#{(sample - origin) * PS_PER_S // sample_rate_hz}\n"
                    last = sample
                yield f"{level}{codes[channel]}\n"
    if origin is not None:
        yield f"#{(end - origin) * PS_PER_S // sample_rate_hz}\n"
