# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.serial] table of a fixture: a serial line to the stimulus that is not reliable."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable


@dataclass(frozen=True)
class SerialFaults:
    """The faults of the line: the probability of each for a byte, in either direction."""

    lose: float = 0.0
    """It is lost."""
    damage: float = 0.0
    """One bit of it is false."""


def parse_serial_line(table: TomlTable) -> SerialFaults:
    """The table, or nothing wrong if it is not there. Raises InputError."""
    table.allow_only(("lose", "damage"))
    return SerialFaults(table.number("lose", 0, 1, 0), table.number("damage", 0, 1, 0))
