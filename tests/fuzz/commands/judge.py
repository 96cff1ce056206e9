# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command may do with a crafted file, and what is a finding."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.forked import TRACEBACK_CODE, Ended, Limits

EXIT_CODES = (0, 1, 2, 3, 4, 5, 6, 130)
PROCESSOR_S = 10
MEMORY_BYTES = 500 << 20
LIMITS = Limits(wall_s=90, processor_s=2 * PROCESSOR_S, memory_bytes=2 << 30)
"""What ends a command; the wall clock has room for a machine that is busy."""
LINE_MAX = 4000


def finding(words: Sequence[str], ended: Ended) -> str:
    """What is wrong with how a command ended; "" if nothing is."""
    errors = ended.errors.decode(errors="replace")
    if ended.code == TRACEBACK_CODE or "Traceback" in errors:
        return "traceback"
    checks = {
        "took too long": ended.is_late or ended.processor_s > PROCESSOR_S,
        f"ended by {ended.code}": ended.code not in EXIT_CODES,
        "took too much memory": ended.peak_bytes > MEMORY_BYTES,
        "a warning of Python": "Warning: " in errors,
        "raw characters on standard error": not _is_plain(errors),
        "raw characters on standard output": not _is_plain(ended.out.decode(errors="replace")),
        "not one line": ended.code in (2, 3) and not _one_line(errors),
        "no JSON": "--json" in words and ended.code in (0, 1, 4) and not _is_json(ended.out),
    }
    return next((name for name, wrong in checks.items() if wrong), "")


def _is_plain(text: str) -> bool:
    """Nothing that acts on a terminal."""
    return all(c.isprintable() or c in "\n\t\u2009\u202f\xa0" for c in text)


def _one_line(errors: str) -> bool:
    lines = [line for line in errors.splitlines() if line.startswith("rig: ")]
    return len(lines) == 1 and len(lines[0]) < LINE_MAX


def _is_json(out: bytes) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(out, parse_constant=refuse)
    except ValueError:
        return False
    return True


def digest(path: Path) -> str:
    """Of a file's bytes, "" if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
