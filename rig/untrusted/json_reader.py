# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON of a file, within bounds that are stated here and nowhere else.

The reader of Python's library takes whatever memory a text asks for: a megabyte of brackets becomes
a hundred megabytes of lists, a nested one ends in RecursionError here or wherever it is used, an
integer of 5,000 digits in ValueError, and of a key given twice one value is dropped without a word.
So the text is measured first, in a few passes of regular expressions that are linear in its length.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

BYTES_MAX: Final = 32 << 20
"""The most bytes of a text. A run of 10^9 events has 60 kB of figures, gaps of up to some MB."""
NODES_MAX: Final = 1_000_000
"""Values, keys and brackets together; a value takes about 100 bytes of memory."""
DEPTH_MAX: Final = 32
"""Objects and lists within each other; this rig writes at most 8."""
DIGITS_MAX: Final = 40
"""The most digits of one number in a row; 64 bits take 20, a float's shortest form 17."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKETS = re.compile(r"[^][{}]+")
_LONG_NUMBER = re.compile(rf"[0-9]{{{DIGITS_MAX + 1}}}")


def json_value(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError, in one line, for what is not within bounds."""
    if len(text) > BYTES_MAX:
        raise ValueError(f"{len(text):,} bytes of JSON; valid: at most {BYTES_MAX >> 20} MiB")
    if isinstance(text, bytes):
        text = text.decode("utf-8")  # UnicodeDecodeError is a ValueError
    _measure(text)
    return json.loads(
        text,
        object_pairs_hook=_object,
        parse_float=_finite,
        parse_constant=_no_number,
    )


def json_object(text: str | bytes) -> dict[str, Any]:
    """Read a text that must be an object."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ValueError(f"{found(value)}; valid: a JSON object")
    return value


def found(value: object) -> str:
    """A value from a file as an error shows it: short, and what it is if it is long."""
    if isinstance(value, dict | list):
        kind = "an object" if isinstance(value, dict) else "a list"
        return f"{kind} of {len(value):,}"
    if isinstance(value, str):
        return ascii(value) if len(value) <= _SHOWN_MAX else f"{value[:_SHOWN_MAX]!a}..."
    return (
        json.dumps(value) if isinstance(value, bool) or value is None else str(value)[:_SHOWN_MAX]
    )


_SHOWN_MAX: Final = 40


def _measure(text: str) -> None:
    """Raises ValueError for more values, depth or digits than there may be."""
    skeleton = _STRING.sub("s", text)
    nodes = sum(map(skeleton.count, ",[{:"))
    if nodes > NODES_MAX:
        raise ValueError(f"over {NODES_MAX:,} values in its JSON")
    depth = deepest = 0
    for bracket in _NO_BRACKETS.sub("", skeleton):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEPTH_MAX:
        raise ValueError(f"JSON nested {deepest:,} deep; valid: at most {DEPTH_MAX}")
    if _LONG_NUMBER.search(skeleton):
        raise ValueError(f"a number of more than {DIGITS_MAX} digits")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {found(twice)} is given twice")
    return values


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:_SHOWN_MAX]} is too large for a number")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")
