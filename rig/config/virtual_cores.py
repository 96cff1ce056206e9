# SPDX-License-Identifier: GPL-3.0-or-later
"""The [[virtual.core]] tables of a fixture: a target with several cores."""

from __future__ import annotations

from rig.config.tables import Table

AHEAD_MAX_PS = 10**12
CORES_MAX = 64


def parse_cores(virtual: Table) -> tuple[int, ...]:
    """By how much each core's counter is ahead, in ps; one core if there are no tables.

    From the [virtual] table. Raises InputError.
    """
    tables = list(virtual.tables("core"))
    for table in tables:
        table.allow_only(("ahead",))
    if len(tables) > CORES_MAX:
        raise tables[-1].error("ahead", f"{len(tables)} cores", f"up to {CORES_MAX}")
    return tuple(table.time_ps("ahead", 0, AHEAD_MAX_PS, 0) for table in tables) or (0,)
