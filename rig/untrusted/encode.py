# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataclasses as values of JSON: the inverse of `rig.untrusted.decode`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from rig.untrusted.decode import KIND, Layout, declared_fields


def encoded(value: object, layout: Layout) -> Any:
    """Encode a dataclass as plain values, field by field, by `layout`.

    Numbers that are not finite become null. Raises TypeError for what JSON cannot hold.
    """
    if value is None or isinstance(value, bool | str | int):
        return _plain(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return _object(value, layout)
    if isinstance(value, Mapping):
        return {str(key): encoded(each, layout) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(each, layout) for each in value]
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _plain(value: bool | str | int | None) -> bool | str | int | None:
    """Return a value as JSON's own type; a member of an enumeration by its value."""
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, str) else value


def _object(value: Any, layout: Layout) -> dict[str, Any]:
    kind: type = type(value)
    tag = {KIND: layout.tags[kind]} if kind in layout.tags else {}
    own = {
        name: encoded(_as_declared(hint, getattr(value, name)), layout)
        for name, (hint, _) in declared_fields(kind).items()
        if name not in layout.omitted_of(kind)
    }
    derived = {name: encoded(getattr(value, name), layout) for name in layout.derived_of(kind)}
    return tag | own | derived


def _as_declared(hint: object, value: object) -> object:
    """Return a float where one is declared: an integer would be read back as another value."""
    kind = getattr(hint, "__origin__", hint)  # of Annotated, the type itself
    return float(value) if type(value) is int and kind in (float, float | None) else value
