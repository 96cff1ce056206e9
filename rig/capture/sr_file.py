# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of edges as a sigrok session file (`.sr`), for PulseView and sigrok-cli.

The format is a zip of `version`, `metadata` (an INI file) and the samples in `logic-1-1`,
`logic-1-2` and so on, as libsigrok 0.5.2 writes and reads it (src/output/srzip.c,
src/session_file.c).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rig.errors import InputError
from rig.files import create_new_binary
from rig.instruments import EdgeBlock, Int64Array

_CHUNK_BYTES = 4 << 20
_FORMAT_VERSION = b"2"
_SIGROK_VERSION = "0.5.2"
"""The libsigrok whose format this is; readers only show it."""


def write_sr(
    path: Path,
    blocks: Iterable[EdgeBlock],
    sample_rate_hz: int,
    channel_names: Sequence[str],
    unitsize: Literal[1, 2],
) -> None:
    """Write the samples that the blocks stand for, in flat memory.

    `channel_names` by bit number, at most 8 for each of the `unitsize` bytes a sample. Raises
    InputError if the file exists, the names do not fit, or the blocks contradict themselves; no
    part of a file is left behind then.
    """
    _check_names(channel_names, unitsize)
    with (
        create_new_binary(path, "capture") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.writestr("version", _FORMAT_VERSION)
        archive.writestr("metadata", _metadata(sample_rate_hz, channel_names, unitsize))
        for number, samples in enumerate(_chunks(blocks, unitsize), start=1):
            archive.writestr(f"logic-1-{number}", samples.data)


def _check_names(names: Sequence[str], unitsize: int) -> None:
    if not 1 <= len(names) <= 8 * unitsize:
        raise InputError(f"{len(names)} channels do not fit {8 * unitsize} bits a sample")
    for name in names:
        if not name or not name.isprintable():
            raise InputError(f"channel name {name!r}: use one or more printable characters")


def _metadata(sample_rate_hz: int, names: Sequence[str], unitsize: int) -> bytes:
    lines = [
        "[global]",
        f"sigrok version={_SIGROK_VERSION}",
        "",
        "[device 1]",
        "capturefile=logic-1",
        f"total probes={len(names)}",
        f"samplerate={sample_rate_hz} Hz",
        "total analog=0",
        *(f"probe{number}={name}" for number, name in enumerate(names, start=1)),
        f"unitsize={unitsize}",
        "",
    ]
    return "\n".join(lines).encode()


def _chunks(blocks: Iterable[EdgeBlock], unitsize: int) -> Iterator[npt.NDArray[Any]]:
    """The samples in pieces of _CHUNK_BYTES, the last one shorter."""
    chunk = np.empty(_CHUNK_BYTES // unitsize, dtype="u1" if unitsize == 1 else "<u2")
    used = 0
    end = None
    for block in blocks:
        if end is not None and block.start_sample != end:
            raise InputError(f"samples {end} to {block.start_sample} of the capture are missing")
        end = block.end_sample
        at, values = _runs(block)
        sample = block.start_sample
        while sample < block.end_sample:
            until = min(block.end_sample, sample + len(chunk) - used)
            first = np.searchsorted(at, sample, side="right") - 1
            last = np.searchsorted(at, until, side="left")
            borders = np.clip(np.append(at[first:last], until), sample, until)
            fill = chunk[used : used + until - sample]
            fill[:] = np.repeat(values[first:last].astype(chunk.dtype), np.diff(borders))
            used += until - sample
            sample = until
            if used == len(chunk):
                yield chunk
                used = 0
    if used:
        yield chunk[:used]
    if not end:
        raise InputError("the capture holds no samples")


def _runs(block: EdgeBlock) -> tuple[Int64Array, Int64Array]:
    """First sample and value of each run of equal samples (a run may be empty)."""
    bits = np.left_shift(1, block.channel.astype(np.int64))
    values = np.bitwise_xor.accumulate(np.concatenate(([block.levels_before], bits)))
    if np.any((values[1:] & bits != 0) != (block.level != 0)):
        raise InputError(
            f"edges in samples {block.start_sample} to {block.end_sample} do not alternate: "
            "the capture they come from is damaged"
        )
    return np.concatenate(([block.start_sample], block.index)), values
