# SPDX-License-Identifier: GPL-3.0-or-later
"""The processor of a modelled target: [virtual.frequency] and the [[virtual.core]] tables of a
fixture."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable
from rig.toml.units import RATE

AHEAD_MAX_PS = 10**12
CORES_MAX = 64
LOWEST_HZ, HIGHEST_HZ = 10**6, 10**10
ERROR_MAX_PPB = 100_000_000
CHANGES_MAX = 10**6
CONTROLS = ("full", "refused", "none")
"""The kinds of control: the agent may set the frequency; may only read it; has no cpufreq."""


@dataclass(frozen=True)
class CpuFrequency:
    """The frequencies, and how the cycle counter follows. It is the highest, if none is held."""

    minimum_khz: int = 800_000
    maximum_khz: int = 3_600_000
    control: str = CONTROLS[0]
    counter_follows: bool = False
    """Whether the counter's rate is in proportion; the nominal one is at the highest frequency."""
    counter_error_ppb: int = 0
    """The counter's rate error at the lowest frequency; in proportion between."""
    changes: int = 0
    """The number of times that it changes in each measurement, from the highest to the lowest or
    back; 0: it is steady, and nothing is told of it."""


def parse_frequency(table: TomlTable) -> CpuFrequency:
    """Parse the table; the defaults if it is not there. Raises InputError."""
    table.allow_only(
        ("minimum", "maximum", "control", "counter_follows", "counter_error_ppb", "changes")
    )
    usual = CpuFrequency()
    found = CpuFrequency(
        _khz(table, "minimum", usual.minimum_khz),
        _khz(table, "maximum", usual.maximum_khz),
        table.choice("control", CONTROLS, usual.control),
        table.flag("counter_follows"),
        table.integer("counter_error_ppb", -ERROR_MAX_PPB, ERROR_MAX_PPB, 0),
        table.integer("changes", 0, CHANGES_MAX, 0),
    )
    if found.minimum_khz > found.maximum_khz:
        key = "minimum" if "minimum" in table else "maximum"
        problem = f"{found.minimum_khz} kHz is the least, {found.maximum_khz} kHz the most"
        raise table.error(key, problem, "a minimum up to the maximum")
    return found


def _khz(table: TomlTable, key: str, default_khz: int) -> int:
    return table.quantity(RATE, key, LOWEST_HZ, HIGHEST_HZ, default_khz * 1000) // 1000


def parse_cores(virtual: TomlTable) -> tuple[int, ...]:
    """Parse by how much each core's counter is ahead, in ps; one core if there are no tables.

    From the [virtual] table. Raises InputError.
    """
    tables = list(virtual.tables("core"))
    for table in tables:
        table.allow_only(("ahead",))
    if len(tables) > CORES_MAX:
        raise tables[-1].error("ahead", f"{len(tables)} cores", f"up to {CORES_MAX}")
    return tuple(table.time_ps("ahead", 0, AHEAD_MAX_PS, 0) for table in tables) or (0,)
