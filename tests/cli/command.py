# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the `rig` command as a user does: a process of its own, judged by what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

RIG = [sys.executable, "-m", "rig.cli.main"]
GONE_S = 15
"""Every child of a host that is gone must be gone by then."""


def rig(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run to the end; standard output and error as text."""
    return subprocess.run(
        [*RIG, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=100,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )


class Running:
    """A run under way, and all processes that belong to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.family = psutil.Process(process.pid).children(recursive=True)

    def part(self, word: str) -> psutil.Process:
        """The one process of the family that has this word in its command line."""
        (found,) = [p for p in self.family if word in " ".join(p.cmdline())]
        return found

    def end(self) -> str:
        """Wait for the host's end; standard error."""
        _, errors = self.process.communicate(timeout=60)
        return errors

    def orphans(self) -> list[psutil.Process]:
        """What is still there after a fair time."""
        _, alive = psutil.wait_procs(self.family, GONE_S)
        return [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


@contextmanager
def measuring(out: Path, *words: object) -> Iterator[Running]:
    """A long virtual run, from when the host has seen stimuli."""
    command = [*RIG, "run", "interrupt", "--fixture", "virtual", "--out", out, "--count", 500_000]
    process = subprocess.Popen(
        [*map(str, command), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=out.parent,
    )
    try:
        for line in process.stderr:
            if re.match(r"measuring [\d,]*[1-9]", line):
                break
        running = Running(process)
        yield running
    finally:
        process.kill()
        process.communicate()
