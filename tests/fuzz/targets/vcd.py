# SPDX-License-Identifier: GPL-3.0-or-later
"""Value change dumps: the input is the file."""

from __future__ import annotations

from tests.fuzz.captures import read_through
from tests.fuzz.refusal import file_of


def one_input(data: bytes) -> None:
    with file_of(data, ".vcd") as path:
        read_through(path, ("D0", "D1"), None)
        read_through(path, ("response", "stimulus"), 1_000_000)
