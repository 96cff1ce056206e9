# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench that the answers describe: its boards, its fixture, its wires."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from calibration.wiring.rewritten import with_channels
from calibration.wizard.detected_wiring import KEY, channels_of
from calibration.wizard.state import WizardState
from rig.capture.analyzers import AnalyzerSettings
from rig.config.board import GPIO_PORT, Board, load_board, load_boards
from rig.config.board_fixture import EXAMPLE_LINK, FX2, agent_arguments, fixture_text
from rig.config.fixture import RESPONSE, STIMULUS, Fixture, load_fixture, parse_fixture
from rig.config.links import SshLink, TargetLink, VirtualLink, link_of_word, split_arguments
from rig.errors import InputError
from rig.toml.units import RATE

HARDWARE, VIRTUAL = "hardware", "virtual"
FIRST_BOARD, FIRST_STIMULUS = "raspberry-pi-4", "arduino-uno"
_VIRTUAL_TABLES = re.compile(r"^\[virtual\b", re.MULTILINE)


@dataclass(frozen=True)
class Ends:
    """The ends of one wire, as whoever connects it needs them."""

    signal: str
    text: str
    """The wire from end to end, in words."""


def is_virtual(state: WizardState) -> bool:
    """Return whether there is no hardware: the bench is a model."""
    return state.answer("bench", HARDWARE) != HARDWARE


def boards_of(state: WizardState) -> tuple[Board, Board]:
    """Return target and stimulus. Raises InputError."""
    board = load_board(state.answer("board", FIRST_BOARD))
    stimulus = load_board(state.answer("stimulus", FIRST_STIMULUS))
    for each, role in ((board, "target"), (stimulus, "stimulus")):
        if each.role != role:
            valid = ", ".join(one.name for one in load_boards(role))
            raise InputError(f"{each.name}: no board of a {role}; valid: {valid}")
    lines = state.answer("lines")
    if lines and wants_lines(board):
        board = board.with_offsets(offsets_of(lines))
    return board, stimulus


def wants_lines(board: Board) -> bool:
    """Return whether the board's GPIO lines are the user's to name."""
    if board.agent is None or board.agent.port != GPIO_PORT:
        return False
    lines = (board.line(signal) for signal in (STIMULUS, RESPONSE))
    return any(line is None or line.offset is None for line in lines)


def offsets_of(words: str) -> dict[str, int]:
    """Return `stimulus=17,response=27` as numbers by signal. Raises InputError."""
    offsets: dict[str, int] = {}
    for word in words.replace(" ", "").split(","):
        match = re.fullmatch("([a-z0-9]{1,20})=([0-9]{1,6})", word)
        if match is None or match[1] in offsets:
            raise InputError(f'lines: "{word}"; valid: such as stimulus=17,response=27')
        offsets[match[1]] = int(match[2])
    return offsets


def link_of(state: WizardState) -> TargetLink:
    """Return how the target is reached. Raises InputError."""
    if is_virtual(state):
        return VirtualLink()
    word = state.answer("target")
    if not word:
        return EXAMPLE_LINK
    link = link_of_word(word)
    if not isinstance(link, SshLink):
        return link
    told = state.answer("agent-arguments") or agent_arguments(boards_of(state)[0])
    try:
        return replace(link, arguments=split_arguments(told), config=state.answer("ssh-config"))
    except ValueError as error:
        raise InputError(f"agent-arguments: {error}") from None


def text_of(state: WizardState) -> str:
    """Return the fixture's text. Raises InputError for answers that make none."""
    target, stimulus = boards_of(state)
    virtual = load_fixture(state.answer("bench")) if is_virtual(state) else None
    if virtual is not None and not virtual.is_virtual:
        raise InputError(f"bench: {virtual.source} is no virtual bench; valid: virtual, hardware")
    text = fixture_text(
        target,
        stimulus,
        name=state.name,
        analyzer=_analyzer(state) if virtual is None else virtual.analyzer,
        stimulus_port=VIRTUAL if virtual else state.answer("port"),
        link=link_of(state),
        more_tables=_virtual_tables(virtual),
    )
    return _as_found(text, state)


def _as_found(text: str, state: WizardState) -> str:
    """Return the fixture's text with the channels as found, if the user took them."""
    found = channels_of(state)
    if not found:
        return text
    fixture = parse_fixture(text, state.name)
    channels = {wire.signal: found.get(wire.signal, wire.channel) for wire in fixture.wires}
    taken = with_channels(fixture, channels)
    if not taken:
        raise InputError(f"{KEY}: two wires would share a channel; look at the wires again")
    return taken


def fixture_of(state: WizardState) -> Fixture:
    """Return the fixture itself. Raises InputError."""
    return parse_fixture(text_of(state), state.name)


def wires_of(state: WizardState) -> tuple[Ends, ...]:
    """Return the wires in the order in which to connect them. Raises InputError."""
    target, stimulus = boards_of(state)
    ends = []
    for wire in fixture_of(state).wires:
        places = [f"{target.title} {wire.target_line}", f"analyzer D{wire.channel}"]
        if wire.stimulus_pin:
            # The end that drives it comes first.
            at = 0 if wire.signal == STIMULUS else 1
            places.insert(at, f"{stimulus.title} {wire.stimulus_pin}")
        color = f"{wire.color} wire, " if wire.color else ""
        first, *others = places
        ends.append(Ends(wire.signal, f"{color}{first} to {' and '.join(others)}"))
    return tuple(ends)


def grounds_of(state: WizardState) -> str:
    """Return the grounds to be connected before all wires, in words. Raises InputError."""
    boards = reversed(boards_of(state))
    pins = [f"{board.title} {board.label(line)}" for board in boards
            if (line := board.line("ground"))]  # fmt: skip
    return f"Grounds together: {', '.join(pins)}, analyzer GND"


def _analyzer(state: WizardState) -> AnalyzerSettings:
    try:
        rate_hz = RATE.parse(state.answer("sample-rate", RATE.format(FX2.sample_rate_hz)))
    except ValueError as error:
        raise InputError(f"sample-rate: {error}; valid: such as 24 MHz") from None
    channels = state.answer("channels", str(FX2.channels))
    if not re.fullmatch("[0-9]{1,2}", channels):
        raise InputError(f'channels: "{channels}" is no number of channels; valid: 1 to 16')
    return replace(
        FX2,
        driver=state.answer("analyzer", FX2.driver),
        connection=state.answer("connection"),
        sample_rate_hz=rate_hz,
        channels=int(channels),
    )


def _virtual_tables(virtual: Fixture | None) -> str:
    """Return the tables of what is behind another virtual bench's cable ends."""
    if virtual is None:
        return ""
    found = _VIRTUAL_TABLES.search(virtual.text)
    return virtual.text[found.start() :] if found else ""
