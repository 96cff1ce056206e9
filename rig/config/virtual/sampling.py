# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.sampling] table of a fixture: samples of the virtual analyzer that are not alike."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable
from rig.toml.units import RATE

REPEAT_MAX = 16
EARLY_MAX_PS = 10**8
RATE_MAX_HZ = 10**9


@dataclass(frozen=True)
class Sampling:
    """The faults of the samples."""

    repeat: int = 1
    """The number of times that each sample taken is sent: the rate is less than it seems."""
    odd_early_ps: int = 0
    """The time by which samples of odd number are taken too early."""

    sustained_hz: int = 0
    """The rate above which samples beyond it are silently lost; 0: no limit."""

    @property
    def even(self) -> bool:
        """Whether samples are taken evenly, and sent once."""
        return self.repeat == 1 and not self.odd_early_ps


def parse_sampling(table: TomlTable) -> Sampling:
    """The table, or nothing wrong if it is not there. Raises InputError."""
    table.allow_only(("repeat", "odd_early", "sustained"))
    repeat = table.integer("repeat", 1, REPEAT_MAX) if "repeat" in table else 1
    sustained_hz = table.quantity(RATE, "sustained", 1, RATE_MAX_HZ) if "sustained" in table else 0
    return Sampling(repeat, table.time_ps("odd_early", 0, EARLY_MAX_PS, 0), sustained_hz)
