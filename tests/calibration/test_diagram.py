# SPDX-License-Identifier: GPL-3.0-or-later
"""Wiring diagrams: every wire drawn ends at the pin that the fixture names, and all is legible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.diagram import wiring_svg
from calibration.diagram.geometry import arrange
from rig.config.board import Board, load_board, load_boards, needs_shifter
from rig.config.board_fixture import fixture_text, wired_signals
from rig.config.fixture import parse_fixture
from rig.config.wire_colors import wire_hue

SVG = "{http://www.w3.org/2000/svg}"
IMAGES = Path(__file__).parents[2] / "docs" / "images"
LINES = {"stimulus": 3, "response": 9, "sequence0": 5}
PAIRS = [
    pytest.param(target, stimulus, id=f"{target.name}-{stimulus.name}")
    for target, stimulus in product(load_boards("target"), load_boards("stimulus"))
]
PI, UNO = load_board("raspberry-pi-4"), load_board("arduino-uno")
Point = tuple[float, float]


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 -- our own text


def group(picture: ElementTree.Element, key: str, value: str) -> ElementTree.Element:
    (found,) = [g for g in picture.iter(f"{SVG}g") if g.get(key) == value]
    return found


def number(element: ElementTree.Element, key: str) -> float:
    return float(element.attrib[key])


def pins_of(picture: ElementTree.Element, board: Board) -> dict[str, tuple[Point, str]]:
    """Where each pin is drawn, and its color."""
    pins = {}
    for element in group(picture, "data-board", board.name):
        name = element.get("data-pin")
        if name is None:
            continue
        if element.tag == f"{SVG}circle":
            at = (number(element, "cx"), number(element, "cy"))
        else:
            at = (number(element, "x") + 6, number(element, "y") + 6)
        pins[name] = (at, element.attrib["fill"])
    return pins


def ends_of(wire: ElementTree.Element) -> set[Point]:
    """Both ends of every line drawn in the wire's color."""
    ends: set[Point] = set()
    for line in wire.iter(f"{SVG}polyline"):
        if line.attrib["stroke"] != "#ffffff":
            points = [tuple(map(float, p.split(","))) for p in line.attrib["points"].split()]
            ends |= {(points[0][0], points[0][1]), (points[-1][0], points[-1][1])}
    return ends


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_wires_end_at_the_pins_that_the_fixture_names(target: Board, stimulus: Board) -> None:
    if target.name == "generic-gpio":
        target = target.with_offsets(LINES)
    fixture = parse_fixture(fixture_text(target, stimulus, name="b"), "b")
    picture = parsed(wiring_svg(target, stimulus))
    there, here = pins_of(picture, target), pins_of(picture, stimulus)
    for wire in fixture.wires:
        line = target.line(wire.signal)
        assert line is not None
        ends = ends_of(group(picture, "data-signal", wire.signal))
        at, color = there[line.pin or wire.signal]
        assert at in ends
        assert color == wire_hue(wire.color, wire.channel)
        if wire.stimulus_pin:
            at, color = here[wire.stimulus_pin]
            assert at in ends
            assert color == wire_hue(wire.color, wire.channel)
        else:
            assert not ends & {at for at, _ in here.values()}


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_grounds_are_wired_and_channels_named(target: Board, stimulus: Board) -> None:
    picture = parsed(wiring_svg(target, stimulus))
    ends = ends_of(group(picture, "data-signal", "ground"))
    ground = target.line("ground")
    assert ground is not None
    assert pins_of(picture, target)[ground.pin or "ground"][0] in ends
    assert pins_of(picture, stimulus)["GND"][0] in ends
    words = [words for words, *_ in texts(picture)]
    for channel in range(len(wired_signals(target))):
        assert words.count(f"D{channel}") >= 1
    assert words.count("GND") >= 2


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_no_wire_lies_in_line_with_another(target: Board, stimulus: Board) -> None:
    scene = arrange(target, stimulus, wired_signals(target), second_witness=True)
    for a, b in combinations(scene.wires, 2):
        assert abs(a.lane - b.lane) > 9
        assert abs(a.target.approach - b.target.approach) >= 9
        for one, other in ((a, b), (b, a)):
            if one.stimulus:
                assert abs(one.stimulus.y - other.target.approach) >= 6


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_five_volts_to_a_gpio_are_drawn_with_a_shifter(target: Board, stimulus: Board) -> None:
    words = " ".join(words for words, _ in texts(parsed(wiring_svg(target, stimulus))))
    assert (" level shifter 5 V 3.3 V " in words) == needs_shifter(target, stimulus)
    assert ("or the pin is destroyed" in words) == needs_shifter(target, stimulus)
    sees = "3.3 V" if needs_shifter(target, stimulus) else "5 V"
    assert f"it sees {sees}" in words


# --- legible -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def texts(picture: ElementTree.Element) -> Iterator[tuple[str, Box]]:
    """Each text and about the room it takes: 0.55 of its size a character."""
    for element in picture.iter(f"{SVG}text"):
        words = "".join(element.itertext())
        size = float(element.get("font-size", "13"))
        width = 0.55 * size * len(words)
        x, y = number(element, "x"), number(element, "y")
        x -= {"middle": width / 2, "end": width}.get(element.get("text-anchor", ""), 0)
        yield words, Box(x, y - 0.7 * size, x + width, y + 0.15 * size)


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_no_text_covers_another_or_leaves_the_picture(target: Board, stimulus: Board) -> None:
    picture = parsed(wiring_svg(target, stimulus))
    width, height = number(picture, "width"), number(picture, "height")
    boxes = list(texts(picture))
    for words, box in boxes:
        inside = box.left > 0 and box.top > 0 and box.right < width and box.bottom < height
        assert inside, words
    for (words, box), (others, other) in combinations(boxes, 2):
        assert not box.overlaps(other), f"{words} / {others}"


def test_its_own_ground_is_light() -> None:
    first = next(parsed(wiring_svg(PI, UNO)).iter(f"{SVG}rect"))
    assert first.attrib["fill"] == "#ffffff"
    assert number(first, "width") >= 979


def test_what_was_found_is_dashed_and_written() -> None:
    picture = parsed(wiring_svg(PI, UNO, findings={"response": "open at <D8> & elsewhere"}))
    assert any("response: open at <D8> & elsewhere" in words for words, _ in texts(picture))
    for signal in wired_signals(PI):
        lines = list(group(picture, "data-signal", signal).iter(f"{SVG}polyline"))
        dashed = any(line.get("stroke-dasharray") for line in lines)
        assert dashed == (signal == "response")


def test_without_a_second_witness_d8_is_free() -> None:
    picture = parsed(wiring_svg(PI, UNO, second_witness=False))
    at, _ = pins_of(picture, UNO)["D8"]
    assert at not in ends_of(group(picture, "data-signal", "response"))


def test_wires_have_the_colors_given() -> None:
    picture = parsed(wiring_svg(PI, UNO, colors={"stimulus": "orange"}))
    assert pins_of(picture, UNO)["D9"][1] == wire_hue("orange", 0)


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=30).filter(str.isprintable))
def test_any_name_is_drawn_as_it_is(title: str) -> None:
    picture = parsed(wiring_svg(replace(PI, title=title), UNO))
    assert any(words == title for words, _ in texts(picture))


@pytest.mark.parametrize("target", load_boards("target"), ids=lambda board: board.name)
def test_the_handbooks_pictures_are_todays(target: Board) -> None:
    """`rig boards NAME --svg FILE` draws one anew, for docs/images."""
    kept = (IMAGES / f"board-{target.name}.svg").read_text(encoding="utf-8")
    assert kept == wiring_svg(target, UNO)
