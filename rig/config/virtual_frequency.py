# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.frequency] table of a fixture: the frequency of a modelled target's processor."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.tables import Table
from rig.config.units import RATE

LOWEST_HZ, HIGHEST_HZ = 10**6, 10**10
ERROR_MAX_PPB = 100_000_000
CONTROLS = ("full", "refused", "none")
"""The agent may set the frequency; it is there but may not be set; nothing tells of it."""


@dataclass(frozen=True)
class CpuFrequency:
    """What it can be, and what the cycle counter makes of it. At the highest, if none is held."""

    minimum_khz: int = 800_000
    maximum_khz: int = 3_600_000
    control: str = CONTROLS[0]
    counter_follows: bool = False
    """The counter's rate is in proportion; its nominal one is that at the highest frequency."""
    counter_error_ppb: int = 0
    """How much faster the counter is at the lowest frequency; in proportion between."""


def parse_frequency(table: Table) -> CpuFrequency:
    """The table, or what is usual if it is not there. Raises InputError."""
    table.allow_only(("minimum", "maximum", "control", "counter_follows", "counter_error_ppb"))
    usual = CpuFrequency()
    found = CpuFrequency(
        _khz(table, "minimum", usual.minimum_khz),
        _khz(table, "maximum", usual.maximum_khz),
        table.choice("control", CONTROLS, usual.control),
        table.flag("counter_follows"),
        table.integer("counter_error_ppb", -ERROR_MAX_PPB, ERROR_MAX_PPB, 0),
    )
    if found.minimum_khz > found.maximum_khz:
        key = "minimum" if "minimum" in table else "maximum"
        problem = f"{found.minimum_khz} kHz is the least, {found.maximum_khz} kHz the most"
        raise table.error(key, problem, "a minimum up to the maximum")
    return found


def _khz(table: Table, key: str, default_khz: int) -> int:
    return table.quantity(RATE, key, LOWEST_HZ, HIGHEST_HZ, default_khz * 1000) // 1000
