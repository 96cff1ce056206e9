# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig boards`: what is known of a board, its wiring as a picture, a fixture for it."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from calibration.diagram import wiring_svg
from rig.cli.streams import say, say_lines
from rig.config.board import Board, level_findings, load_board, load_boards
from rig.config.board_fixture import agent_arguments, fixture_text, wired_signals
from rig.config.board_levels import VOLTAGE
from rig.errors import InputError
from rig.files import create_new
from rig.resources import board_names

WIDTH = 96


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a board, or a TOML file")
    parser.add_argument(
        "--stimulus", metavar="NAME", default="arduino-uno", help="(arduino-uno) or arduino-nano"
    )
    parser.add_argument(
        "--lines",
        metavar="SIGNAL=N,...",
        help="GPIO lines other than the described ones, as stimulus=17,response=27",
    )
    parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the wiring into a new file")
    parser.add_argument(
        "--fixture", metavar="FILE.toml", type=Path, help="write a new fixture with these wires"
    )


def command(options: argparse.Namespace) -> int:
    """List the boards, or show one, and write what is asked for. Raises InputError."""
    if options.name is None:
        if options.svg or options.fixture or options.lines:
            raise InputError(f"name a board; valid: {', '.join(board_names())}")
        _list()
        return 0
    board = load_board(options.name)
    if options.lines:
        board = board.with_offsets(_offsets(options.lines))
    stimulus = load_board(options.stimulus)
    if not options.svg and not options.fixture:
        _show(board, stimulus)
        return 0
    _refuse_roles(board, stimulus)
    # All is made before anything is written.
    texts: list[tuple[Path, str]] = []
    if options.svg:
        texts.append((options.svg, wiring_svg(board, stimulus)))
    if options.fixture:
        name = options.fixture.stem
        texts.append((options.fixture, fixture_text(board, stimulus, name=name)))
    for path, text in texts:
        _write(path, text)
    return 0


def _offsets(words: str) -> dict[str, int]:
    """`stimulus=17,response=27` as numbers by signal."""
    offsets: dict[str, int] = {}
    for word in words.split(","):
        signal, _, number = word.partition("=")
        if not number.isascii() or not number.isdigit() or len(number) > 6 or signal in offsets:
            raise InputError(f'--lines: "{word}"; valid: such as stimulus=17,response=27')
        offsets[signal] = int(number)
    return offsets


def _refuse_roles(board: Board, stimulus: Board) -> None:
    if board.stimulus:
        targets = ", ".join(each.name for each in load_boards("target"))
        raise InputError(f"{board.name} makes the stimulus; name a target; valid: {targets}")
    if not stimulus.stimulus:
        valid = ", ".join(each.name for each in load_boards("stimulus"))
        raise InputError(f"--stimulus {stimulus.name} is a target; valid: {valid}")


def _write(path: Path, text: str) -> None:
    """A new file; what is there stays. Raises InputError."""
    with create_new(path, "file") as file:
        file.write(text)
    say(path)


# --- what is shown -----------------------------------------------------------------------------


def _list() -> None:
    width = max(len(name) for name in board_names())
    for role, heading in (("target", "targets"), ("stimulus", "stimulus")):
        say(heading)
        for board in load_boards(role):
            logic = VOLTAGE.format(board.levels.supply_mv)
            say(f"  {board.name:<{width}}  {board.title}, {logic}")
    say_lines("\nrig boards NAME shows one")


def _show(board: Board, stimulus: Board) -> None:
    say(board.title)
    if not board.tried_on_hardware:
        say("Not yet tried on hardware.")
    _show_levels(board)
    _show_lines(board, stimulus)
    if board.interrupt:
        edge = {"either": "either edge", "rising": "rising edge", "falling": "falling edge"}
        say_lines(f"\ninterrupt, {edge[board.interrupt.edge]}")
        _wrapped(f"{board.interrupt.path}.")
        say(f"  {board.interrupt.source}")
    _show_start(board)
    if not board.stimulus and stimulus.stimulus:
        _show_needs(board, stimulus)
    say_lines("\npitfalls")
    for pitfall in board.pitfalls:
        _wrapped(f"{pitfall.what} {pitfall.remedy}", "- ")
        say(f"    {pitfall.source}")


def _show_levels(board: Board) -> None:
    levels = board.levels
    say_lines("\nvoltages")
    for name, value in (
        ("supply of the pins", levels.supply_mv),
        ("an input takes at most", levels.input_max_mv),
        ("an input reads high from", levels.input_high_mv),
        ("an output is sure to reach", levels.output_high_mv),
    ):
        say(f"  {name:<27} {VOLTAGE.format(value)}")
    say(f"  {levels.source}")


def _show_lines(board: Board, stimulus: Board) -> None:
    """Pins, and for a target where the other end of each wire goes."""
    say_lines("\npins")
    channels = {signal: f"D{at}" for at, signal in enumerate(wired_signals(board))}
    for line in board.lines:
        words = f"  {line.signal:<10} {board.label(line):<24}"
        end = stimulus.line(line.signal)
        ends = []
        if not board.stimulus and stimulus.stimulus:
            if end and line.signal != "supply":
                ends.append(f"{stimulus.title} {stimulus.label(end)}")
            if line.signal in channels:
                ends.append(f"analyzer {channels[line.signal]}")
        say(f"{words} {', '.join(ends)}".rstrip())
    for connector in board.connectors:
        _wrapped(f"{connector.name}: {connector.view}")


def _show_start(board: Board) -> None:
    if board.stimulus:
        say_lines(f"\nfirmware\n  {board.stimulus.flash}")
    if board.agent:
        try:
            words = agent_arguments(board)
        except InputError:
            words = f"--port {board.agent.port}, and your lines: give --lines"
        say_lines(f"\nagent\n  rig-agent {words}\n  first plan: {board.agent.plan}")


def _show_needs(board: Board, stimulus: Board) -> None:
    findings = level_findings(board, stimulus)
    say_lines(f"\nwith {stimulus.title}")
    for finding in findings:
        _wrapped(finding.text, "- ")
    if not findings:
        say("  wired directly")


def _wrapped(words: str, mark: str = "") -> None:
    indent = "  " + " " * len(mark)
    first = f"  {mark}"
    say_lines(textwrap.fill(words, WIDTH, initial_indent=first, subsequent_indent=indent))
