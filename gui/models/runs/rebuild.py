# SPDX-License-Identifier: GPL-3.0-or-later
"""Frozen values back from the JSON that `dataclasses.asdict` made of them.

What a newer version added and this one does not know is left out; what an older one did not write
takes its default. Values of the right type are taken as they are.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def rebuilt(kind: type[T], stored: object) -> T:
    """`stored` as a value of the dataclass `kind`.

    Raises ValueError if it does not fit, TypeError if a field without a default is missing.
    """
    if not isinstance(stored, dict):
        raise ValueError(f"{kind.__name__} is not an object")
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind) if each.init]  # type: ignore[arg-type]
    return kind(**{name: _value(hints[name], stored[name]) for name in names if name in stored})


def _value(hint: Any, stored: object) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(hint), stored)
    if origin is tuple and isinstance(stored, list):
        inner = get_args(hint)
        hints: Sequence[Any] = [inner[0]] * len(stored) if inner[1:] == (...,) else inner
        return tuple(_value(h, s) for h, s in zip(hints, stored, strict=True))
    if isinstance(hint, type) and is_dataclass(hint) and not isinstance(stored, hint):
        return rebuilt(hint, stored)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(stored)
    if hint is float and isinstance(stored, int) and not isinstance(stored, bool):
        return float(stored)
    if not isinstance(hint, type) or type(stored) is not hint:  # True is no count
        raise ValueError(f"{stored!r:.60} is no {hint}")
    return stored


def _one_of(hints: Sequence[Any], stored: object) -> Any:
    if stored is None and types.NoneType in hints:
        return None
    (rest,) = [hint for hint in hints if hint is not types.NoneType][:1]
    return _value(rest, stored)
