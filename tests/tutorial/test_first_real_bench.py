# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial/first-real-bench.md: its rehearsal is done; what wants hardware is understood."""

from __future__ import annotations

import argparse
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from rig.cli.commands import COMMANDS
from tests.tutorial.clone import wrong_lines
from tests.tutorial.document import ROOT

TUTORIAL = ROOT / "docs" / "tutorial" / "first-real-bench.md"
TEXT = TUTORIAL.read_text(encoding="utf-8")
ON_HARDWARE = [
    line
    for block in re.findall(r"^```sh hardware\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
IN_TEXT = re.findall(r"`\.venv/bin/(rig [^`]+)`", TEXT)


def test_the_rehearsal_prints_what_the_tutorial_shows(tmp_path: Path) -> None:
    assert wrong_lines(TUTORIAL, tmp_path) == []


@pytest.mark.parametrize("line", [*ON_HARDWARE, *IN_TEXT])
def test_a_command_that_wants_hardware_is_understood(line: str) -> None:
    """The command's own parser knows each option."""
    _, *words = shlex.split(line)
    module = import_module({each.name: each.module for each in COMMANDS}[words[0]])
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    parser.parse_args(words[1:])
