# SPDX-License-Identifier: GPL-3.0-or-later
"""The [target] table of a fixture: how its agent is reached, and how it answers."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.links import TargetLink, TcpLink, parse_link
from rig.toml.reader import TomlTable

ALLOW_COMMANDS = "--allow-commands"
"""The agent's option without which it runs no command of a host's."""


@dataclass(frozen=True)
class TargetSettings:
    """The system under test."""

    link: TargetLink
    """The link to its agent."""
    answer: str
    """The way in which the agent answers: "toggle" changes the pin's level once an interrupt."""

    @property
    def tcp_address(self) -> tuple[str, int]:
        """Host and port of a tcp link. Raises ValueError for any other."""
        if not isinstance(self.link, TcpLink):
            raise ValueError("no tcp link")
        return self.link.host, self.link.port


def parse_target(table: TomlTable) -> TargetSettings:
    """Read the table. Raises InputError."""
    return TargetSettings(
        link=parse_link(table), answer=table.choice("answer", ("toggle",), "toggle")
    )
