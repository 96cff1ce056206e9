# SPDX-License-Identifier: GPL-3.0-or-later
"""The boxes of a wiring diagram: boards with their connectors, level shifter, analyzer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from calibration.diagram import svg
from calibration.diagram.geometry import (
    ANALYZER_HEIGHT,
    LANES,
    MARGIN,
    SHIFTER,
    STIMULUS_WIDTH,
    TARGET_X,
    TOP,
    WIDTH,
    Diagram,
    Pin,
)
from calibration.diagram.style import BAD, BOX, DIM, INK, LINE, PAPER
from rig.config.board import SUPPLY, Board
from rig.config.board_levels import VOLTAGE
from rig.config.fixture import STIMULUS

RADIUS: Final = 6.5
SPACE: Final = "\u2002"
DUTIES: Final = {
    "stimulus": "interrupt input",
    "response": "answer",
    "task": "task's pin",
    "ground": "ground",
    "supply": "for the level shifter",
}


def duty(signal: str) -> str:
    """Return what a line does, in two words."""
    return DUTIES.get(signal, signal.replace("sequence", "sequence bit "))


def sees_mv(target: Board, stimulus: Board, scene: Diagram) -> int:
    """Return the highest voltage at the analyzer in mV: behind a shifter, the target's."""
    if scene.shifter:
        return target.levels.supply_mv
    return max(target.levels.supply_mv, stimulus.levels.supply_mv)


def draw_board(
    board: Board, pins: Sequence[Pin], bottom: float, hues: Mapping[str, str], *, left: bool
) -> str:
    """Draw a box with the board's name, its voltage and its connectors."""
    x = MARGIN if left else TARGET_X
    width = STIMULUS_WIDTH if left else WIDTH - MARGIN - TARGET_X
    logic = f"{VOLTAGE.format(board.levels.supply_mv)} logic"
    return svg.element(
        "g",
        svg.rectangle(x, TOP, width, bottom - TOP, fill=BOX, stroke=LINE),
        svg.text(x + 14, TOP + 22, board.title, fill=INK, font_weight="bold"),
        svg.text(x + 14, TOP + 39, logic, fill=DIM, font_size=12),
        *_connector_names(pins, x + 14),
        *(_pin(pin, hues) for pin in pins),
        *(_row_labels(pins) if left else _line_labels(board, pins)),
        data_board=board.name,
    )


def _connector_names(pins: Sequence[Pin], x: float) -> list[str]:
    """Draw each connector's name above its first pin."""
    names = []
    for name, group in groupby(pins, key=lambda pin: pin.connector):
        if name:
            y = min(pin.y for pin in group) - 16
            names.append(svg.text(x, y, name, fill=DIM, font_size=11))
    return names


def _pin(pin: Pin, hues: Mapping[str, str]) -> str:
    """Draw a round pin, or a square one if it is number 1, in its wire's color if it is used."""
    signal = pin.line.signal if pin.line else ""
    hue = BAD if signal == SUPPLY else hues.get(signal, PAPER)
    look = {"fill": hue, "stroke": hue if signal else LINE, "data_pin": pin.name}
    if pin.name == "1":
        return svg.element("rect", x=pin.x - 6, y=pin.y - 6, width=12, height=12, **look)
    return svg.element("circle", cx=pin.x, cy=pin.y, r=RADIUS, **look)


def _row_labels(pins: Sequence[Pin]) -> list[str]:
    """Draw the names at the left of a row of pins."""
    labels = []
    for pin in pins:
        name = pin.name if pin.connector or not pin.line else pin.line.name
        look = {"fill": INK, "font_weight": "bold"} if pin.line else {"fill": DIM}
        x, y = pin.x - 14, pin.y + 4
        if pin.line and pin.line.signal in ("stimulus", "response"):
            name = f"{pin.line.name}{SPACE}{name}"
        labels.append(svg.text(x, y, name, text_anchor="end", font_size=11, **look))
    return labels


def _line_labels(board: Board, pins: Sequence[Pin]) -> list[str]:
    """Draw pin, name and duty at the right of the connector; two in one row share its height."""
    used = sorted((pin for pin in pins if pin.line), key=lambda pin: (pin.y, pin.column))
    x = max(pin.x for pin in pins) + 18
    labels = []
    for y, group in groupby(used, key=lambda pin: pin.y):
        row = list(group)
        size = 12 if len(row) == 1 else 9.5
        for at, pin in enumerate(row):
            baseline = y + 4 if len(row) == 1 else y - 1 + at * 9.5
            labels.append(_line_label(board, pin, x, baseline, size))
    return labels


def _line_label(board: Board, pin: Pin, x: float, y: float, size: float) -> str:
    line = pin.line
    if line is None:
        return ""
    name = f"{pin.name}{SPACE}{line.name}" if pin.connector else board.label(line)
    return svg.element(
        "text",
        svg.span(name, font_weight="bold", fill=INK),
        svg.span(f"{SPACE}{duty(line.signal)}", fill=DIM),
        x=x,
        y=y,
        font_size=size,
        # Qt drops the space at a span's begin otherwise.
        **{"xml:space": "preserve"},
    )


# --- between the boards ------------------------------------------------------------------------


def draw_shifter(target: Board, stimulus: Board, scene: Diagram, hues: Mapping[str, str]) -> str:
    """Draw a box over the wires that need a shifter, with its two supplies; "" if none does."""
    if scene.shifter is None:
        return ""
    (left, right), (top, bottom) = SHIFTER, scene.shifter
    middle = (left + right) / 2
    through = [w for w in scene.wires if w.stimulus and w.channel is not None]
    sides = [(stimulus, left), (target, right)]
    return svg.element(
        "g",
        svg.rectangle(left, top, right - left, bottom - top, fill=PAPER, stroke=BAD,
                      stroke_width=2),
        svg.text(middle, top + 16, "level shifter", text_anchor="middle", fill=BAD,
                 font_weight="bold", font_size=12),
        *(
            _gate(middle, w.stimulus.y, 1 if w.signal == STIMULUS else -1, hues[w.signal])
            for w in through
            if w.stimulus
        ),
        *(
            svg.text(x + (4 if x == left else -4), bottom - 5,
                     VOLTAGE.format(board.levels.supply_mv), fill=DIM, font_size=10,
                     text_anchor="start" if x == left else "end")
            for board, x in sides
        ),
        *_supplies(target, stimulus, left, bottom + 15),
    )  # fmt: skip


def _gate(x: float, y: float, way: int, hue: str) -> str:
    """Draw a buffer's triangle in the direction of the signal."""
    points = f"{x + way * 8:g},{y:g} {x - way * 8:g},{y - 8:g} {x - way * 8:g},{y + 8:g}"
    ends = [(SHIFTER[0], y), (SHIFTER[1], y)]
    return svg.polyline(ends, stroke=hue, stroke_width=3) + svg.element(
        "polygon", points=points, fill=PAPER, stroke=hue, stroke_width=2
    )


def _supplies(target: Board, stimulus: Board, x: float, y: float) -> list[str]:
    """Draw where the two sides of the shifter get their voltage."""
    texts = []
    for board in (stimulus, target):
        line = board.line(SUPPLY)
        if line:
            where = board.label(line) if line.pin else f"{board.title} {line.name}"
            volts = VOLTAGE.format(board.levels.supply_mv)
            words = f"{volts} from {where}" if line.name != volts else f"{volts} from the board"
            texts.append(svg.text(x - 16, y, words, fill=DIM, font_size=10))
            y += 13
    return texts


def draw_analyzer(scene: Diagram, hues: Mapping[str, str]) -> str:
    """Draw a box below, with a channel for each lane."""
    y, left, width = scene.analyzer_y, LANES[0] - 44, LANES[1] - LANES[0] + 88
    roomy = len(scene.wires) < 2 or scene.wires[1].lane - scene.wires[0].lane >= 42
    channels = []
    for wire in scene.wires:
        name = "GND" if wire.channel is None else f"D{wire.channel}"
        look = {"text_anchor": "middle", "fill": INK}
        channels.append(svg.text(wire.lane, y + 21, name, font_weight="bold", **look))
        pin = {"x": wire.lane - 5, "y": y - 2, "width": 10, "height": 7}
        channels.append(svg.element("rect", **pin, fill=hues[wire.signal]))
        if roomy:
            signal = "" if wire.channel is None else wire.signal.replace("sequence", "bit ")
            look["fill"] = DIM
            channels.append(svg.text(wire.lane, y + 35, signal, font_size=9, **look))
    return svg.element(
        "g",
        svg.rectangle(left, y, width, ANALYZER_HEIGHT, fill=BOX, stroke=LINE),
        *channels,
        svg.text(left + 14, y + 60, "Logic analyzer", fill=INK, font_weight="bold"),
        svg.text(
            left + 14, y + 75, "by number; drawn in the order of the wires", fill=DIM, font_size=11
        ),
    )
