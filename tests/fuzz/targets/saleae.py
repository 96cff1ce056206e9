# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of Saleae's Logic 2: the input is both channels' binary file, or the table."""

from __future__ import annotations

from tests.fuzz.captures import read_through
from tests.fuzz.refusal import file_of


def one_input(data: bytes) -> None:
    with file_of(data, ".csv") as path:
        folder = path.parent / "saleae"
        folder.mkdir(exist_ok=True)
        for name in ("digital_0.bin", "digital_1.bin"):
            (folder / name).write_bytes(data)
        read_through(path if data.startswith(b"T") else folder / name, ("D0", "D1"), None)
        read_through(path if data.startswith(b"T") else folder / name, ("D1", "D0"), 1_000_000)
