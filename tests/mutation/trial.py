# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries a mutant in a copy of the tree."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rig.closing import Closing
from tests.mutation.coverage_map import CoverageMap
from tests.mutation.mutant import Mutant

_SECONDS_MAX = 900.0
"""What hangs, pytest-timeout ends before."""
_OUTCOMES = {0: "not noticed", 5: "no test", -1: "too slow"}
"""By pytest's exit code; all others are of tests that failed."""
_NOT_BUILT = re.compile(r"\.(o|so|elf)\] Error")
"""What make says of a file that the compiler refused."""
_MAKE_SECONDS = 180.0
_C_FOLDERS = {"firmware": ("tests/firmware",), "targets/agent": ("tests/target",)}


class PythonTrial(Closing):
    """Of mutants of Python files."""

    def __init__(self, tree: Path, coverage: CoverageMap, seconds: float) -> None:
        """`seconds`: of tests that each mutant is tried by, at most."""
        self._tree, self._coverage, self._seconds = tree, coverage, seconds
        environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
        self._server = subprocess.Popen(
            [sys.executable, str(tree / "tests/mutation/server.py")],
            cwd=tree, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def unchanged(self, mutants: Sequence[Mutant]) -> str:
        """What is wrong with the copy, by the tests of these mutants; empty if they pass."""
        tests = sorted({test for mutant in mutants for test in self._tests(mutant)})
        code = self._code(tests) if tests else 0
        return f"exit code {code} of pytest, tests from {tests[0]} to {tests[-1]}" if code else ""

    def outcome(self, mutant: Mutant) -> str:
        """`noticed`, `not noticed`, `no test` if none executes the line, or `too slow`."""
        tests = self._tests(mutant)
        original = mutant.apply(self._tree)
        try:
            return _OUTCOMES.get(self._code(tests), "noticed")
        finally:
            (self._tree / mutant.path).write_text(original, encoding="utf-8")

    def _tests(self, mutant: Mutant) -> list[str]:
        last = mutant.line + mutant.before.count("\n")
        found = self._coverage.tests(mutant.path, mutant.line, last, self._seconds)
        # What runs in processes of its own, coverage does not see.
        return found or [f"tests/{mutant.path.split('/')[1]}"]

    def _code(self, tests: list[str]) -> int:
        stdin, stdout = self._server.stdin, self._server.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps({"tests": tests, "seconds": _SECONDS_MAX}) + "\n")
        stdin.flush()
        return int(stdout.readline())

    def close(self) -> None:
        """End the server."""
        if self._server.stdin is not None:
            self._server.stdin.close()
        self._server.wait()


class CTrial:
    """Of mutants of the firmware's core and the agent's: their own tests, then the host's."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        for folder in ("firmware", "targets/agent"):
            self._make(folder, "all")

    def unchanged(self, mutants: Sequence[Mutant]) -> str:
        """What is wrong with the copy, by its own tests and the host's; empty if they pass."""
        for folder in sorted({_folder(mutant) for mutant in mutants}):
            code, text = self._make(folder, "test")
            if code:
                return f"make -C {folder} test: {_last_line(text)}"
            code, text = self._by_the_host(folder)
            if code:
                return f"tests of {folder}: {_last_line(text)}"
        return ""

    def outcome(self, mutant: Mutant) -> str:
        """`noticed`, `not noticed`, or `does not build`."""
        folder = _folder(mutant)
        original = mutant.apply(self._tree)
        try:
            code, text = self._make(folder, "test")
            if code and _NOT_BUILT.search(text):
                return "does not build"
            if code:
                return "noticed"
            self._make(folder, "all")
            code, _ = self._by_the_host(folder)
            return "noticed" if code else "not noticed"
        finally:
            (self._tree / mutant.path).write_text(original, encoding="utf-8")

    def _by_the_host(self, folder: str) -> tuple[int, str]:
        tests = _C_FOLDERS[folder]
        environment = {**os.environ, "PYTHONPATH": str(self._tree)}
        arguments = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        return _run(arguments, self._tree, environment, _SECONDS_MAX)

    def _make(self, folder: str, target: str) -> tuple[int, str]:
        return _run(["make", "-s", "-C", folder, target], self._tree, None, _MAKE_SECONDS)


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2] or "took too long"


def _folder(mutant: Mutant) -> str:
    return "targets/agent" if mutant.path.startswith("targets") else "firmware"


def _run(
    arguments: list[str], folder: Path, environment: dict[str, str] | None, seconds: float
) -> tuple[int, str]:
    """Exit code, other than 0 if it took too long, and what it wrote."""
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return 1, ""
        return process.returncode, text
