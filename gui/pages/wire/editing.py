# SPDX-License-Identifier: GPL-3.0-or-later
"""One value of a fixture's text set to another, all else left as it was typed. No widgets."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Final

from rig.toml.reader import TomlFile

_STRING: Final = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"


def set_text(text: str, table: str, key: str, value: str) -> str:
    """The text with `key = "value"` in [table]; a comment beside the value stays.

    Raises ValueError if the text is not TOML, has no such table, or has the value in a form
    that is not one string on a line of its own.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    if not isinstance(values.get(table), dict):
        raise ValueError(f"there is no table [{table}]")
    document = TomlFile(text, "")
    lines = text.split("\n")
    assignment = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    line = document.line_of((table, key))
    if line is None:
        lines.insert(document.line_of((table,)) or 0, assignment)
    else:
        lines[line - 1] = _replaced(lines[line - 1], key, assignment)
    changed = "\n".join(lines)
    if tomllib.loads(changed) != {**values, table: {**values[table], key: value}}:
        raise ValueError(f"[{table}] {key} cannot be set in this form")
    return changed


def _replaced(line: str, key: str, assignment: str) -> str:
    found = re.fullmatch(rf"(\s*){re.escape(key)}\s*=\s*(?:{_STRING})(\s*(?:#.*)?)", line)
    if found is None:
        raise ValueError(f"{key} is not a string on a line of its own")
    return f"{found[1]}{assignment}{found[2]}"
