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
    """What is wrong with them."""

    repeat: int = 1
    """Only each so-manieth sample is taken, and sent so often: the rate is less than it seems."""
    odd_early_ps: int = 0
    """Samples of odd number are taken so much too early."""

    sustained_hz: int = 0
    """Above this rate it silently loses as many samples as it has too many; 0: no limit."""

    @property
    def even(self) -> bool:
        """Nothing is wrong."""
        return self.repeat == 1 and not self.odd_early_ps


def parse_sampling(table: TomlTable) -> Sampling:
    """The table, or nothing wrong if it is not there. Raises InputError."""
    table.allow_only(("repeat", "odd_early", "sustained"))
    repeat = table.integer("repeat", 1, REPEAT_MAX) if "repeat" in table else 1
    sustained_hz = table.quantity(RATE, "sustained", 1, RATE_MAX_HZ) if "sustained" in table else 0
    return Sampling(repeat, table.time_ps("odd_early", 0, EARLY_MAX_PS, 0), sustained_hz)
