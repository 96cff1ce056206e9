# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures from boards: the strict reader reads what was written, and it says what was meant."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture.analyzers import AnalyzerSettings
from rig.config.board import Board, level_findings, load_board, load_boards, needs_shifter
from rig.config.board_fixture import agent_arguments, fixture_text, wired_signals
from rig.config.board_levels import DAMAGE, DOUBT, BoardVoltages, compare_levels
from rig.config.check import check
from rig.config.fixture import parse_fixture
from rig.config.links import SerialLink, SshLink, TargetLink, TcpLink, VirtualLink
from rig.config.plan import load_plan
from rig.errors import InputError

UNO = load_board("arduino-uno")
LINES = {"stimulus": 3, "response": 9}


def ready(board: Board) -> Board:
    return board.with_offsets(LINES) if board.name == "generic-gpio" else board


PAIRS = [
    pytest.param(ready(target), stimulus, id=f"{target.name}-{stimulus.name}")
    for target, stimulus in product(load_boards("target"), load_boards("stimulus"))
]


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_every_wire_has_its_pins_at_both_ends(target: Board, stimulus: Board) -> None:
    fixture = parse_fixture(fixture_text(target, stimulus, name="bench-3"), "bench-3")
    assert fixture.name == "bench-3"
    assert [wire.channel for wire in fixture.wires] == list(range(len(fixture.wires)))
    assert tuple(wire.signal for wire in fixture.wires) == wired_signals(target)
    for wire in fixture.wires:
        line, end = target.line(wire.signal), stimulus.line(wire.signal)
        assert line is not None
        assert wire.target_line == target.label(line)
        assert wire.stimulus_pin == (end.pin if end else "")
        assert wire.color
    assert fixture.has_second_witness
    assert len({wire.color for wire in fixture.wires}) == len(fixture.wires)


@pytest.mark.parametrize(("target", "stimulus"), PAIRS)
def test_the_first_plan_runs_on_it(target: Board, stimulus: Board) -> None:
    assert target.agent is not None
    fixture = parse_fixture(fixture_text(target, stimulus, name="bench"), "bench")
    check(load_plan(target.agent.plan), fixture)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("parallel-port", "--port ppdev --device /dev/parport0"),
        ("serial-port", "--port serial --device /dev/ttyS0"),
        (
            "raspberry-pi-4",
            "--port gpio --device /dev/gpiochip0 "
            "--pins response=27,interrupt=17,trigger=22,sequence=5:6:13",
        ),
        (
            "beaglebone-black",
            "--port gpio --device /dev/gpiochip0 --pins response=29,interrupt=13,sequence=12:15:14",
        ),
    ],
)
def test_the_agent_is_told_its_pins(name: str, arguments: str) -> None:
    board = load_board(name)
    assert agent_arguments(board) == arguments
    link = parse_fixture(fixture_text(board, UNO, name="bench"), "bench").target.link
    assert isinstance(link, SshLink)
    assert " ".join(link.arguments) == arguments


@pytest.mark.parametrize(
    "link",
    [
        SshLink("ann@board-7", "/opt/rig-agent", ("--port", "kmod"), "bench.conf"),
        SerialLink("/dev/ttyUSB1", 921_600),
        TcpLink("192.0.2.7", 7411),
        TcpLink("2001:db8::7", 7411),
    ],
)
def test_the_link_comes_back(link: TargetLink) -> None:
    text = fixture_text(load_board("parallel-port"), UNO, name="bench", link=link)
    assert parse_fixture(text, "bench").target.link == link


def test_the_analyzer_comes_back() -> None:
    analyzer = AnalyzerSettings(
        "dreamsourcelab-dslogic", "1.2", 25_000_000, 16, 2_500 * 10**9,
        {"continuous": True, "voltage_threshold": "(1.4, 3.6)", "depth": 7},
    )  # fmt: skip
    text = fixture_text(
        load_board("parallel-port"), UNO, name="b", analyzer=analyzer, stimulus_port="/dev/ttyS3"
    )
    fixture = parse_fixture(text, "b")
    assert fixture.analyzer == analyzer
    assert fixture.stimulus.port == "/dev/ttyS3"


def test_a_virtual_bench_can_stand_in() -> None:
    analyzer = AnalyzerSettings("beaglelogic", "virtual", 24_000_000, 8, 5 * 10**12, {})
    text = fixture_text(
        load_board("raspberry-pi-4"),
        UNO,
        name="b",
        analyzer=analyzer,
        stimulus_port="virtual",
        link=VirtualLink(),
        more_tables='[virtual.target]\nmodel = "constant"\nlatency = "5 us"\nseed = 1\n'
        'toggle_time = "50 ns"\nclock = "1 GHz"\n',
    )
    assert parse_fixture(text, "b").is_virtual


def test_without_a_second_witness_and_with_other_wires() -> None:
    board = load_board("parallel-port")
    signals = ("response", "stimulus", "task")
    text = fixture_text(board, UNO, name="b", signals=signals, second_witness=False)
    fixture = parse_fixture(text, "b")
    assert [(w.signal, w.channel, w.stimulus_pin) for w in fixture.wires] == [
        ("response", 0, ""), ("stimulus", 1, "D9"), ("task", 2, ""),
    ]  # fmt: skip


@given(st.text(max_size=60))
def test_any_title_comes_back_or_is_refused(title: str) -> None:
    try:
        text = fixture_text(load_board("parallel-port"), UNO, name="b", title=title)
    except InputError:
        assert not title.isprintable()
        return
    assert title == "" or parse_fixture(text, "b").title == title


@pytest.mark.parametrize(
    ("target", "stimulus", "signals", "complaint"),
    [
        ("generic-gpio", "arduino-uno", (), "which line is the response's"),
        ("arduino-uno", "arduino-uno", (), "is no target"),
        ("parallel-port", "raspberry-pi-4", (), "is no stimulus"),
        ("beaglebone-black", "arduino-uno", ("stimulus", "task"), "no line for task"),
        ("parallel-port", "arduino-uno", ("stimulus", "ground"), "no line for ground"),
        ("parallel-port", "arduino-uno", ("stimulus", "stimulus"), "wired twice"),
        ("parallel-port", "arduino-uno", ("sequence1",), "sequence0 is not"),
    ],
)
def test_what_cannot_be_wired(
    target: str, stimulus: str, signals: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        fixture_text(load_board(target), load_board(stimulus), name="b", signals=signals)


# --- voltages ----------------------------------------------------------------------------------


def test_five_volts_never_reach_a_gpio_without_a_warning() -> None:
    for target in load_boards("target"):
        kinds = {finding.kind for finding in level_findings(target, UNO)}
        low = target.levels.supply_mv == 3300
        assert needs_shifter(target, UNO) == (DAMAGE in kinds) == low
        assert ("level shifter" in fixture_text(ready(target), UNO, name="b")) == low


def test_a_parallel_port_is_wired_directly_but_its_high_level_is_not_sure() -> None:
    (finding,) = level_findings(load_board("parallel-port"), UNO)
    assert finding.kind == DOUBT
    assert "2.4 V" in finding.text
    assert "3 V" in finding.text


MILLIVOLTS = st.integers(500, 24_000)


@given(MILLIVOLTS, MILLIVOLTS, MILLIVOLTS, MILLIVOLTS)
def test_levels_are_judged_as_the_definitions_say(
    supply: int, drives: int, most: int, high: int
) -> None:
    driver = BoardVoltages(supply, supply, 500, min(drives, supply), "")
    receiver = BoardVoltages(most, most, min(high, most), 500, "")
    finding = compare_levels("A", driver, "B", receiver)
    if supply > most:
        assert finding is not None
        assert finding.kind == DAMAGE
    elif min(drives, supply) < min(high, most):
        assert finding is not None
        assert finding.kind == DOUBT
    else:
        assert finding is None
