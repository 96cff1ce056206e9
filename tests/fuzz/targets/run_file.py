# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files: the input is a patch to a sound one, or a whole file compressed by gzip."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.recover import recover
from rig.record.vetting import in_child, vet
from rig.session.results import read, store, stored_text
from tests.fuzz.refusal import file_of, refusal
from tests.fuzz.run_files import LIVE, originals, patched

_GZIP = b"\x1f\x8b"
_FILE_MAX = 4 << 20
_ROWS = 1 << 15
_PATIENCE_S = 0.5
"""Plenty for files of this size."""


def one_input(data: bytes) -> None:
    """The first byte chooses the file, whether checksums are mended, and what is done with it."""
    if data.startswith(_GZIP):
        choice, content = 0xFF, _unpacked(data)
    else:
        choice = data[0] if data else 0
        kind = choice % len(originals())
        # Where HDF5 waits for a wrong checksum to become right, none is left wrong.
        mend = bool(choice & 0x10) or kind == LIVE
        content = patched(originals()[kind], data[1:], mend=mend)
    with file_of(content, ".h5") as path, _deeper(), refusal():
        _in_child(lambda: vet(path, _PATIENCE_S))
        _read_all(path)
        if choice & 0x20:
            read(path)
            stored_text(path)
        if choice & 0x40:
            _recover(path)
        if choice & 0x80:
            _in_child(lambda: in_child(path, lambda: store(path), _PATIENCE_S))


@contextmanager
def _deeper() -> Iterator[None]:
    """A file that cannot be read is tried again, in case that it is being written: not here. Nor do
    digests end the look at a damaged file before it has begun."""
    with (
        mock.patch("rig.record.opening.sleep"),
        mock.patch("rig.record.reader.check_digests"),
        mock.patch("rig.record.amend.check_raw"),
    ):
        yield


def _in_child(handle: Callable[[], None]) -> None:
    try:
        handle()
    except InputError as error:
        if "exit status" in str(error):  # not HDF5's failure, an exception the reader let through
            raise AssertionError(str(error)) from None
        raise


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, _FILE_MAX)
    except zlib.error:
        return data


def _read_all(path: Path) -> None:
    with RunFile(path) as run:
        run.look_through()
        sample = 0
        for block in run.edge_blocks():
            assert block.start_sample == sample
            sample = block.end_sample
        assert sample == run.covered_samples
        for first in range(0, run.log_count, _ROWS):
            run.log(first, _ROWS)
        for first in range(0, run.capture_count, _ROWS):
            run.captures(first, _ROWS)
        for first in range(0, run.event_count, _ROWS):
            run.events(first, first + _ROWS)


def _recover(path: Path) -> None:
    out = path.with_suffix(".out")
    try:
        recover(path, out)
    finally:
        out.unlink(missing_ok=True)
