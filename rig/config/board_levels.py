# SPDX-License-Identifier: GPL-3.0-or-later
"""Voltages of two boards that are wired together: what breaks, and what is not sure to be seen."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable
from rig.toml.units import UnitKind

DAMAGE = "damage"
"""The kind of finding where the driver goes above what the input takes."""
DOUBT = "doubt"
"""The kind of finding where a sure output high is below what the input is sure to read as high."""
VOLTAGE = UnitKind(name="voltage", base="mV", scale={"mV": 1, "V": 1000}, example="3.3 V")
"""Voltages, parsed to millivolts."""
_KEYS = ("supply", "input_max", "input_high", "output_high")


@dataclass(frozen=True)
class BoardVoltages:
    """Voltages of a board's pins, in millivolts."""

    supply_mv: int
    """The highest voltage that a pin drives."""
    input_max_mv: int
    """The highest voltage that is sure not to destroy an input."""
    input_high_mv: int
    """The lowest voltage that an input is sure to read as high."""
    output_high_mv: int
    """The lowest voltage of a pin that drives high, under full load."""
    source: str


@dataclass(frozen=True)
class LevelFinding:
    """A finding on the wires in one direction."""

    kind: str
    """DAMAGE or DOUBT."""
    driver: str
    driver_mv: int
    receiver: str
    receiver_mv: int
    shifted: bool = False
    """Whether a level shifter is between them for another reason already."""

    @property
    def text(self) -> str:
        """The finding in one or two sentences."""
        drives, takes = VOLTAGE.format(self.driver_mv), VOLTAGE.format(self.receiver_mv)
        if self.kind == DAMAGE:
            return (
                f"{self.driver} drives {drives}, {self.receiver} takes {takes} at most: "
                "put a level shifter between them, or the pin is destroyed."
            )
        remedy = (
            "The level shifter raises it."
            if self.shifted
            else f"Most reach more; if {self.receiver} misses edges, put a 74HCT buffer on "
            "5 V between them."
        )
        return (
            f"{self.driver} is sure of {drives} only, and {self.receiver} is sure to see high "
            f"from {takes}. {remedy}"
        )


def compare_levels(
    driver: str, drives: BoardVoltages, receiver: str, receives: BoardVoltages
) -> LevelFinding | None:
    """Return the finding on wires from one board to another, named as in messages; None if fine.

    Both boards' figures are guarantees, so a doubt may be unfounded; damage is not.
    """
    if drives.supply_mv > receives.input_max_mv:
        return LevelFinding(DAMAGE, driver, drives.supply_mv, receiver, receives.input_max_mv)
    if drives.output_high_mv < receives.input_high_mv:
        return LevelFinding(DOUBT, driver, drives.output_high_mv, receiver, receives.input_high_mv)
    return None


def parse_levels(table: TomlTable, url_pattern: str, url_valid: str) -> BoardVoltages:
    """Parse the [levels] table. Raises InputError."""
    table.allow_only((*_KEYS, "source"))
    supply, most, reads_high, drives = (table.quantity(VOLTAGE, key, 500, 24_000) for key in _KEYS)
    if reads_high > most:
        raise table.error("input_high", "above input_max", f"at most {VOLTAGE.format(most)}")
    if drives > supply:
        raise table.error("output_high", "above supply", f"at most {VOLTAGE.format(supply)}")
    source = table.text("source", pattern=url_pattern, valid=url_valid)
    return BoardVoltages(supply, most, reads_high, drives, source)
