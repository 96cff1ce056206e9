# SPDX-License-Identifier: GPL-3.0-or-later
"""A document's commands, and whether what they print is what the document shows of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_BLOCK: Final = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER: Final = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
_LARGE: Final = 1_000_000
"""From here on integers are sample numbers or picoseconds."""
_PART: Final = 0.03
_DECIMAL_US: Final = 0.1
"""What runs with one seed may differ by: a sample or two, in microseconds."""


@dataclass(frozen=True)
class Step:
    """Commands, and what is shown of their output before the next ones."""

    commands: tuple[str, ...]
    shown: tuple[str, ...]
    """Lines in order; "..." stands for any lines, or for the rest of one."""


def steps(document: Path) -> Iterator[Step]:
    """What a reader of the document does, one block of commands after the other."""
    commands: tuple[str, ...] = ()
    shown: list[str] = []
    for kind, block in _BLOCK.findall(document.read_text(encoding="utf-8")):
        lines = tuple(block.splitlines())
        if kind == "text":
            shown += lines
            continue
        if commands:
            yield Step(commands, tuple(shown))
        commands, shown = lines, []
    yield Step(commands, tuple(shown))


def not_printed(shown: tuple[str, ...], output: str) -> list[str]:
    """The first line of an excerpt that is not in the output, behind those before it; or none."""
    printed = iter(output.splitlines())
    for line in shown:
        if line.strip() in ("", "..."):
            continue
        if not any(is_alike(line, found) for found in printed):
            return [line]
    return []


def is_alike(shown: str, found: str) -> bool:
    """Whether two lines have the same words, and numbers that two runs may have."""
    one, other = " ".join(shown.split()), " ".join(found.split())
    if one.endswith("..."):
        one = one.removesuffix("...").rstrip()
        same = _NUMBER.sub("#", other).startswith(_NUMBER.sub("#", one))
    else:
        same = _NUMBER.sub("#", one) == _NUMBER.sub("#", other)
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=False)
    return same and all(_is_near(first, second) for first, second in pairs)


def _is_near(first: str, second: str) -> bool:
    one, other = (float(each.replace(",", "")) for each in (first, second))
    if "." in first:
        return abs(one - other) <= _PART * one + _DECIMAL_US
    return abs(one - other) <= (_PART * one if one >= _LARGE else 0)
