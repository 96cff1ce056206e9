# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of everything in a wiring diagram. Numbers only, no drawing.

The stimulus is at the left, the target at the right, the analyzer below. Each wire has a lane of
its own, a vertical line down to its analyzer channel, and from there level lines to its pins. The
lanes are in the order of the target's pins, so that few wires cross.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from calibration.diagram.svg import Point
from rig.config.board import GROUND, SUPPLY, Board, BoardPin, needs_shifter
from rig.config.board_connector import ROW, TWO_ROWS, Connector

WIDTH: Final = 980.0
MARGIN: Final = 24.0
PITCH: Final = 18.0
"""The distance between two rows of pins."""
COLUMN: Final = 24.0
"""The distance between two columns of pins."""
TOP: Final = 76.0
"""The upper edge of the boxes."""
HEAD: Final = 72.0
"""The height of a box above its first pin."""
CONNECTOR_GAP: Final = 34.0
CLEAR: Final = 9.0
"""The distance of two wires' level lines, so that one does not seem to go on as the other."""
STIMULUS_WIDTH: Final = 184.0
STIMULUS_EDGE: Final = MARGIN + STIMULUS_WIDTH
TARGET_X: Final = 628.0
SHIFTER: Final = (244.0, 336.0)
"""The left and right edge of the level shifter."""
LANES: Final = (384.0, 598.0)
ANALYZER_DROP: Final = 44.0
ANALYZER_HEIGHT: Final = 84.0


@dataclass(frozen=True)
class Pin:
    """A pin in the picture."""

    connector: str
    name: str
    x: float
    y: float
    line: BoardPin | None
    """The line that the pin is used for."""
    column: int
    shape: str

    @property
    def approach(self) -> float:
        """The height at which a wire comes: to the right column of a header, between two rows."""
        return self.y + PITCH / 2 if self.shape == TWO_ROWS and self.column else self.y


@dataclass(frozen=True)
class DrawnWire:
    """One wire: pins at its ends, and the lane down to the analyzer."""

    signal: str
    channel: int | None
    """The analyzer's channel; None is its ground."""
    stimulus: Pin | None
    target: Pin
    lane: float

    @property
    def top(self) -> float:
        """The upper end of the lane."""
        ends = [self.target.approach, *([self.stimulus.y] if self.stimulus else [])]
        return min(ends)

    @property
    def to_target(self) -> tuple[Point, ...]:
        """The way from the lane to the target's pin."""
        pin = self.target
        if pin.approach == pin.y:
            return ((self.lane, pin.y), (pin.x, pin.y))
        return (
            (self.lane, pin.approach),
            (pin.x - COLUMN / 2, pin.approach),
            (pin.x, pin.y),
        )


@dataclass(frozen=True)
class Diagram:
    """The picture above its notes."""

    stimulus_pins: tuple[Pin, ...]
    target_pins: tuple[Pin, ...]
    wires: tuple[DrawnWire, ...]
    """The wires from the left lane to the right one."""
    stimulus_bottom: float
    target_bottom: float
    analyzer_y: float
    shifter: tuple[float, float] | None
    """Upper and lower edge of the shifter, if there must be one."""

    @property
    def bottom(self) -> float:
        return self.analyzer_y + ANALYZER_HEIGHT


def arrange(
    target: Board,
    stimulus: Board,
    signals: Sequence[str],
    *,
    second_witness: bool,
    channels: Mapping[str, int] | None = None,
) -> Diagram:
    """Return the picture of these wires.

    `channels`: by signal; without, a signal's channel is its place in `signals`.
    """
    placed = channels or {signal: at for at, signal in enumerate(signals)}
    shown = (*signals, GROUND)
    right = pins_of(target, TARGET_X + 26, TOP + HEAD, shown)
    left = pins_of(stimulus, STIMULUS_EDGE - 14, TOP + HEAD, shown)
    left = _lowered(left, _clear_of(left, right))
    wires = _wires(placed, left, right, second_witness=second_witness)
    through = [w.stimulus.y for w in wires if w.stimulus and w.channel is not None]
    bottoms = [max(pin.y for pin in pins) + 26 for pins in (left, right)]
    shifter = (min(through) - 36, max(through) + 24) if through else None
    return Diagram(
        stimulus_pins=left,
        target_pins=right,
        wires=wires,
        stimulus_bottom=bottoms[0],
        target_bottom=bottoms[1],
        analyzer_y=max(bottoms) + ANALYZER_DROP,
        shifter=shifter if needs_shifter(target, stimulus) else None,
    )


def _clear_of(left: Sequence[Pin], right: Sequence[Pin]) -> float:
    """Return how much lower the left pins must be for no wire to lie in line with another."""

    def gap(lower: int) -> float:
        gaps = [
            abs(a.y + lower - b.approach)
            for a in left
            for b in right
            if a.line and b.line and a.line.signal != b.line.signal
        ]
        return min(CLEAR, *gaps) if gaps else CLEAR

    return float(max(range(int(2 * PITCH)), key=gap))


def _lowered(pins: Sequence[Pin], by: float) -> tuple[Pin, ...]:
    return tuple(replace(pin, y=pin.y + by) for pin in pins)


def pins_of(board: Board, x: float, y: float, signals: Sequence[str]) -> tuple[Pin, ...]:
    """Return all pins of the used connectors, one connector below the other, the first at x, y."""
    pins: list[Pin] = []
    for connector in _connectors(board, signals):
        used = _used(board, connector, signals)
        for name in connector.pins:
            row, column = connector.place_of(name)
            at = (x + column * COLUMN, y + row * PITCH)
            pins.append(Pin(connector.name, name, *at, used.get(name), column, connector.shape))
        y += connector.rows * PITCH + CONNECTOR_GAP
    return tuple(pins)


def _connectors(board: Board, signals: Sequence[str]) -> tuple[Connector, ...]:
    """Return the connectors that a signal is on; a board without has its lines in a row."""
    lines = [line for signal in signals if (line := board.line(signal))]
    known = {line.connector for line in lines if line.pin}
    connectors = [each for each in board.connectors if each.name in known]
    loose = tuple(line.signal for line in lines if not line.pin)
    if loose:
        connectors.append(Connector("", ROW, loose, "", loose))
    return tuple(connectors)


def _used(board: Board, connector: Connector, signals: Sequence[str]) -> dict[str, BoardPin]:
    """Return the lines of a connector's pins, by pin, with the shifter's supply."""
    if not connector.name:
        return {line.signal: line for line in board.lines if line.signal in connector.pins}
    wanted = (*signals, SUPPLY)
    return {
        line.pin: line
        for line in board.lines
        if line.connector == connector.name and line.signal in wanted
    }


def _wires(
    placed: Mapping[str, int],
    left: Sequence[Pin],
    right: Sequence[Pin],
    *,
    second_witness: bool,
) -> tuple[DrawnWire, ...]:
    channels: dict[str, int | None] = {**placed, GROUND: None}
    ends = {pin.line.signal: pin for pin in left if pin.line}
    targets = [pin for pin in right if pin.line and pin.line.signal in channels]
    targets.sort(key=lambda pin: pin.approach)
    step = (LANES[1] - LANES[0]) / max(1, len(targets) - 1)
    wires = []
    for at, pin in enumerate(targets):
        signal = pin.line.signal if pin.line else ""
        end = None if signal == "response" and not second_witness else ends.get(signal)
        wires.append(DrawnWire(signal, channels[signal], end, pin, round(LANES[0] + at * step)))
    return tuple(wires)
