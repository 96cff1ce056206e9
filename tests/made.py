# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that tests need, made by one test process at a time."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

TIMEOUT_S = 110


def make(folder: Path, *targets: str) -> None:
    """Make targets of a folder's Makefile; of several test processes each waits for the others."""
    build = folder / "build"
    build.mkdir(exist_ok=True)
    with (build / ".making").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = ["make", "--silent", "-C", str(folder), *targets]
        subprocess.run(words, check=True, timeout=TIMEOUT_S)
