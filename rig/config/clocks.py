# SPDX-License-Identifier: GPL-3.0-or-later
"""The [clocks] table of a fixture: the kind of clock of each of the three instruments.

docs/reference/fixtures.md explains it. What is absent is taken as before there was such a table.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable

_PPM_MAX, _DRIFT_MAX, _DRIFT_MIN = 10_000.0, 500.0, 0.001


@dataclass(frozen=True)
class ClockKind:
    """Bounds of one clock."""

    ppb: int
    """The bound of the error of its rate."""
    ppb_per_s: int
    """The bound of its rate's drift."""


KINDS = {"crystal": ClockKind(100_000, 500), "resonator": ClockKind(5_000_000, 9_500)}
"""The bounds of a quartz crystal of any quality, and of a ceramic resonator, also warming up."""
INSTRUMENTS = ("analyzer", "stimulus", "target")


@dataclass(frozen=True)
class ClockSettings:
    """The kinds of a bench's clocks, None where none is stated."""

    analyzer: ClockKind | None = None
    stimulus: ClockKind | None = None
    target: ClockKind | None = None


def parse_clocks(table: TomlTable) -> ClockSettings:
    """Parse the table, which may be empty. Raises InputError with file, line and key."""
    table.allow_only(INSTRUMENTS)
    return ClockSettings(**{name: _kind(table, name) for name in INSTRUMENTS if name in table})


def _kind(table: TomlTable, name: str) -> ClockKind:
    if not isinstance(table.values[name], dict):
        valid = f"{', '.join(KINDS)}, or {{ ppm = 50, ppm_per_s = 0.5 }}"
        word = table.text(name, valid=valid)
        if word not in KINDS:
            raise table.error(name, f'unknown kind "{word}"', valid)
        return KINDS[word]
    own = table.table(name)
    own.allow_only(("ppm", "ppm_per_s"))
    ppm = own.number("ppm", 0, _PPM_MAX)
    ppm_per_s = own.number("ppm_per_s", _DRIFT_MIN, _DRIFT_MAX)
    return ClockKind(round(ppm * 1000), max(1, round(ppm_per_s * 1000)))
