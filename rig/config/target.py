# SPDX-License-Identifier: GPL-3.0-or-later
"""The [target] table of a fixture: how its agent is reached, and how it answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rig.config.tables import Table
from rig.errors import InputError
from rig.shell_words import HOST_PATTERN

VIRTUAL = "virtual"
DEFAULT_AGENT = "~/.local/bin/rig-agent"
DEFAULT_ARGUMENTS = "--port ppdev"
ALLOW_COMMANDS = "--allow-commands"
"""The agent's option without which it runs no command of a host's."""
DEFAULT_BAUD = 115_200
BAUD_MAX = 4_000_000

HOST_VALID = 'a host as ssh knows it, such as "root@board-7"; its port goes into ~/.ssh/config'
PATH_PATTERN = r"(~/|/)?[A-Za-z0-9_.+][A-Za-z0-9_.+@%=:/-]*"
PATH_VALID = "a path on the target of letters, digits and _ . + @ % = : / -"
ARGUMENT_PATTERN = r"[A-Za-z0-9_.+@%=:,/-]+"
ARGUMENTS_VALID = 'options of rig-agent but for its link, such as "--port ppdev"'
_LINK_OPTIONS = ("--stdio", "--serial", "--tcp", "--baud")
_DEVICE_PATTERN = "/.+"
_ADDRESS_PATTERN = r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})"
_LINK_VALID = '"tcp:HOST:PORT" with a port from 1 to 65535, "ssh", "serial", "tcp", or "virtual"'
_KEYS = {
    "ssh": ("host", "agent", "agent_arguments", "ssh_config"),
    "serial": ("device", "baud"),
    "tcp": ("address",),
}


@dataclass(frozen=True)
class TcpLink:
    """An agent that listens."""

    host: str
    port: int


@dataclass(frozen=True)
class SshLink:
    """An agent that is started over ssh."""

    host: str
    """`[USER@]HOST`, as the user's ssh knows it."""
    agent: str = DEFAULT_AGENT
    """Its path there; `~/` is the home directory."""
    arguments: tuple[str, ...] = tuple(DEFAULT_ARGUMENTS.split())
    """Its options but for the link."""
    config: str = ""
    """ssh's configuration file; "" is the user's own."""


@dataclass(frozen=True)
class SerialLink:
    """An agent at the other end of a serial line."""

    device: str
    baud: int = DEFAULT_BAUD


@dataclass(frozen=True)
class VirtualLink:
    """An agent of the virtual bench: there while that runs, at an address of its choice."""


TargetLink = TcpLink | SshLink | SerialLink | VirtualLink


@dataclass(frozen=True)
class TargetSettings:
    """The system under test."""

    link: TargetLink
    """How its agent is reached."""
    answer: str
    """How the agent answers: "toggle" changes the level of the pin once an interrupt."""

    @property
    def tcp_address(self) -> tuple[str, int]:
        """Host and port of a tcp link. Raises ValueError for any other."""
        if not isinstance(self.link, TcpLink):
            raise ValueError("no tcp link")
        return self.link.host, self.link.port


def parse_target(table: Table) -> TargetSettings:
    """Read the table. Raises InputError."""
    word = table.text("link", valid=_LINK_VALID)
    kind = word if word in _KEYS else ""
    _refuse_others(table, kind)
    return TargetSettings(
        link=_LINKS[kind](table) if kind else _short(table, word),
        answer=table.choice("answer", ("toggle",), "toggle"),
    )


def link_of_word(word: str) -> TargetLink:
    """A link from `ssh:HOST`, `tcp:HOST:PORT` or `serial:DEVICE[:BAUD]`. Raises InputError."""
    kind, _, rest = word.partition(":")
    serial = re.fullmatch(r"(/.+?)(?::([0-9]{1,7}))?", rest)
    if kind == "ssh" and re.fullmatch(HOST_PATTERN, rest):
        return SshLink(rest)
    if kind == "tcp" and (tcp := _tcp(rest)):
        return tcp
    if kind == "serial" and serial and 0 < int(serial[2] or DEFAULT_BAUD) <= BAUD_MAX:
        return SerialLink(serial[1], int(serial[2] or DEFAULT_BAUD))
    raise InputError(
        f'"{word}" is no target; valid: ssh:[USER@]HOST, tcp:HOST:PORT, serial:DEVICE[:BAUD], '
        "or --fixture FIXTURE"
    )


def split_arguments(text: str) -> tuple[str, ...]:
    """Options for an agent whose link is chosen by the rig. Raises ValueError."""
    words = text.split()
    for word in words:
        if not re.fullmatch(ARGUMENT_PATTERN, word) or word.split("=")[0] in _LINK_OPTIONS:
            raise ValueError(f'"{word}" is not allowed')
    return tuple(words)


def _refuse_others(table: Table, kind: str) -> None:
    """A key of another kind of link is a mistake of its own, and named as such."""
    table.allow_only(("link", "answer", *(key for keys in _KEYS.values() for key in keys)))
    for other, keys in _KEYS.items():
        for key in keys:
            if key in table and other != kind:
                valid = ", ".join(("link", "answer", *_KEYS.get(kind, ())))
                raise table.error(key, f'belongs to link "{other}"', valid)


def _short(table: Table, word: str) -> TargetLink:
    if word == VIRTUAL:
        return VirtualLink()
    link = _tcp(word.removeprefix("tcp:")) if word.startswith("tcp:") else None
    if link is None:
        raise table.error("link", f'"{word}" is no link to an agent', _LINK_VALID)
    return link


def _tcp(address: str) -> TcpLink | None:
    match = re.fullmatch(_ADDRESS_PATTERN, address)
    if match is None or not 1 <= int(match[2]) <= 65535:
        return None
    return TcpLink(match[1].strip("[]"), int(match[2]))


def _tcp_table(table: Table) -> TcpLink:
    valid = '"HOST:PORT" with a port from 1 to 65535'
    address = table.text("address", valid=valid)
    link = _tcp(address)
    if link is None:
        raise table.error("address", f'"{address}" is no address', valid)
    return link


def _ssh_table(table: Table) -> SshLink:
    return SshLink(
        host=table.text("host", pattern=HOST_PATTERN, valid=HOST_VALID),
        agent=table.text("agent", DEFAULT_AGENT, pattern=PATH_PATTERN, valid=PATH_VALID),
        arguments=_arguments(table),
        config=table.text("ssh_config", "", valid="a configuration file of ssh"),
    )


def _arguments(table: Table) -> tuple[str, ...]:
    text = table.text("agent_arguments", DEFAULT_ARGUMENTS, valid=ARGUMENTS_VALID)
    try:
        return split_arguments(text)
    except ValueError as error:
        raise table.error("agent_arguments", str(error), ARGUMENTS_VALID) from None


def _serial_table(table: Table) -> SerialLink:
    return SerialLink(
        device=table.text(
            "device", pattern=_DEVICE_PATTERN, valid='a serial port such as "/dev/ttyUSB0"'
        ),
        baud=table.integer("baud", 1, BAUD_MAX, DEFAULT_BAUD),
    )


_LINKS: dict[str, Callable[[Table], TargetLink]] = {
    "ssh": _ssh_table,
    "serial": _serial_table,
    "tcp": _tcp_table,
}
