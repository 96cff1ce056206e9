# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixture from two boards: every wire with its pins at both ends."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rig.capture.analyzers import AnalyzerSettings, OptionValue
from rig.config.board import GPIO_PORT, TRIGGER, Board, needs_shifter
from rig.config.fixture import RESPONSE, SEQUENCE, SIGNALS, STIMULUS, parse_fixture
from rig.config.links import SshLink, TargetLink
from rig.errors import InputError
from rig.toml.units import RATE, TIME

Values = dict[str, OptionValue]

FX2 = AnalyzerSettings("fx2lafw", "", 24_000_000, 8, 5 * 10**12, {})
"""The analyzer taken if none is named."""
EXAMPLE_LINK = SshLink("root@192.0.2.1")
"""The link that stands for the target's address."""
WIRE_COLORS = {
    STIMULUS: "yellow", RESPONSE: "green", "sequence0": "blue", "sequence1": "violet",
    "sequence2": "gray", "sequence3": "white", "sequence4": "brown", "sequence5": "red",
    "sequence6": "black", "sequence7": "blue", "task": "orange",
}  # fmt: skip
"""The color that a wire is given."""
USUAL_WIRES = (STIMULUS, RESPONSE, *SEQUENCE[:3])


def wired_signals(target: Board) -> tuple[str, ...]:
    """Signals wired unless others are asked for: of the usual ones, those the target has."""
    return tuple(signal for signal in USUAL_WIRES if target.line(signal))


def agent_arguments(target: Board) -> str:
    """Options of rig-agent on this board, but for its link. Raises InputError if pins miss."""
    agent = target.agent
    if agent is None:
        raise InputError(f"{target.name} is no target; valid: a board with the role target")
    words = ["--port", agent.port, "--device", agent.device]
    if agent.port == GPIO_PORT:
        words += ["--pins", _pins(target)]
    return " ".join(words)


def fixture_text(
    target: Board,
    stimulus: Board,
    *,
    name: str,
    title: str = "",
    analyzer: AnalyzerSettings = FX2,
    stimulus_port: str = "",
    link: TargetLink = EXAMPLE_LINK,
    signals: Sequence[str] = (),
    second_witness: bool = True,
    more_tables: str = "",
) -> str:
    """The fixture as TOML, already read back once.

    `signals` are the wires, on analyzer channels from D0 in this order; none asks for
    `wired_signals`. `more_tables` is TOML that goes to the end, such as a [virtual] table. Raises
    InputError for boards of the wrong roles, a line without a pin, or anything the reader refuses.
    """
    side = stimulus.stimulus
    if side is None:
        raise InputError(f"{stimulus.name} is no stimulus; valid: a board with the role stimulus")
    if isinstance(link, SshLink) and link.arguments == SshLink("").arguments:
        link = replace(link, arguments=tuple(agent_arguments(target).split()))
    chosen = tuple(signals) or wired_signals(target)
    title = title or f"{target.title}, {stimulus.title}"
    parts = [
        _head(target, stimulus, name, title),
        _analyzer_table(analyzer),
        _table("[stimulus]", {"port": stimulus_port or side.port, "chip": side.chip}),
        _table("[target]", {**link.table_values(), "answer": "toggle"}),
        *(
            _wire(target, stimulus, signal, channel, second_witness)
            for channel, signal in enumerate(chosen)
        ),
    ]
    text = "\n".join([*parts, more_tables] if more_tables else parts)
    parse_fixture(text, name)
    return text


def _head(target: Board, stimulus: Board, name: str, title: str) -> str:
    """Return comments for whoever wires it, and the first table."""
    grounds = [board.label(line) for board in (stimulus, target) if (line := board.line("ground"))]
    lines = [
        f"# {target.title} and {stimulus.title}; `rig boards {target.name}` has the drawing.",
        f"# Grounds together: {stimulus.title} {grounds[0]}, {target.title} {grounds[1]}, "
        "analyzer GND.",
    ]
    if needs_shifter(target, stimulus):
        lines.append("# A level shifter between the two; the analyzer is on the target's side.")
    return "\n".join([*lines, "", _table("[fixture]", {"name": name, "title": title})])


def _analyzer_table(analyzer: AnalyzerSettings) -> str:
    values: Values = {"driver": analyzer.driver}
    if analyzer.connection:
        values["connection"] = analyzer.connection
    values["sample_rate"] = RATE.format(analyzer.sample_rate_hz)
    values["channels"] = analyzer.channels
    values["stall_timeout"] = TIME.format(analyzer.stall_timeout_ps)
    text = _table("[analyzer]", values)
    if analyzer.options:
        text += "\n" + _table("[analyzer.options]", analyzer.options)
    return text


def _wire(target: Board, stimulus: Board, signal: str, channel: int, second_witness: bool) -> str:
    line = target.line(signal)
    if line is None or signal not in SIGNALS:
        has = ", ".join(each.signal for each in target.lines if each.signal in SIGNALS)
        raise InputError(f"{target.name} has no line for {signal}; valid: {has}")
    if not line.pin and line.offset is None:
        raise InputError(
            f"{target.name} does not know which line is the {signal}'s; "
            f"give the number it has on its chip, such as {signal}=17"
        )
    values: Values = {"signal": signal, "channel": f"D{channel}"}
    end = stimulus.line(signal)
    if end and (signal != RESPONSE or second_witness):
        values["stimulus_pin"] = end.pin
    values["target_line"] = target.label(line)
    values["color"] = WIRE_COLORS.get(signal, "")
    return _table("[[wire]]", values)


def _pins(target: Board) -> str:
    """Return the value of the agent's option --pins."""
    lines = {line.signal: line.offset for line in target.lines if line.offset is not None}
    if RESPONSE not in lines:
        raise InputError(
            f"{target.name} does not know which line is the response's; "
            "give the number it has on its chip, such as response=17"
        )
    words = [f"response={lines[RESPONSE]}"]
    if STIMULUS in lines:
        words.append(f"interrupt={lines[STIMULUS]}")
    if TRIGGER in lines:
        words.append(f"trigger={lines[TRIGGER]}")
    sequence = [str(lines[signal]) for signal in SEQUENCE if signal in lines]
    if sequence:
        words.append("sequence=" + ":".join(sequence))
    return ",".join(words)


def _table(header: str, values: Mapping[str, OptionValue]) -> str:
    """Return a TOML table. A JSON string of printable characters is a TOML string, too."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join([header, *lines, ""])
