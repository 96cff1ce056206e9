# SPDX-License-Identifier: GPL-3.0-or-later
"""One change of one source file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Mutant:
    """Characters `start` to `end` of the file become `text`."""

    path: str
    """Of the file, relative to the root of the tree."""
    start: int
    end: int
    line: int
    """Of the first changed character, from 1."""
    before: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {_one_line(self.before)} -> {_one_line(self.text)}"

    def apply(self, root: Path) -> str:
        """Change the file below `root`; returns what it was before."""
        file = root / self.path
        source = file.read_text(encoding="utf-8")
        file.write_text(source[: self.start] + self.text + source[self.end :], encoding="utf-8")
        return source


def _one_line(text: str) -> str:
    short = " ".join(text.split())
    return short if len(short) <= 60 else f"{short[:57]}..."
