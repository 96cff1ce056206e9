# SPDX-License-Identifier: GPL-3.0-or-later
"""Session files of sigrok: the input is the file."""

from __future__ import annotations

from tests.fuzz.captures import read_through
from tests.fuzz.refusal import any_checksum, file_of


def one_input(data: bytes) -> None:
    with file_of(b"PK" + data[2:], ".sr") as path, any_checksum():
        read_through(path, ("D0", "D1"), None)
        read_through(path, ("response", "stimulus"), 1_000_000)
