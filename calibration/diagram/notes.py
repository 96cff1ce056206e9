# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands below a wiring diagram: what was found, what breaks, how to hold the boards."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from calibration.diagram import svg
from calibration.diagram.boxes import sees_mv
from calibration.diagram.geometry import MARGIN, Diagram
from calibration.diagram.style import BAD, DIM, INK, WARN
from rig.config.board import Board, level_findings
from rig.config.board_levels import DAMAGE, VOLTAGE

_LINE: Final = 18
_CHARACTERS: Final = 128
"""In a line, at the width of the picture."""


def draw_notes(
    target: Board, stimulus: Board, scene: Diagram, findings: Mapping[str, str]
) -> tuple[str, float]:
    """The notes, and the height of the whole picture."""
    y = scene.bottom + 34
    parts = []
    for mark, color, words in _notes(target, stimulus, scene, findings):
        parts.append(svg.text(MARGIN, y, mark, fill=color, font_weight="bold"))
        for line in textwrap.wrap(words, _CHARACTERS):
            parts.append(svg.text(MARGIN + 20, y, line, fill=INK))
            y += _LINE
        y += 3
    return svg.element("g", *parts), y + 4


def _notes(
    target: Board, stimulus: Board, scene: Diagram, findings: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Mark, its color, and words."""
    for signal, words in findings.items():
        yield "\u2717", BAD, f"{signal}: {words}"
    for finding in level_findings(target, stimulus):
        color = BAD if finding.kind == DAMAGE else WARN
        yield "!", color, finding.text
    volts = VOLTAGE.format(sees_mv(target, stimulus, scene))
    where = "on the target's side of the level shifter, " if scene.shifter else ""
    yield "!", WARN, f"The analyzer is wired {where}where it sees {volts}: its inputs must take it."
    drawn = {pin.connector for pin in (*scene.stimulus_pins, *scene.target_pins)}
    for board in (stimulus, target):
        for connector in board.connectors:
            if connector.name in drawn:
                yield "\u2022", DIM, f"{board.title}, {connector.name}: {connector.view}"
