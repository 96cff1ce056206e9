# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder that has of a clone what the tutorials name, and commands done in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.tutorial.document import ROOT, not_printed, steps


def wrong_lines(document: Path, clone: Path) -> list[str]:
    """Do what a document says; of each block of output the first line that was not printed."""
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "rig").symlink_to(Path(sys.executable).parent / "rig")
    (clone / "rig").symlink_to(ROOT / "rig")
    return [
        line
        for step in steps(document)
        for line in not_printed(step.shown, "".join(_output(c, clone) for c in step.commands))
    ]


def _output(command: str, clone: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", _as_here(command)], cwd=clone, capture_output=True, text=True, timeout=100,
        check=False, env={**os.environ, "XDG_STATE_HOME": str(clone / "state")},
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def _as_here(command: str) -> str:
    """The command itself; of `make run`, whose set-up is not a test's to do, what it ends with."""
    if command != "make run":
        return command
    words = ["make", "--dry-run", "--no-print-directory", "run"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[-1]
