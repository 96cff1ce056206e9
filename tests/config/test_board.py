# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of boards: what is built in is sound, and what is wrong gets one clear line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig import resources
from rig.config.board import Board, load_board, load_boards, parse_board
from rig.config.fixture import SEQUENCE
from rig.errors import InputError
from rig.resources import board_names, find_board
from rig.stimulus.chip import chip_named

BOARDS = [load_board(name) for name in board_names()]
TARGETS = [board for board in BOARDS if board.role == "target"]
PI = find_board("raspberry-pi-4").read_text(encoding="utf-8")
UNO = find_board("arduino-uno").read_text(encoding="utf-8")

# Pin headers and connectors, written down apart from the descriptions.
PI_HEADER = {  # BCM number: pin of the 40-pin header
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8,
    15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37,
    27: 13,
}  # fmt: skip
PI_GROUNDS = {6, 9, 14, 20, 25, 30, 34, 39}
BONE_P8_OF_GPIO1 = {12: 12, 13: 11, 14: 16, 15: 15, 29: 26}
PORT_PINS = {"nACK": "10", **{f"D{bit}": str(bit + 2) for bit in range(8)}}


def test_the_boards_there_must_be() -> None:
    assert {board.name for board in TARGETS} >= {
        "parallel-port", "raspberry-pi-4", "raspberry-pi-5", "beaglebone-black", "generic-gpio",
        "serial-port",
    }  # fmt: skip
    assert {board.name for board in load_boards("stimulus")} >= {"arduino-uno", "arduino-nano"}


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_board_is_named_like_its_file_and_says_who_says_so(board: Board) -> None:
    assert find_board(board.name).stem == board.name
    assert len(board.pitfalls) >= 3
    assert not board.tried_on_hardware


@pytest.mark.parametrize("name", ["raspberry-pi-4", "raspberry-pi-5"])
def test_pins_of_a_raspberry_pi(name: str) -> None:
    for line in load_board(name).lines:
        if line.signal == "ground":
            assert int(line.pin) in PI_GROUNDS
        elif line.signal == "supply":
            assert line.pin in ("1", "17")
        else:
            assert line.offset is not None
            assert (line.name, line.pin) == (f"GPIO{line.offset}", str(PI_HEADER[line.offset]))


def test_pins_of_a_beaglebone() -> None:
    for line in load_board("beaglebone-black").lines:
        if line.offset is not None:
            assert line.name == f"GPIO1_{line.offset}"
            assert (line.connector, line.pin) == ("P8", str(BONE_P8_OF_GPIO1[line.offset]))


def test_pins_of_a_parallel_port() -> None:
    lines = load_board("parallel-port").lines
    signals = {line.signal: line for line in lines}
    for line in lines:
        if line.signal == "ground":
            assert 18 <= int(line.pin) <= 25
        else:
            assert line.pin == PORT_PINS[line.name]
    # As the agent and the kernel module use them.
    assert signals["stimulus"].name == "nACK"
    assert signals["response"].name == "D0"
    assert [signals[s].name for s in SEQUENCE if s in signals] == ["D1", "D2", "D3"]
    assert (signals["trigger"].name, signals["task"].name) == ("D6", "D7")


def test_pins_of_a_serial_port() -> None:
    lines = {line.signal: (line.name, line.pin) for line in load_board("serial-port").lines}
    # As the agent and the kernel module use them; a MAX3232 has two drivers and two receivers.
    assert lines == {
        "stimulus": ("CTS", "T1IN"),
        "response": ("RTS", "R1OUT"),
        "sequence0": ("DTR", "R2OUT"),
        "ground": ("GND", "GND"),
    }


@pytest.mark.parametrize("board", load_boards("stimulus"), ids=lambda board: board.name)
def test_pins_of_a_stimulus_are_the_timers(board: Board) -> None:
    assert board.stimulus is not None
    for signal, pin in chip_named(board.stimulus.chip).pins.items():
        line = board.line(signal)
        assert line is not None
        assert line.pin == pin


def test_where_pins_lie() -> None:
    header = load_board("raspberry-pi-4").connectors[0]
    assert [header.place_of(pin) for pin in ("1", "2", "39", "40")] == [
        (0, 0), (0, 1), (19, 0), (19, 1),
    ]  # fmt: skip
    port = load_board("parallel-port").connectors[0]
    # Pin 14 lies between 1 and 2, pin 25 between 12 and 13.
    assert [port.place_of(pin) for pin in ("1", "13", "14", "25")] == [
        (0, 0), (12, 0), (0.5, 1), (11.5, 1),
    ]  # fmt: skip
    uno = load_board("arduino-uno").connectors[0]
    assert uno.place_of("D8")[0] + 2 == uno.place_of("D7")[0]  # the gap


def test_other_lines_keep_the_pins_that_are_known() -> None:
    board = load_board("raspberry-pi-4").with_offsets({"stimulus": 17, "response": 26})
    stimulus, response = board.line("stimulus"), board.line("response")
    assert stimulus is not None
    assert response is not None
    assert board.label(stimulus) == "GPIO17 (pin 11)"
    assert (response.offset, response.pin) == (26, "")


@pytest.mark.parametrize(
    ("offsets", "problem"),
    [
        ({"response": 4}, "below the sequence's"),
        ({"response": 17}, "two signals on one GPIO line"),
        ({"ground": 4}, "no signal"),
        ({"response": 1024}, "0 to 1023"),
        ({"response": -1}, "0 to 1023"),
    ],
)
def test_lines_that_cannot_be(offsets: dict[str, int], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        load_board("raspberry-pi-4").with_offsets(offsets)


def test_a_parallel_port_has_no_numbered_lines() -> None:
    with pytest.raises(InputError, match="a board with GPIO"):
        load_board("parallel-port").with_offsets({"response": 3})


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('role = "target"', 'role = "analyzer"', "[board] role: unknown role"),
        ('pin = "13"', 'pin = "41"', '[[line]] pin: J8 has no pin "41"; valid: 1 to 40'),
        ('pin = "13"', 'pin = "11"', "[[line]] pin: pin 11 is stimulus's already"),
        ("pins = 40", "pins = 400", "[[connector]] pins:"),
        ('signal = "response"', 'signal = "stimulus"', "[[line]] signal: stimulus is there twice"),
        ('signal = "ground"', 'signal = "task"', "line: no line for ground"),
        ("offset = 27", "offset = 3", "response is on line 3, below the sequence's"),
        ("offset = 27", "offset = 17", "two signals on one GPIO line"),
        ('port = "gpio"', 'port = "ppdev"', "[[line]] offset: only lines of GPIO have one"),
        ('input_high = "2.0 V"', 'input_high = "4 V"', "[levels] input_high: above input_max"),
        ('output_high = "2.6 V"', 'output_high = "4 V"', "[levels] output_high: above supply"),
        ('supply = "3.3 V"', 'supply = "3.3 A"', "[levels] supply:"),
        ("/dev/gpiochip0", "gpiochip0; rm", "[agent] device:"),
        ('plan = "interrupt-to-task"', 'plan = "guess"', "[agent] plan: unknown plan"),
        ('source = "https:', 'source = "javascript:', "source:"),
        ('edge = "either"', 'edge = "both"', "[interrupt] edge: unknown edge"),
        ("[interrupt]", "[interupt]", "unknown table"),
        ('shape = "two-rows"', 'shape = "row"', "[[connector]]"),
    ],
)
def test_what_is_wrong_gets_one_line(old: str, new: str, complaint: str) -> None:
    assert old in PI
    with pytest.raises(InputError) as caught:
        parse_board(PI.replace(old, new, 1), "board.toml")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("board.toml")
    assert complaint in message


def test_every_key_is_explained() -> None:
    handbook = (Path(__file__).parents[2] / "docs" / "reference" / "boards.md").read_text(
        encoding="utf-8"
    )
    for name in board_names():
        text = find_board(name).read_text(encoding="utf-8")
        for key in set(re.findall(r"^(?:\[+)?([a-z_]+)(?: = |\])", text, re.MULTILINE)):
            assert re.search(rf"`(?:\[+)?{key}(?:\]+)?`", handbook), key


def test_a_line_number_is_told() -> None:
    text = PI.replace('pin = "13"', 'pin = "41"')
    line = text[: text.index('pin = "41"')].count("\n") + 1
    with pytest.raises(InputError, match=re.escape(f"board.toml:{line}: ")):
        parse_board(text, "board.toml")


def test_a_stimulus_pin_that_the_timer_has_not() -> None:
    with pytest.raises(InputError, match="not the atmega328p's stimulus pin; valid: D9"):
        parse_board(UNO.replace('pin = "D9"', 'pin = "D10"'), "board.toml")


def test_a_row_has_no_pin_twice() -> None:
    with pytest.raises(InputError, match="one twice"):
        parse_board(UNO.replace("SCL SDA", "SCL SCL"), "board.toml")


@given(st.data())
def test_damaged_text_is_read_or_refused_in_one_line(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(PI) - 1))
    end = data.draw(st.integers(at, min(len(PI), at + 30)))
    text = PI[:at] + data.draw(st.text(max_size=8)) + PI[end:]
    complaint = ""
    try:
        parse_board(text, "board.toml")
    except InputError as error:
        complaint = str(error)
    assert "\n" not in complaint


def test_boards_travel_beside_the_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the wheel has them, and no fixture is taken for a board or the other way round."""
    folder = tmp_path / "rig" / "data" / "fixtures" / "boards"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(PI, encoding="utf-8")
    (folder.parent / "bench.toml").touch()
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "rig")
    assert resources.board_names() == ("mine",)
    assert resources.fixture_names() == ("bench",)
    assert resources.find_board("mine") == folder / "mine.toml"
