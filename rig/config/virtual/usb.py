# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.usb] table of a fixture: the virtual analyzer on USB, and what goes wrong there."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable

FAULTS = ("overrun", "short", "empty", "halt", "error", "unplug", "stall")
"""The faults, as docs/reference/fixtures.md explains them."""
SPEEDS_MBIT = {"high": 480, "full": 12}
AFTER_MAX_PS = 3600 * 10**12


@dataclass(frozen=True)
class UsbSettings:
    """The device, and its fault."""

    blank: bool = False
    """It has no firmware until the host uploads it."""
    speed_mbit: int = SPEEDS_MBIT["high"]
    fault: str = ""
    """One of `FAULTS`, or "" for none."""
    after_ps: int = 0
    """The time into each capture at which the fault begins."""


def parse_usb(table: TomlTable) -> UsbSettings:
    """The table, or nothing wrong if it is not there. Raises InputError."""
    table.allow_only(("blank", "speed", "fault", "after"))
    fault = table.choice("fault", FAULTS) if "fault" in table else ""
    if not fault and "after" in table:
        raise table.error("after", "nothing begins then", "a fault beside it")
    return UsbSettings(
        blank=table.flag("blank"),
        speed_mbit=SPEEDS_MBIT[table.choice("speed", tuple(SPEEDS_MBIT), "high")],
        fault=fault,
        after_ps=table.time_ps("after", 0, AFTER_MAX_PS) if fault else 0,
    )
