# SPDX-License-Identifier: GPL-3.0-or-later
"""Session files of sigrok: the input is the file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from tests.fuzz.captures import read_through
from tests.fuzz.refusal import file_of


@contextmanager
def _any_checksum() -> Iterator[None]:
    """A zip's CRC-32 ends nearly every damaged entry; without it the damage gets to the reader."""
    with mock.patch.object(zipfile.ZipExtFile, "_update_crc", return_value=None):
        yield


def one_input(data: bytes) -> None:
    with file_of(b"PK" + data[2:], ".sr") as path, _any_checksum():
        read_through(path, ("D0", "D1"), None)
        read_through(path, ("response", "stimulus"), 1_000_000)
