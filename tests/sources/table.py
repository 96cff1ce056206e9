# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/reference/sources.md as rows, and what its commands print."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rig.resources import find_fixture

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = ROOT / "docs" / "reference" / "sources.md"
_ROW: Final = re.compile(r"^\| (\d+) \| (.+?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
_CODE: Final = re.compile(r"`([^`]+)`")
_THEN: Final = " && "
_FIXTURES: Final = {
    "qemu-two-processors": (
        "qemu-debian-rt", 'load = "idle"', 'processors = 2\nkernel_options = "isolcpus=1"',
        '[scenarios.own]\ncommand = ["stress-ng", "--quiet", "--fork", "1"]\n',
    ),
    "qemu-ppdev": ("qemu-debian", 'port = "kmod"', 'port = "ppdev"', ""),
    "frequencies": ("virtual", "", "", "[virtual.frequency]\nchanges = 3\n"),
}  # fmt: skip
"""Fixtures of commands by name: a built-in one, what is in place of which words, what is behind."""


@dataclass(frozen=True)
class Row:
    """One item of a source."""

    number: int
    item: str
    here: str
    """How the rig has it, or why it has not."""
    commands: tuple[str, ...]
    """Commands that show it, one after the other."""
    printed: tuple[str, ...]
    """What the last of them prints, white space aside."""


def rows() -> list[Row]:
    """Return the items, in the document's order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return [
        Row(
            int(number), item, here, tuple(c for code in _CODE.findall(shown) for c in
            code.split(_THEN)), tuple(_CODE.findall(printed)),
        )
        for number, item, here, shown, printed in _ROW.findall(text)
    ]  # fmt: skip


def chains() -> dict[str, list[Row]]:
    """Return the rows that have commands by the first of these, so that a run is made once."""
    found: dict[str, list[Row]] = {}
    for row in rows():
        if row.commands:
            found.setdefault(row.commands[0], []).append(row)
    return found


def not_printed(chain: list[Row], folder: Path) -> Iterator[str]:
    """Do the commands of rows that begin alike; say what of any row was not printed."""
    told: dict[str, str] = {}
    (folder / "tests").symlink_to(ROOT / "tests")
    for name, (base, words, instead, more) in _FIXTURES.items():
        text = find_fixture(base).read_text().replace(words, instead)
        (folder / f"{name}.toml").write_text(f"{text}\n{more}")
    for row in chain:
        for command in row.commands:
            if command not in told:
                told[command] = _told(command, folder)
        output = told[row.commands[-1]]
        for words in row.printed:
            if " ".join(words.split()) not in output:
                yield f"{row.number}: `{row.commands[-1]}` does not print `{words}`:\n{output}"


def _told(command: str, folder: Path) -> str:
    """Return both streams and the exit code as one line of words."""
    program, *words = shlex.split(command)
    assert program == "rig", command
    done = subprocess.run(
        [sys.executable, "-m", "rig.cli.main", *words], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return " ".join(f"{done.stdout} {done.stderr} exit {done.returncode}".split())
