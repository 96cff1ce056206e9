# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of a C file: other comparisons, operators and constants, by tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.mutant import Mutant

_LEFT_OUT = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(
    r"<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[+\-*/%&|]=|[<>+\-!]"
    r"|\b(?:0[xX][0-9a-fA-F]+|[0-9]+)(?=[uUlL]*\b)"
)
_OTHER = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "++": "--",
    "--": "++",
    "+=": "-=",
    "-=": "+=",
    "<<": ">>",
    ">>": "<<",
    "&=": "|=",
    "|=": "&=",
    "!": "",
}


def c_mutants(root: Path, path: str) -> Iterator[Mutant]:
    """All of the bodies of one file's functions, in order."""
    source = (root / path).read_text(encoding="utf-8")
    bare = _LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    for found in _TOKEN.finditer(bare):
        if not _in_function(bare, found.start()):
            continue
        token = found[0]
        text = _OTHER.get(token)
        if text is None and token[0].isdigit():
            text = str(int(token, 0 if token[:2].lower() == "0x" else 10) + 1)
        if text is not None:
            line = source.count("\n", 0, found.start()) + 1
            yield Mutant(path, found.start(), found.end(), line, token, text)


def _in_function(bare: str, place: int) -> bool:
    """Within braces that open at the beginning of a line, as those of functions do here."""
    opened = bare.rfind("\n{", 0, place)
    return opened >= 0 and bare.find("\n}", opened, place) < 0
