# SPDX-License-Identifier: GPL-3.0-or-later
"""The wires of one step of the calibration, drawn: one pin, and all that it is connected to."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from calibration.diagram import svg
from calibration.diagram.boxes import draw_board
from calibration.diagram.geometry import (
    HEAD,
    MARGIN,
    STIMULUS_EDGE,
    TARGET_X,
    TOP,
    WIDTH,
    Pin,
    pins_of,
)
from calibration.diagram.rewired_text import End, ends_of
from calibration.diagram.style import BAD, BOX, DIM, INK, LINE, PAPER, WARN
from calibration.rewired.rewired import Rewired
from rig.config.board import GROUND, Board
from rig.config.board_fixture import WIRE_COLORS
from rig.config.board_levels import VOLTAGE
from rig.config.fixture import RESPONSE, STIMULUS, Fixture
from rig.config.wire_colors import wire_hue

ROW: Final = 40.0
GROUND_LANE: Final = 262.0
TRUNK: Final = 322.0
WIRE_BOX: Final = (396.0, 588.0)
"""The left and right edge of the box that stands for a wire or level shifter."""
_HALO: Final = 8
_LINE: Final = 18
_CHARACTERS: Final = 128


def rewired_svg(
    target: Board, stimulus: Board, fixture: Fixture, rewired: Rewired, title: str
) -> str:
    """Return the picture as the text of an SVG file; `title` of the step."""
    ends = ends_of(target, stimulus, fixture, rewired)
    at_analyzer = [end for end in ends if not end.capture]
    shown = (STIMULUS, *((RESPONSE,) if rewired.capture else ()), GROUND)
    pins = pins_of(stimulus, STIMULUS_EDGE - 14, TOP + HEAD, shown)
    hues = {s: wire_hue(WIRE_COLORS.get(s, "black"), 0) for s in shown}
    hues[RESPONSE] = hues[STIMULUS]
    rows = {end.name: TOP + HEAD + ROW * at for at, end in enumerate(at_analyzer)}
    ground_y = TOP + HEAD + ROW * len(at_analyzer)
    bottom = max(ground_y, *(pin.y for pin in pins)) + 30
    notes, height = _notes(stimulus, ends, bottom + 34)
    used = {pin.line.signal: pin for pin in pins if pin.line}
    return svg.document(
        WIDTH,
        height,
        f"{title}: wiring",
        svg.rectangle(0.5, 0.5, WIDTH - 1, height - 1, fill=PAPER, stroke="#d3d8df"),
        svg.text(MARGIN, 36, title, fill=INK, font_size=20, font_weight="bold"),
        svg.text(MARGIN, 58, "For this step only. Wire with everything switched off.", fill=WARN),
        draw_board(stimulus, pins, bottom, hues, left=True),
        _analyzer(at_analyzer, rows, ground_y, bottom, hues),
        _ground(used.get(GROUND), ground_y, hues[GROUND]),
        _fan(used, at_analyzer, rows, hues[STIMULUS], capture=rewired.capture),
        notes,
    )


def _analyzer(
    ends: Sequence[End],
    rows: dict[str, float],
    ground_y: float,
    bottom: float,
    hues: dict[str, str],
) -> str:
    """Draw a box at the right, a row for each channel."""
    parts = [
        svg.rectangle(
            TARGET_X, TOP, WIDTH - MARGIN - TARGET_X, bottom - TOP, fill=BOX, stroke=LINE
        ),
        svg.text(TARGET_X + 14, TOP + 22, "Logic analyzer", fill=INK, font_weight="bold"),
    ]
    for end in ends:
        y = rows[end.name]
        parts.append(_clip(y, hues[STIMULUS]))
        parts.append(svg.text(TARGET_X + 18, y + 4, end.name, fill=INK, font_weight="bold"))
        parts.append(svg.text(TARGET_X + 58, y + 4, end.what, fill=INK))
        if end.off:
            words = f"off for this step: {end.off}"
            parts.append(svg.text(TARGET_X + 58, y + 18, words, fill=BAD, font_size=11))
    parts.append(_clip(ground_y, hues[GROUND]))
    parts.append(svg.text(TARGET_X + 18, ground_y + 4, "GND", fill=INK, font_weight="bold"))
    parts.append(svg.text(TARGET_X + 58, ground_y + 4, "grounds stay together", fill=DIM))
    return svg.element("g", *parts, data_board="analyzer")


def _clip(y: float, hue: str) -> str:
    return svg.element("rect", x=TARGET_X - 3, y=y - 5, width=8, height=10, fill=hue)


def _ground(pin: Pin | None, y: float, hue: str) -> str:
    if pin is None:
        return ""
    points = [(pin.x, pin.y), (GROUND_LANE, pin.y), (GROUND_LANE, y), (TARGET_X, y)]
    return svg.element("g", _wire(points, hue), data_signal=GROUND)


def _fan(
    used: dict[str, Pin], ends: Sequence[End], rows: dict[str, float], hue: str, *, capture: bool
) -> str:
    """Draw the wires from the stimulus pin by a trunk to every row, and back to the capture pin."""
    pin = used[STIMULUS]
    starts = [pin.y, *([used[RESPONSE].y] if capture else [])]
    levels = [*starts, *(rows[end.name] for end in ends)]
    parts = [_wire([(TRUNK, min(levels)), (TRUNK, max(levels))], hue)]
    parts += [_wire([(pin.x, y), (TRUNK, y)], hue) for y in starts]
    joints = [(TRUNK, y) for y in levels if min(levels) < y < max(levels)]
    for end in ends:
        parts.append(_wire([(TRUNK, rows[end.name]), (TARGET_X, rows[end.name])], hue))
    for end in ends:
        if end.through:
            parts.append(_wire_box(end, rows[end.name], hue))
    dots = [svg.element("circle", cx=x, cy=y, r=4, fill=hue) for x, y in joints]
    return svg.element("g", *parts, *dots, data_signal=STIMULUS)


def _wire_box(end: End, y: float, hue: str) -> str:
    left, right = WIRE_BOX
    words = f"wire or level shifter of {end.through}"
    return svg.rectangle(
        left, y - 14, right - left, 28, fill=PAPER, stroke=hue, stroke_width=2
    ) + svg.text((left + right) / 2, y + 4, words, fill=INK, text_anchor="middle", font_size=11)


def _wire(points: Sequence[svg.Point], hue: str) -> str:
    """Draw a wire after its halo: where wires cross, the one in front interrupts the other."""
    halo: dict[str, str | int] = {"stroke": PAPER, "stroke_width": _HALO}
    line: dict[str, str | int] = {"stroke": hue, "stroke_width": 3, "stroke_linejoin": "round"}
    (ax, ay), (bx, by) = points[0], points[-1]
    # A halo must not bite into pins and joints.
    short = [(ax + 8 if ay == points[1][1] else ax, ay), *points[1:-1],
             (bx - 8 if by == points[-2][1] else bx, by)]  # fmt: skip
    return svg.polyline(short, **halo) + svg.polyline(points, **line)


def _notes(stimulus: Board, ends: Sequence[End], y: float) -> tuple[str, float]:
    """Draw the notes below, on what the inputs must stand; also return the picture's height."""
    volts = VOLTAGE.format(stimulus.levels.supply_mv)
    words = [f"All these inputs see the pin's own {volts}: the analyzer must take it."]
    if any(end.off for end in ends):
        words.append("Take the target's pins off first: two outputs must not drive one wire "
                     "against each other.")  # fmt: skip
    if any(end.through for end in ends):
        words.append("The free channel is clipped to the target's end of that wire; all else "
                     "of the wire stays as it always is.")  # fmt: skip
    parts = []
    for text in words:
        parts.append(svg.text(MARGIN, y, "!", fill=WARN, font_weight="bold"))
        for line in textwrap.wrap(text, _CHARACTERS):
            parts.append(svg.text(MARGIN + 20, y, line, fill=INK))
            y += _LINE
        y += 3
    return svg.element("g", *parts), y + 4
