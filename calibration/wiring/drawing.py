# SPDX-License-Identifier: GPL-3.0-or-later
"""The wires for a terminal: what the fixture says, and what was found."""

from __future__ import annotations

from calibration.findings import Finding
from calibration.wiring.finding_texts import driver_of
from calibration.wiring.judge import Arrival, arrivals
from calibration.wiring.observed import Observed
from rig.config.fixture import Fixture


def drawing(fixture: Fixture, observed: Observed, found: tuple[Finding, ...]) -> str:
    """One line a wire: its driver, the channel it should reach, those it reaches."""
    where = arrivals(observed)
    rows = [("wire", "driven by", "fixture", "found", "")]
    for wire in fixture.wires:
        there = where.get(wire.signal)
        rows.append(
            (
                wire.signal,
                driver_of(wire),
                f"--- D{wire.channel}",
                "not driven" if there is None else _reached(there),
                _state(wire.signal, found),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _reached(there: tuple[Arrival, ...]) -> str:
    if not there:
        return "-/-"
    return "--- " + " and ".join(
        f"D{arrival.channel}{' inverted' if arrival.inverted else ''}" for arrival in there
    )


def _state(signal: str, found: tuple[Finding, ...]) -> str:
    kinds = [each.kind for each in found if signal in each.signals]
    return ", ".join(dict.fromkeys(kinds)) or "ok"
