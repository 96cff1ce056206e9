# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring diagram: two boards, the wires between them, the analyzer, and what to beware of.

It brings its own light ground, so that it reads on dark pages as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from calibration.diagram import svg
from calibration.diagram.boxes import draw_analyzer, draw_board, draw_shifter
from calibration.diagram.geometry import (
    MARGIN,
    STIMULUS_EDGE,
    TARGET_X,
    WIDTH,
    Diagram,
    DrawnWire,
    arrange,
)
from calibration.diagram.notes import draw_notes
from calibration.diagram.style import DIM, INK, PAPER, WARN
from rig.config.board import GROUND, Board
from rig.config.board_fixture import WIRE_COLORS, wired_signals
from rig.config.fixture import RESPONSE, STIMULUS
from rig.config.wire_colors import wire_hue

_HALO: Final = 8
_STROKE: Final = 3
_ARROW: Final = 6


def wiring_svg(
    target: Board,
    stimulus: Board,
    *,
    signals: Sequence[str] = (),
    channels: Mapping[str, int] | None = None,
    second_witness: bool = True,
    colors: Mapping[str, str] | None = None,
    findings: Mapping[str, str] | None = None,
) -> str:
    """Return the picture as the text of an SVG file.

    `signals` are those wired, by default the usual ones, on `channels` of the analyzer or else from
    D0 on; `colors` their wires' colors by name; `findings` what a check found wrong, by signal:
    such a wire is dashed and what was found is written below.
    """
    shown = [s for s in (signals or wired_signals(target)) if target.line(s)]
    scene = arrange(target, stimulus, shown, second_witness=second_witness, channels=channels)
    hues = {
        signal: wire_hue({**WIRE_COLORS, **(colors or {})}.get(signal, ""), at)
        for at, signal in enumerate(shown)
    }
    hues[GROUND] = wire_hue("black", 0)
    found = dict(findings or {})
    notes, height = draw_notes(target, stimulus, scene, found)
    title = f"{target.title} and {stimulus.title}"
    return svg.document(
        WIDTH,
        height,
        f"Wiring of {title}",
        svg.rectangle(0.5, 0.5, WIDTH - 1, height - 1, fill=PAPER, stroke="#d3d8df"),
        *_heading(title, tried=target.tried_on_hardware and stimulus.tried_on_hardware),
        draw_board(stimulus, scene.stimulus_pins, scene.stimulus_bottom, hues, left=True),
        draw_board(target, scene.target_pins, scene.target_bottom, hues, left=False),
        draw_analyzer(scene, hues),
        *(_wire(wire, scene, hues[wire.signal], found) for wire in reversed(scene.wires)),
        draw_shifter(target, stimulus, scene, hues),
        *_pin_numbers(scene),
        notes,
    )


def _heading(title: str, *, tried: bool) -> tuple[str, ...]:
    heading = svg.text(MARGIN, 36, title, fill=INK, font_size=20, font_weight="bold")
    if tried:
        return (heading,)
    warning = "Not yet tried on hardware. Wire with everything switched off."
    return (heading, svg.text(MARGIN, 58, warning, fill=WARN))


def _wire(wire: DrawnWire, scene: Diagram, hue: str, findings: Mapping[str, str]) -> str:
    """Draw a wire after its halo: where wires cross, the one in front interrupts the other."""
    lane, foot = wire.lane, scene.analyzer_y
    parts = [((lane, wire.top), (lane, foot)), wire.to_target]
    if wire.stimulus:
        parts.append(((wire.stimulus.x, wire.stimulus.y), (lane, wire.stimulus.y)))
    halo: dict[str, str | int] = {"stroke": PAPER, "stroke_width": _HALO}
    line: dict[str, str | int] = {"stroke": hue, "stroke_width": _STROKE}
    line["stroke_linejoin"] = "round"
    if wire.signal in findings:
        line["stroke_dasharray"] = "5 5"
    joints = {(lane, wire.target.approach)}
    if wire.stimulus:
        joints.add((lane, wire.stimulus.y))
    return svg.element(
        "g",
        *(svg.polyline(_short(part), **halo) for part in parts),
        *(svg.polyline(part, **line) for part in parts),
        *(svg.element("circle", cx=x, cy=y, r=4, fill=hue) for x, y in sorted(joints)),
        *_arrows(wire, hue, foot),
        data_signal=wire.signal,
    )


def _short(points: Sequence[svg.Point]) -> list[svg.Point]:
    """Return the points of a halo, short of joints and of the boards' boxes."""
    (ax, ay), (bx, by) = points[0], points[-1]
    if ax == bx:
        return [(ax, ay + 6), (bx, by - 3)]
    edges = (STIMULUS_EDGE + 2, TARGET_X - 2)
    inside = [min(max(x, edges[0]), edges[1]) for x in (ax, bx)]
    way = _sign(bx - ax)
    return [
        (inside[0] + (way * 6 if inside[0] == ax else 0), ay),
        (inside[1] - (way * 6 if inside[1] == bx else 0), ay),
    ]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _arrows(wire: DrawnWire, hue: str, foot: float) -> list[str]:
    """Draw which way the signal goes: into a pin, and to the analyzer."""
    if wire.channel is None:
        return []
    arrows = [_arrow(wire.lane, foot - 2, 0, 1, hue)]
    if wire.signal == STIMULUS:
        arrows.append(_arrow(wire.target.x - 12, wire.target.approach, 1, 0, hue))
    if wire.signal == RESPONSE and wire.stimulus:
        arrows.append(_arrow(wire.stimulus.x + 26, wire.stimulus.y, -1, 0, hue))
    return arrows


def _arrow(x: float, y: float, dx: int, dy: int, hue: str) -> str:
    """Draw a triangle with its tip at x, y."""
    back = (x - dx * 2 * _ARROW, y - dy * 2 * _ARROW)
    left = (back[0] - dy * _ARROW, back[1] + dx * _ARROW)
    right = (back[0] + dy * _ARROW, back[1] - dx * _ARROW)
    points = " ".join(f"{a:g},{b:g}" for a, b in ((x, y), left, right))
    return svg.element("polygon", points=points, fill=hue)


def _pin_numbers(scene: Diagram) -> list[str]:
    """Draw the pin numbers over the wires, since those to the right column pass between pins."""
    return [
        svg.text(
            pin.x, pin.y + 2.7, pin.name,
            text_anchor="middle", font_size=7.5, fill="#ffffff" if pin.line else DIM,
        )
        for pin in scene.target_pins
        if pin.name.isdigit()
    ]  # fmt: skip
