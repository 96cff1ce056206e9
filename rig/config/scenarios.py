# SPDX-License-Identifier: GPL-3.0-or-later
"""The [scenarios] of a fixture: loads that are programs of the user's on the target.

They stand in the fixture alone, so that no plan or campaign from elsewhere can run anything.
docs/reference/scenarios.md explains them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rig.instruments import IDLE, LOADS, LoadCommand
from rig.toml.reader import TomlTable

WORDS_MAX: Final = 32
WORD_BYTES_MAX: Final = 120
"""The size in UTF-8, so that each fits a line of the agent's protocol however it is written."""
COMMANDS_MAX: Final = 50
NAME_PATTERN: Final = "[a-z0-9][a-z0-9-]{0,30}"
_NAME_VALID: Final = "at most 31 lower-case letters, digits and hyphens"
_VALID: Final = (
    f"the program and its arguments, 1 to {WORDS_MAX} texts of 1 to {WORD_BYTES_MAX} bytes, such "
    'as ["make", "-j4"]; no shell reads them'
)


def parse_scenarios(table: TomlTable) -> tuple[Mapping[str, LoadCommand], frozenset[str]]:
    """Return commands by the scenario's name, and names of loads that the user starts by hand.

    table: may be empty. Raises InputError.
    """
    if len(table.values) > COMMANDS_MAX:
        raise table.error("", f"{len(table.values)} of them", f"at most {COMMANDS_MAX}")
    found = {name: _command(table, name) for name in table.values}
    commands = {name: command for name, command in found.items() if command is not None}
    return MappingProxyType(commands), frozenset(found.keys() - commands.keys())


def _command(table: TomlTable, name: str) -> LoadCommand | None:
    """Parse a scenario's command; None for a load that the user starts by hand."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise table.error(name, "no name for a scenario", _NAME_VALID)
    if name in (IDLE, *LOADS):
        raise table.error(name, "the name of a built-in scenario", "another name")
    own = table.table(name)
    own.allow_only(("command", "busy_min", "by_hand"))
    if own.flag("by_hand"):
        for key in ("command", "busy_min"):
            if key in own:
                raise own.error(key, "of a load that is started by hand", "by_hand = true alone")
        return None
    words = own.values.get("command")
    if not isinstance(words, list) or not 1 <= len(words) <= WORDS_MAX:
        raise own.error("command", "no array of words", _VALID)
    if not all(map(_is_word, words)):
        raise own.error("command", "a word that is not allowed", _VALID)
    return LoadCommand(tuple(words), own.number("busy_min", 0, 1, 0))


def _is_word(word: object) -> bool:
    if not isinstance(word, str) or not word.isprintable():
        return False
    return 1 <= len(word.encode("utf-8", "replace")) <= WORD_BYTES_MAX
