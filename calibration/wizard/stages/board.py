# SPDX-License-Identifier: GPL-3.0-or-later
"""First stage: which boards, which instruments."""

from __future__ import annotations

from contextlib import suppress

from calibration.wizard.bench import (
    FIRST_BOARD,
    FIRST_STIMULUS,
    HARDWARE,
    VIRTUAL,
    boards_of,
    fixture_of,
    is_virtual,
    wants_lines,
)
from calibration.wizard.question import AnswerOption, Question
from calibration.wizard.stages.stage import Stage
from calibration.wizard.state import WizardState
from rig.config.board import load_board, load_boards
from rig.config.board_fixture import FX2
from rig.errors import BenchError, InputError
from rig.stimulus.usb_ports import likely_port
from rig.toml.units import RATE


def explain(_state: WizardState) -> tuple[str, ...]:
    return (
        "Three parts make a bench: the board to be measured, a microcontroller that interrupts "
        "it, and a logic analyzer that watches both.",
        "No hardware at hand? Take the virtual bench: everything goes the same way, and nothing "
        "has to be connected.",
    )


def questions(state: WizardState) -> tuple[Question, ...]:
    asked = [
        Question("bench", "Bench", HARDWARE, (
            AnswerOption(HARDWARE, "real instruments"),
            AnswerOption(VIRTUAL, "the virtual bench, to try it out"),
        ), "a fixture file with a virtual bench", others=True),
        Question("board", "Board to be measured", FIRST_BOARD, _boards("target"),
                 "a file that describes a board: docs/reference/boards.md", others=True),
    ]  # fmt: skip
    if _wants_lines(state):
        hint = "numbers of the lines on their chip (gpioinfo), such as stimulus=17,response=27"
        asked.append(Question("lines", "GPIO lines", "", (), hint))
    asked.append(Question("stimulus", "Microcontroller", FIRST_STIMULUS, _boards("stimulus"),
                          "a file that describes a board", others=True))  # fmt: skip
    return (*asked, *(() if is_virtual(state) else _instruments(state)))


def _instruments(state: WizardState) -> tuple[Question, ...]:
    rate = RATE.format(FX2.sample_rate_hz)
    return (
        Question("port", "Its serial port", _port(state),
                 hint="`rig doctor` lists those that are plugged in"),
        Question("analyzer", "Analyzer's driver", FX2.driver,
                 hint="of libsigrok: `sigrok-cli -L`"),
        Question("connection", "Analyzer's connection", "",
                 hint="libsigrok's conn option; empty takes the one that is plugged in"),
        Question("sample-rate", "Sample rate", rate, hint=f"such as {rate}"),
        Question("channels", "Analyzer's channels", str(FX2.channels), hint="1 to 16"),
    )  # fmt: skip


def _boards(role: str) -> tuple[AnswerOption, ...]:
    return tuple(AnswerOption(board.name, board.title) for board in load_boards(role))


def _wants_lines(state: WizardState) -> bool:
    """A board that cannot be read is told when the answers are checked."""
    try:
        return wants_lines(load_board(state.answer("board", FIRST_BOARD)))
    except InputError:
        return False


def _port(state: WizardState) -> str:
    """Return the port that looks like a stimulus, if there is one; else where the board's is."""
    with suppress(BenchError):
        return likely_port()
    try:
        side = load_board(state.answer("stimulus", FIRST_STIMULUS)).stimulus
    except InputError:
        return ""
    return side.port if side else ""


def check(state: WizardState) -> None:
    """Boards, instruments and lines make a fixture."""
    boards_of(state)
    fixture_of(state)


STAGE = Stage("board", "Choose the boards", explain, questions, check)
