# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans composed of others: values replaced, and written as TOML again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Values = Mapping[str, Any]
"""A table as tomllib returns it."""


def merged(base: Values, changes: Values) -> dict[str, Any]:
    """`base` with the keys of `changes` in place of its own, table by table; both stay as they
    are."""
    found = dict(base)
    for key, value in changes.items():
        old = found.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            found[key] = merged(old, value)
        else:
            found[key] = value
    return found


def leaves(values: Values, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Path and value of each key that is no table, in order."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for key, value in values.items():
        below = (*path, key)
        found += leaves(value, below) if isinstance(value, Mapping) else [(below, value)]
    return found


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Tables within tables down to one value."""
    for key in reversed(path):
        value = {key: value}
    found: dict[str, Any] = value
    return found


def written(values: Values) -> str:
    """Return tables of texts, truth values, numbers, and arrays of these or of tables, as TOML.

    Raises ValueError for anything else.
    """
    return "\n".join(_lines(values, ())) + "\n"


def _lines(values: Values, path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"[{'.'.join(map(_key, path))}]"] if path and (plain or not values) else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if isinstance(value, Mapping):
            below = _lines(value, (*path, key))
            lines += ["", *below] if lines else below
    return lines


def _key(key: str) -> str:
    bare = key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if bare else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):  # in an array: such as one of several tasks
        return f"{{{', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())}}}"
    raise ValueError(f"{type(value).__name__} in a plan")


def _text(text: str) -> str:
    """JSON's escapes are TOML's, but for one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
