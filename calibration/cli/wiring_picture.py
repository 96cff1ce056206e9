# SPDX-License-Identifier: GPL-3.0-or-later
"""The wires as the wiring check found them, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from calibration.diagram import wiring_svg
from calibration.findings import Finding
from rig.config.board import load_board
from rig.config.fixture import Fixture
from rig.errors import BenchError, InputError

STIMULUS_BOARD = "arduino-uno"


def write_drawing(path: Path, board: str, fixture: Fixture, found: Sequence[Finding]) -> None:
    """Draw the fixture's wires on this board; those with findings stand out. Replaces the file.

    Raises InputError for what cannot be drawn, BenchError if the file cannot be written.
    """
    wires = sorted(fixture.wires, key=lambda wire: wire.channel)
    if [wire.channel for wire in wires] != list(range(len(wires))):
        raise InputError(
            f"{fixture.source}: --svg draws channels from D0 on without a hole; "
            "leave it out, the drawing on the terminal shows any"
        )
    text = wiring_svg(
        load_board(board),
        load_board(STIMULUS_BOARD),
        signals=[wire.signal for wire in wires],
        second_witness=fixture.has_second_witness,
        findings={signal: each.text for each in found for signal in each.signals},
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{path}: cannot be written ({error.strerror})") from None
