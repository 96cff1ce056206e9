# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.fuzz.commands [--count N] [--seed N]`: every command on crafted files."""

from __future__ import annotations

import argparse
import collections
import json
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.commands.judge import LIMITS
from tests.fuzz.commands.sound import sound
from tests.fuzz.commands.worker import life
from tests.fuzz.forked import loaded
from tests.fuzz.names import ROOT

FINDINGS = ROOT / "build" / "fuzz" / "findings" / "commands"
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
CASES_OF_A_WORKER = 250


@dataclass
class Figures:
    """What came of all cases."""

    files: int = 0
    codes: collections.Counter[tuple[str, int]] = field(default_factory=collections.Counter)
    longest_s: float = 0.0
    largest_bytes: int = 0
    findings: list[str] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        self.codes[row["words"][0], row["code"]] += 1
        self.longest_s = max(self.longest_s, row["processor_s"])
        self.largest_bytes = max(self.largest_bytes, row["peak_bytes"])
        if row["finding"]:
            self.findings.append(row["finding"])

    def lines(self) -> Iterator[str]:
        """A line a command, and one of all."""
        for name in sorted({name for name, _ in self.codes}):
            codes = {code: n for (each, code), n in sorted(self.codes.items()) if each == name}
            yield f"{name:<12}{sum(codes.values()):>7}  exit codes {codes}"
        yield (
            f"{self.files} files, {self.codes.total()} commands, at most {self.longest_s:.1f} s of "
            f"processor time and {self.largest_bytes >> 20} MiB, {len(self.findings)} findings"
        )


class _Worker:
    """One process, and what it was asked last."""

    def __init__(self, seed: str, folder: Path, findings: Path) -> None:
        asked, self._ask = os.pipe()
        self._answer, said = os.pipe()
        self.left = CASES_OF_A_WORKER
        self.process = os.fork()
        if self.process == 0:
            try:
                os.setpgid(0, 0)
                os.close(self._ask)
                numbers = os.fdopen(os.dup(asked), encoding="ascii")
                answers = os.fdopen(os.dup(said), "w", encoding="ascii")

                def say(answer: Any) -> None:
                    answers.write(json.dumps(answer) + "\n")
                    answers.flush()

                life(seed, folder, findings, map(int, iter(numbers.readline, "")), say)
            finally:
                os._exit(0)
        os.close(asked)
        os.close(said)

    def tried(self, number: int) -> list[dict[str, Any]] | str:
        """What came of a case; how the process ended if it did not survive it."""
        os.write(self._ask, f"{number}\n".encode())
        self.left -= 1
        text, until_s = b"", time.monotonic() + LIMITS.wall_s
        while not text.endswith(b"\n"):
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([self._answer], [], [], left_s)[0]:
                self.left = 0
                return "took too long"
            more = os.read(self._answer, 1 << 16)
            if not more:
                self.left = 0
                return "ended its process"
            text += more
        return json.loads(text)["ended"]

    def end(self) -> None:
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._ask)
        os.close(self._answer)


def tried(seed: str, numbers: range, findings: Path, *, quiet: bool = True) -> Figures:
    """Make the files of these cases and run their commands. What breaks one stays in `findings`."""
    figures, worker = Figures(), None
    sound()
    findings.mkdir(parents=True, exist_ok=True)
    base = MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None
    with loaded(), tempfile.TemporaryDirectory(prefix="rig-fuzz-", dir=base) as name:
        for number in numbers:
            worker = worker or _Worker(seed, Path(name), findings)
            rows = worker.tried(number)
            known = len(figures.findings)
            figures.files += 1
            if isinstance(rows, str):
                figures.findings.append(f"{seed}-{number}: {rows}")
            else:
                for row in rows:
                    figures.add(row)
            if not quiet:
                for text in figures.findings[known:]:
                    _print(text)
            if not worker.left:
                worker.end()
                worker = None
            if not quiet and figures.files % 500 == 0:
                _print(f"{time.strftime('%H:%M:%S')} {list(figures.lines())[-1]}")
        if worker is not None:
            worker.end()
    return figures


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(words: list[str]) -> int:
    """0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.commands", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="files (20,000)")
    parser.add_argument("--seed", default=time.strftime("%Y%m%d"), help="of all cases (the date)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--findings", type=Path, default=FINDINGS)
    options = parser.parse_args(words)
    numbers = range(options.first, options.first + options.count)
    figures = tried(options.seed, numbers, options.findings, quiet=False)
    for line in figures.lines():
        _print(line)
    return 1 if figures.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
