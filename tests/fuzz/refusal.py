# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reader may do with bad bytes, and where it finds them."""

from __future__ import annotations

import itertools
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

from rig.errors import RigError

_numbers = itertools.count()


@contextmanager
def refusal(*errors: type[Exception]) -> Iterator[None]:
    """Lets these errors pass (a RigError if none are named), if they are one line of text."""
    allowed = errors or (RigError,)
    try:
        yield
    except allowed as error:
        text = str(error)
        assert text, "an error without a word"
        assert text.isprintable(), f"an error that is no plain line: {text!r}"
        assert len(text) < 4000, f"an error of {len(text)} characters"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
    return tempfile.TemporaryDirectory(prefix="rig-fuzz-", dir=memory if memory.is_dir() else None)


@contextmanager
def file_of(data: bytes, suffix: str) -> Iterator[Path]:
    """A file of these bytes, in memory if there is such a place; no name comes twice."""
    path = Path(_folder().name) / f"{os.getpid()}-{next(_numbers)}{suffix}"
    path.write_bytes(data)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def any_checksum() -> Iterator[None]:
    """A zip's CRC-32 ends nearly every damaged entry; without it the damage gets to the reader."""
    with mock.patch.object(zipfile.ZipExtFile, "_update_crc", return_value=None):
        yield
