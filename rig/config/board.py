# SPDX-License-Identifier: GPL-3.0-or-later
"""A board: pins, levels and pitfalls of a target or a stimulus, as TOML.

docs/reference/boards.md explains it. What a wire needs is looked up here, so that drawings,
fixtures and warnings say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rig.config.board_connector import Connector, parse_connectors
from rig.config.board_levels import (
    DAMAGE,
    BoardVoltages,
    LevelFinding,
    compare_levels,
    parse_levels,
)
from rig.config.fixture import RESPONSE, SEQUENCE, SIGNALS, STIMULUS
from rig.config.plan import NAME_PATTERN, NAME_VALID
from rig.errors import InputError
from rig.resources import board_names, find_board, plan_names
from rig.stimulus.chip import chip_named, chip_names
from rig.toml.reader import TomlFile, TomlTable, read_document

TARGET = "target"
GROUND = "ground"
SUPPLY = "supply"
"""The supply of the board's side of a level shifter."""
TRIGGER = "trigger"
"""The pin of a target that makes its own interrupts."""
LINE_SIGNALS = (*SIGNALS, TRIGGER, GROUND, SUPPLY)
GPIO_PORT = "gpio"
AGENT_PORTS = (GPIO_PORT, "ppdev", "ioport", "serial", "kmod")
OFFSET_MAX = 1023
URL_PATTERN = "https?://[!-~]+"
URL_VALID = "an address that begins with https:// or http://"
_TEXT_VALID = "one line of text, at most 200 characters"
_DEVICE_VALID = 'a device of the target such as "/dev/gpiochip0"'


@dataclass(frozen=True)
class BoardPin:
    """One pin and what it is used for."""

    signal: str
    name: str
    """The line's name as the board's maker has it."""
    pin: str
    """The pin on the connector; "" if it is not known, or is on no connector described."""
    connector: str
    offset: int | None
    """Number of a GPIO line on its chip."""


@dataclass(frozen=True)
class InterruptPath:
    """The path of the stimulus to the kernel."""

    edge: str
    """Edge that can interrupt: "rising", "falling" or "either"."""
    path: str
    source: str


@dataclass(frozen=True)
class BoardAgent:
    """The start of the agent on a target."""

    port: str
    device: str
    plan: str
    """Built-in plan for a first measurement."""


@dataclass(frozen=True)
class StimulusSide:
    """The use of a microcontroller board."""

    chip: str
    port: str
    """The usual device of its serial port."""
    flash: str
    """Command that puts the firmware on it."""


@dataclass(frozen=True)
class Pitfall:
    """A pitfall: what goes wrong, what to do, and the source."""

    what: str
    remedy: str
    source: str


@dataclass(frozen=True)
class Board:
    """One board. A target has `interrupt` and `agent`, a stimulus has `stimulus`."""

    name: str
    title: str
    role: str
    levels: BoardVoltages
    connectors: tuple[Connector, ...]
    lines: tuple[BoardPin, ...]
    pitfalls: tuple[Pitfall, ...]
    interrupt: InterruptPath | None = None
    agent: BoardAgent | None = None
    stimulus: StimulusSide | None = None
    tried_on_hardware: bool = False

    def line(self, signal: str) -> BoardPin | None:
        """The line of this signal, if the board has one."""
        return next((line for line in self.lines if line.signal == signal), None)

    def label(self, line: BoardPin) -> str:
        """The line for whoever looks for it: `GPIO17 (pin 11)`, `GPIO1_13 (P8_11)`, `D9`."""
        if not line.pin:
            return line.name if line.offset is None else f"{line.name} (line {line.offset})"
        if self.role == STIMULUS:
            return line.pin
        where = f"{line.connector}_{line.pin}" if len(self.connectors) > 1 else f"pin {line.pin}"
        return f"{line.name} ({where})"

    def with_offsets(self, offsets: Mapping[str, int]) -> Board:
        """The board with these signals on other GPIO lines, whose pins are then not known.

        A line that keeps its number keeps its pin. Signals that the board lacks are added. Raises
        InputError for a signal or number that cannot be.
        """
        if self.agent is None or self.agent.port != GPIO_PORT:
            raise InputError(f"{self.name} has no numbered lines; valid: a board with GPIO")
        lines = {line.signal: line for line in self.lines}
        for signal, offset in offsets.items():
            if signal not in (*SIGNALS, TRIGGER):
                raise InputError(f"{signal}: no signal; valid: {', '.join((*SIGNALS, TRIGGER))}")
            if not 0 <= offset <= OFFSET_MAX:
                raise InputError(f"{signal}: line {offset}; valid: 0 to {OFFSET_MAX}")
            known = lines.get(signal)
            if known is None or known.offset != offset:
                name = "GPIO" if known is None or known.offset is not None else known.name
                lines[signal] = BoardPin(signal, name, "", "", offset)
        _refuse_bad_offsets(self.name, lines)
        return replace(self, lines=tuple(lines.values()))


def level_findings(target: Board, stimulus: Board) -> tuple[LevelFinding, ...]:
    """Return the findings on the voltages when these two are wired: at most one a direction."""
    both = ((stimulus, target), (target, stimulus))
    found = [compare_levels(a.title, a.levels, b.title, b.levels) for a, b in both]
    shifted = any(finding and finding.kind == DAMAGE for finding in found)
    return tuple(replace(finding, shifted=shifted) for finding in found if finding)


def needs_shifter(target: Board, stimulus: Board) -> bool:
    """Return whether one of the two would destroy the other."""
    return any(finding.kind == DAMAGE for finding in level_findings(target, stimulus))


def load_board(name_or_path: str) -> Board:
    """Read a described board or a file. Raises InputError: one line with file, line and key."""
    source = name_or_path if name_or_path in board_names() else None
    document = read_document(find_board(name_or_path), source)
    return parse_board(document.text, document.source)


def load_boards(role: str) -> tuple[Board, ...]:
    """All described boards of a role, "target" or "stimulus", sorted by name."""
    boards = (load_board(name) for name in board_names())
    return tuple(board for board in boards if board.role == role)


def parse_board(text: str, source: str) -> Board:
    """A board from its text; `source` is the name used in errors. Raises InputError."""
    root = TomlFile(text, source).root()
    head = root.table("board")
    head.allow_only(("name", "title", "role", "tried_on_hardware"))
    role = head.choice("role", (TARGET, STIMULUS))
    own = ("interrupt", "agent") if role == TARGET else ("stimulus",)
    root.allow_only(("board", "levels", *own, "connector", "line", "pitfall"))
    connectors = parse_connectors(root)
    side = _stimulus(root.table("stimulus")) if role == STIMULUS else None
    agent = _agent(root.table("agent")) if role == TARGET else None
    return Board(
        name=head.text("name", pattern=NAME_PATTERN, valid=NAME_VALID),
        title=head.text("title", valid=_TEXT_VALID),
        role=role,
        levels=parse_levels(root.table("levels"), URL_PATTERN, URL_VALID),
        connectors=connectors,
        lines=_lines(root, connectors, agent, side),
        pitfalls=tuple(_pitfall(table) for table in root.tables("pitfall")),
        interrupt=_interrupt(root.table("interrupt")) if role == TARGET else None,
        agent=agent,
        stimulus=side,
        tried_on_hardware=head.flag("tried_on_hardware"),
    )


def _interrupt(table: TomlTable) -> InterruptPath:
    table.allow_only(("edge", "path", "source"))
    edge = table.choice("edge", ("rising", "falling", "either"))
    return InterruptPath(edge, table.text("path", valid=_TEXT_VALID), _source(table))


def _agent(table: TomlTable) -> BoardAgent:
    table.allow_only(("port", "device", "plan"))
    return BoardAgent(
        port=table.choice("port", AGENT_PORTS),
        device=table.text("device", pattern="/[A-Za-z0-9_./-]+", valid=_DEVICE_VALID),
        plan=table.choice("plan", plan_names()),
    )


def _stimulus(table: TomlTable) -> StimulusSide:
    table.allow_only(("chip", "port", "flash"))
    return StimulusSide(
        chip=table.choice("chip", chip_names()),
        port=table.text("port", pattern="/.+", valid='a serial port such as "/dev/ttyACM0"'),
        flash=table.text("flash", valid="one command"),
    )


def _pitfall(table: TomlTable) -> Pitfall:
    table.allow_only(("what", "remedy", "source"))
    what, remedy = (table.text(key, valid=_TEXT_VALID) for key in ("what", "remedy"))
    return Pitfall(what, remedy, _source(table))


def _source(table: TomlTable) -> str:
    return table.text("source", pattern=URL_PATTERN, valid=URL_VALID)


# --- lines -------------------------------------------------------------------------------------


def _lines(
    root: TomlTable,
    connectors: tuple[Connector, ...],
    agent: BoardAgent | None,
    side: StimulusSide | None,
) -> tuple[BoardPin, ...]:
    lines: dict[str, BoardPin] = {}
    used: dict[tuple[str, str], str] = {}
    for table in root.tables("line"):
        line = _line(table, connectors, agent)
        if line.signal in lines:
            raise table.error("signal", f"{line.signal} is there twice", "one line a signal")
        place = (line.connector, line.pin)
        if line.pin and place in used:
            problem = f"pin {line.pin} is {used[place]}'s already"
            raise table.error("pin", problem, "a pin for each signal")
        if side:
            _refuse_other_pin(table, line, side.chip)
        lines[line.signal], used[place] = line, line.signal
    missing = [signal for signal in (STIMULUS, RESPONSE, GROUND) if signal not in lines]
    if missing:
        raise root.error("line", f"no line for {missing[0]}", "stimulus, response and ground")
    _refuse_bad_offsets(root.document.source, lines)
    return tuple(lines.values())


def _line(
    table: TomlTable, connectors: tuple[Connector, ...], agent: BoardAgent | None
) -> BoardPin:
    table.allow_only(("signal", "name", "pin", "connector", "offset"))
    names = tuple(connector.name for connector in connectors)
    if not names and "connector" in table:
        raise table.error("connector", "the board has none", "a [[connector]], or no such key")
    connector = table.choice("connector", names, names[0]) if names else ""
    pin = table.text("pin", "", pattern="[A-Za-z0-9_.+-]{0,12}", valid="a pin of the connector")
    known = next((each.pins for each in connectors if each.name == connector), ())
    if pin and pin not in known:
        valid = f"{known[0]} to {known[-1]}" if known else "no pin without a [[connector]]"
        raise table.error("pin", f'{connector or "the board"} has no pin "{pin}"', valid)
    offset = table.integer("offset", 0, OFFSET_MAX) if "offset" in table else None
    if offset is not None and (agent is None or agent.port != GPIO_PORT):
        raise table.error("offset", "only lines of GPIO have one", 'none, or [agent] port = "gpio"')
    return BoardPin(
        signal=table.choice("signal", LINE_SIGNALS),
        name=table.text("name", valid=_TEXT_VALID),
        pin=pin,
        connector=connector if pin else "",
        offset=offset,
    )


def _refuse_other_pin(table: TomlTable, line: BoardPin, chip: str) -> None:
    """Check that a line is at the pin that the chip's timer fixes."""
    fixed = chip_named(chip).pins.get(line.signal)
    if fixed and line.pin != fixed:
        raise table.error("pin", f"not the {chip}'s {line.signal} pin", fixed)


def _refuse_bad_offsets(source: str, lines: Mapping[str, BoardPin]) -> None:
    """Check that no number is there twice, and the response's is last, as Linux writes in order."""
    offsets = {s: line.offset for s, line in lines.items() if line.offset is not None}
    if len(set(offsets.values())) < len(offsets):
        raise InputError(f"{source}: two signals on one GPIO line; valid: a line for each")
    sequence = [offsets[signal] for signal in SEQUENCE if signal in offsets]
    if RESPONSE in offsets and sequence and offsets[RESPONSE] < max(sequence):
        raise InputError(
            f"{source}: response is on line {offsets[RESPONSE]}, below the sequence's; "
            f"valid: above {max(sequence)}, so that it changes last"
        )
