# SPDX-License-Identifier: GPL-3.0-or-later
"""The links to the agent on a target: one class a kind of link, `LINKS` has them all.

Each is read from the [target] table of a fixture and, but for the virtual one, from a word of the
command line. rig/bench/target.py opens them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from rig.errors import InputError
from rig.shell_words import HOST_PATTERN
from rig.toml.reader import TomlTable

VIRTUAL = "virtual"
DEFAULT_AGENT = "~/.local/bin/rig-agent"
DEFAULT_ARGUMENTS = "--port ppdev"
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


class TargetLink(ABC):
    """A way to an agent."""

    kind: ClassVar[str]
    """The word for it in fixtures and, with a colon behind it, on command lines."""
    keys: ClassVar[tuple[str, ...]] = ()
    """The keys of the [target] table that only this kind has."""
    usage: ClassVar[str] = ""
    """The form on a command line; "" if there is none."""
    is_short_in_fixtures: ClassVar[bool] = False
    """Whether a fixture may have the command line's word in place of the kind and its keys."""

    @classmethod
    @abstractmethod
    def of_table(cls, table: TomlTable) -> Self:
        """Return the link of a [target] table's keys. Raises InputError."""

    @classmethod
    def of_word(cls, _rest: str) -> Self | None:
        """Return the link of what is behind the colon on a command line; None if that is none."""
        return None

    @abstractmethod
    def table_values(self) -> dict[str, str | int]:
        """Return what `of_table` reads, and the kind or short form as `link`."""

    @property
    @abstractmethod
    def address(self) -> str:
        """The address by which two benches with the same target are known to have it."""

    @property
    def agent_options(self) -> str:
        """The options for the link of an agent that is started by hand."""
        return ""


@dataclass(frozen=True)
class SshLink(TargetLink):
    """An agent that is started over ssh."""

    kind = "ssh"
    keys = ("host", "agent", "agent_arguments", "ssh_config")
    usage = "ssh:[USER@]HOST"

    host: str
    """`[USER@]HOST`, as the user's ssh knows it."""
    agent: str = DEFAULT_AGENT
    """The agent's path there; `~/` is the home directory."""
    arguments: tuple[str, ...] = tuple(DEFAULT_ARGUMENTS.split())
    """The agent's options but for the link."""
    config: str = ""
    """ssh's configuration file; "" is the user's own."""

    @classmethod
    def of_table(cls, table: TomlTable) -> Self:
        text = table.text("agent_arguments", DEFAULT_ARGUMENTS, valid=ARGUMENTS_VALID)
        try:
            arguments = split_arguments(text)
        except ValueError as error:
            raise table.error("agent_arguments", str(error), ARGUMENTS_VALID) from None
        return cls(
            host=table.text("host", pattern=HOST_PATTERN, valid=HOST_VALID),
            agent=table.text("agent", DEFAULT_AGENT, pattern=PATH_PATTERN, valid=PATH_VALID),
            arguments=arguments,
            config=table.text("ssh_config", "", valid="a configuration file of ssh"),
        )

    @classmethod
    def of_word(cls, rest: str) -> Self | None:
        return cls(rest) if re.fullmatch(HOST_PATTERN, rest) else None

    def table_values(self) -> dict[str, str | int]:
        values: dict[str, str | int] = {"link": self.kind, "host": self.host, "agent": self.agent}
        values["agent_arguments"] = " ".join(self.arguments)
        return values | ({"ssh_config": self.config} if self.config else {})

    @property
    def address(self) -> str:
        return f"ssh:{self.host}"


@dataclass(frozen=True)
class SerialLink(TargetLink):
    """An agent at the other end of a serial line."""

    kind = "serial"
    keys = ("device", "baud")
    usage = "serial:DEVICE[:BAUD]"

    device: str
    baud: int = DEFAULT_BAUD

    @classmethod
    def of_table(cls, table: TomlTable) -> Self:
        valid = 'a serial port such as "/dev/ttyUSB0"'
        return cls(
            device=table.text("device", pattern=_DEVICE_PATTERN, valid=valid),
            baud=table.integer("baud", 1, BAUD_MAX, DEFAULT_BAUD),
        )

    @classmethod
    def of_word(cls, rest: str) -> Self | None:
        match = re.fullmatch(r"(/.+?)(?::([0-9]{1,7}))?", rest)
        if match is None or not 0 < int(match[2] or DEFAULT_BAUD) <= BAUD_MAX:
            return None
        return cls(match[1], int(match[2] or DEFAULT_BAUD))

    def table_values(self) -> dict[str, str | int]:
        return {"link": self.kind, "device": self.device, "baud": self.baud}

    @property
    def address(self) -> str:
        return f"serial:{self.device}:{self.baud}"

    @property
    def agent_options(self) -> str:
        return f"--serial DEVICE --baud {self.baud}"


@dataclass(frozen=True)
class TcpLink(TargetLink):
    """An agent that listens."""

    kind = "tcp"
    keys = ("address",)
    usage = "tcp:HOST:PORT"
    is_short_in_fixtures = True

    host: str
    port: int

    @classmethod
    def of_table(cls, table: TomlTable) -> Self:
        valid = '"HOST:PORT" with a port from 1 to 65535'
        address = table.text("address", valid=valid)
        link = cls.of_word(address)
        if link is None:
            raise table.error("address", f'"{address}" is no address', valid)
        return link

    @classmethod
    def of_word(cls, rest: str) -> Self | None:
        match = re.fullmatch(_ADDRESS_PATTERN, rest)
        if match is None or not 1 <= int(match[2]) <= 65535:
            return None
        return cls(match[1].strip("[]"), int(match[2]))

    def table_values(self) -> dict[str, str | int]:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return {"link": f"tcp:{host}:{self.port}"}

    @property
    def address(self) -> str:
        return f"tcp:{self.host}:{self.port}"

    @property
    def agent_options(self) -> str:
        return f"--tcp {self.port}"


@dataclass(frozen=True)
class VirtualLink(TargetLink):
    """An agent of the virtual bench: there while that runs, at an address of its choice."""

    kind = VIRTUAL

    @classmethod
    def of_table(cls, _table: TomlTable) -> Self:
        return cls()

    def table_values(self) -> dict[str, str | int]:
        return {"link": self.kind}

    @property
    def address(self) -> str:
        return self.kind


LINKS: Final[dict[str, type[TargetLink]]] = {
    each.kind: each for each in (SshLink, SerialLink, TcpLink, VirtualLink)
}
"""All kinds of links."""


def parse_link(table: TomlTable) -> TargetLink:
    """The link of a [target] table. Raises InputError."""
    valid = _valid_in_fixtures()
    word = table.text("link", valid=valid)
    kind, _, rest = word.partition(":")
    _refuse_others(table, word)
    if word in LINKS:
        return LINKS[word].of_table(table)
    link = LINKS[kind].of_word(rest) if kind in LINKS else None
    if link is None or not link.is_short_in_fixtures:
        raise table.error("link", f'"{word}" is no link to an agent', valid)
    return link


def _valid_in_fixtures() -> str:
    short = [f'"{each.usage}"' for each in LINKS.values() if each.is_short_in_fixtures]
    *names, last = (f'"{kind}"' for kind in LINKS)
    return ", ".join([f"{' or '.join(short)} with a port from 1 to 65535", *names, f"or {last}"])


def _refuse_others(table: TomlTable, kind: str) -> None:
    """Check that there is no key of another kind of link, a mistake that is named as such."""
    own = LINKS[kind].keys if kind in LINKS else ()
    every = [key for each in LINKS.values() for key in each.keys]
    table.allow_only(("link", "answer", *every))
    for each in LINKS.values():
        for key in each.keys:
            if key in table and key not in own:
                valid = ", ".join(("link", "answer", *own))
                raise table.error(key, f'belongs to link "{each.kind}"', valid)


def link_of_word(word: str) -> TargetLink:
    """A link from a word of the command line, such as `ssh:HOST`. Raises InputError."""
    kind, _, rest = word.partition(":")
    link = LINKS[kind].of_word(rest) if kind in LINKS else None
    if link is None:
        usages = ", ".join(each.usage for each in (SshLink, TcpLink, SerialLink))
        raise InputError(f'"{word}" is no target; valid: {usages}, or --fixture FIXTURE')
    return link


def split_arguments(text: str) -> tuple[str, ...]:
    """Options for an agent whose link is chosen by the rig. Raises ValueError."""
    words = text.split()
    for word in words:
        if not re.fullmatch(ARGUMENT_PATTERN, word) or word.split("=")[0] in _LINK_OPTIONS:
            raise ValueError(f'"{word}" is not allowed')
    return tuple(words)
