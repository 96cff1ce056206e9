# SPDX-License-Identifier: GPL-3.0-or-later
"""No circle of C files: each includes and calls only files that do not, in turn, need it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "firmware": ("firmware/core/*.[ch]", "firmware/avr/**/*.[chS]"),
    "emulator": ("firmware/emulator/src/*.[ch]",),
    "agent": ("targets/agent/*/**/*.[ch]",),
    "module": ("targets/module/*.[ch]",),
    "plugin": ("targets/qemu/**/*.[ch]",),
    "capture": ("rig/capture/native/*.[ch]",),
    "analysis": ("rig/analysis/native/*.[ch]",),
    "record": ("rig/record/native/*.[ch]",),
}
"""What is linked together, by patterns of its files."""

_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_DEFINED = re.compile(r"^(?!.*\bstatic\b)\w[\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
_STATIC = re.compile(r"^.*\bstatic\b[^;={]*?\b(\w+)\(", re.MULTILINE)
_GLOBAL = re.compile(r"^\.global (\w+)", re.MULTILINE)
_USED = re.compile(r"(?<![.\w])(?<!->)(?<!struct )(?<!enum )[A-Za-z_]\w*")


def needs(files: Mapping[Path, str]) -> dict[Path, set[Path]]:
    """The files that each file includes, or whose functions it names; `files` has the texts.

    A header needs what it includes and nothing more: what it declares is defined above it.
    """
    code = {path: _NO_CODE.sub(" ", text) for path, text in files.items()}
    definer = {
        name: path
        for path, text in code.items()
        if path.suffix != ".h"
        for name in (_GLOBAL if path.suffix == ".S" else _DEFINED).findall(text)
    }
    found: dict[Path, set[Path]] = {}
    for path, text in files.items():
        included = {(path.parent / name).resolve() for name in _INCLUDE.findall(text)}
        called = set()
        if path.suffix != ".h":
            named = {*_USED.findall(code[path])} - {*_STATIC.findall(code[path])}
            called = {definer[name] for name in named & {*definer}}
        found[path] = (included & {*files} | called) - {path}
    return found


def circles(graph: Mapping[Path, set[Path]]) -> Iterator[list[Path]]:
    """The strongly connected parts of more than one file."""
    reach: dict[Path, set[Path]] = {}
    for start in graph:
        seen: set[Path] = set()
        todo = [*graph[start]]
        while todo:
            if (path := todo.pop()) not in seen:
                seen.add(path)
                todo += graph[path]
        reach[start] = seen
    done: set[Path] = set()
    for path, seen in reach.items():
        if path in seen and path not in done:
            part = [other for other in seen if path in reach[other]]
            done |= {*part}
            yield sorted(part)


def _texts(patterns: tuple[str, ...]) -> dict[Path, str]:
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    return {p: p.read_text() for p in sorted(paths) if not {"tests", "build"} & {*p.parts}}


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_circle_of_files(program: str) -> None:
    files = _texts(PROGRAMS[program])
    assert len(files) > 1
    found = [
        " <-> ".join(str(path.relative_to(ROOT)) for path in part) for part in circles(needs(files))
    ]
    assert not found


def test_a_circle_is_found() -> None:
    files = {
        Path("/a.c"): '#include "a.h"\nvoid a(void)\n{\n    b();\n}\n',
        Path(
            "/b.c"
        ): '#include "a.h"\nstatic int c(int x)\n{\n}\nint b(\n  void)\n{\n    c(1); a();\n}\n',
        Path("/c.c"): "/* a */ void c(void)\n{\n    s.a(); p->b(1);\n}\n",
        Path("/a.h"): "void a(void);\n",
    }
    assert [*circles(needs(files))] == [[Path("/a.c"), Path("/b.c")]]
