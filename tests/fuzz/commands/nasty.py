# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and texts as whoever wants to break a reader would store them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 63, 64, 255, 2**31, 2**32 - 1, 2**32, 2**53, 2**60, 2**62,
    2**63 - 1, 2**63, 2**64, -(2**63), 10**30, 0.0, -0.5, 0.5, 1e-9, 5e-324, 1e18, 1e308, -1e308,
    "", "x", "x" * 5000, "1", "interrupt", "\x1b[2J\x1b]0;t\x07", "\u202egnp.exe", "\ud800", "<b>&",
    "=1+1", "[/bold]", "${x}", "$\\frac$", "../../etc/passwd", "a\nb\r\nc", "\x00", "NaN", "%s%n",
    [], {}, [[]], {"": ""}, [None], [0] * 500, {"a": {"b": {"c": {}}}}, "PER", "POS", "sample",
)  # fmt: skip
INTEGERS = (
    0, 1, -1, 2, -2, 3, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**62, 2**63 - 1,
    -(2**63), -(2**62), 10**6,
)  # fmt: skip


def edited(random: Random, document: Any) -> Any:
    """The same JSON value with one part replaced, removed, copied or added."""
    paths = list(_paths(document))
    path = random.choice(paths)
    choice = random.random()
    if not path:
        return deepcopy(random.choice(VALUES)) if choice < 0.3 else document
    parent = _at(document, path[:-1])
    key = path[-1]
    if choice < 0.12:
        del parent[key]
    elif choice < 0.2 and isinstance(parent, dict):
        name = random.choice(["extra", "\x1b[31m", "", key + "_"])
        parent[name] = deepcopy(random.choice(VALUES))
    elif choice < 0.3:
        parent[key] = deepcopy(_at(document, random.choice(paths)))  # no part holds itself
    elif choice < 0.4 and type(parent[key]) in (int, float):
        parent[key] = parent[key] * random.choice([2, -1, 1000, 1e-6, 1 << 40]) + 1
    elif choice < 0.45 and isinstance(parent[key], list):
        parent[key] = parent[key] * random.choice([2, 50, 3000])
    else:
        parent[key] = deepcopy(random.choice(VALUES))
    return document


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _paths(each, (*path, number))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def edited_text(random: Random, text: str) -> str:
    """A JSON text with values replaced, or made long, deep, cut or odd as a text."""
    try:
        document = json.loads(text)
    except ValueError:
        return broken_text(random, text)
    if random.random() < 0.3:
        return broken_text(random, text)
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        document = edited(random, document)
    try:
        return json.dumps(document)
    except (ValueError, RecursionError):
        return broken_text(random, text)


def broken_text(random: Random, text: str) -> str:
    """Any text, broken as a text."""
    at, other = (random.randrange(len(text) + 1) for _ in range(2))
    one = random.choice(['"', "{", "]", "\\", ",", "\x00", "\u202e", "\n"])
    number = random.choice(
        ["NaN", "Infinity", "-Infinity", "1e999", *("9" * n for n in (20, 41, 4301, 5000))]
    )
    ways: tuple[Callable[[], str], ...] = (
        lambda: text[:at],
        lambda: "[" * random.choice([30, 40, 1000, 100_000]),
        lambda: '{"a":' * random.choice([10, 5000]) + "1",
        lambda: _number_replaced(random, text, number),
        lambda: _number_replaced(random, text, number),
        lambda: text[:at] + one + text[at:],
        lambda: text + text,
        lambda: "[" + "1," * random.choice([1000, 1_000_001]) + "1]",
        lambda: text[:at] + " " * 10_000 + text[at:],
        lambda: '{"a": 1, "a": 2, ' + text[1:],
        lambda: "",
        lambda: text[: min(at, other)] + text[max(at, other) :],
    )
    return random.choice(ways)()


def _number_replaced(random: Random, text: str, number: str) -> str:
    places = list(re.finditer(r"-?\d+(?:\.\d+)?", text))
    if not places:
        return number
    place = random.choice(places)
    return text[: place.start()] + number + text[place.end() :]


def edited_toml(random: Random, text: str) -> str:
    """A TOML text with a line changed, doubled, moved or removed, or a value replaced."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(8):
        case 0:
            lines[at] = lines[at] * 2
        case 1:
            del lines[at]
        case 2:
            lines.insert(random.randrange(len(lines)), lines[at])
        case 3:
            key = lines[at].partition("=")[0]
            value = random.choice(VALUES)
            lines[at] = f"{key}= {json.dumps(value)}"
        case 4:
            lines[at] = re.sub(r"\d+", lambda _: str(random.choice(INTEGERS)), lines[at])
        case 5:
            lines[at] = f"a{'.a' * random.choice([400, 3000])} = 1"
        case 6:
            lines[at] = "x = " + "[" * random.choice([100, 900])
        case _:
            return broken_text(random, text)
    return "\n".join(lines)


def broken_bytes(random: Random, data: bytes, other: bytes) -> bytes:
    """Flipped bits, a cut, a hole, a piece of another file, or zeros."""
    changed = bytearray(data)
    match random.randrange(6):
        case 0 | 1:
            for _ in range(random.choice([1, 2, 8, 64])):
                changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        case 2:
            del changed[random.randrange(len(changed)) :]
        case 3:
            first = random.randrange(len(changed))
            del changed[first : first + random.choice([1, 16, 4096])]
        case 4:
            first, length = random.randrange(len(changed)), random.choice([8, 64, 512, 4096])
            start = random.randrange(max(1, len(other) - length))
            changed[first : first + length] = other[start : start + length]
        case _:
            first = random.randrange(len(changed))
            changed[first : first + 64] = bytes(len(changed[first : first + 64]))
    return bytes(changed)
