# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries a mutant in a copy of the tree."""

from __future__ import annotations

import contextlib
import json
import math
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

_SECONDS_MAX = 300.0
"""What hangs, pytest-timeout ends before."""
_OUTCOMES = {0: "not noticed", 4: "a test of the map is gone", 5: "no test", -1: "too slow"}
"""By pytest's exit code; all others are of tests that failed."""
_NOT_BUILT = re.compile(r"\.(o|so|elf)\] Error")
"""What make says of a file that the compiler refused."""
_C_FOLDERS = {
    "firmware": ("tests/firmware",),
    "targets/agent": (
        "tests/target/test_agent.py", "tests/target/test_frequency.py",
        "tests/target/test_commands.py", "tests/target/test_scenario.py",
        "tests/measure/test_inside_agent.py",
    ),
}  # fmt: skip
NATIVE = {
    "rig/capture/native": (
        "tests/capture/test_native.py", "tests/capture/test_gather.py",
        "tests/streaming/test_flow.py", "tests/streaming/test_histogram.py",
        "tests/streaming/test_sanitized.py",
    ),
    "rig/analysis/native": (
        "tests/analysis/clocks/test_native_lines.py", "tests/analysis/clocks/test_clock.py",
    ),
    "rig/record/native": (
        "tests/record/test_native_distances.py", "tests/record/test_distance_code.py",
    ),
}  # fmt: skip
"""Folders of the host's libraries in C, and what tests them."""
_COMPILE = """
import sys, pathlib, setuptools
setuptools.setup = lambda **_: None
sys.path.insert(0, "")
import setup
folder = pathlib.Path(sys.argv[1])
library = folder / "build" / setup.NATIVE[folder]
setup._compile_native(folder, library)
sys.exit(not library.exists())
"""
"""As setup.py does for a checkout."""


class PythonTrial(Closing):
    """Of mutants of Python files, and of the libraries in C that they load."""

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
        """`noticed`, `not noticed`, `no test`, `too slow` or `does not build`."""
        native = _native_folder(mutant)
        libraries = list((self._tree / native / "build").glob("*.so")) if native else []
        built = {path: path.read_bytes() for path in libraries}
        original = mutant.apply(self._tree)
        try:
            if native and _run([sys.executable, "-c", _COMPILE, native], self._tree)[0]:
                return "does not build"
            return _OUTCOMES.get(self._code(self._tests(mutant)), "noticed")
        finally:
            (self._tree / mutant.path).write_text(original, encoding="utf-8")
            for path, content in built.items():
                path.unlink(missing_ok=True)
                path.write_bytes(content)

    def _tests(self, mutant: Mutant) -> list[str]:
        if native := _native_folder(mutant):
            return self._coverage.tests_in(NATIVE[native], math.inf)
        last = mutant.line + mutant.before.count("\n")
        found = self._coverage.tests(mutant.path, mutant.line, last, self._seconds)
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
        return _run(arguments, self._tree, environment)

    def _make(self, folder: str, target: str) -> tuple[int, str]:
        return _run(["make", "-s", "-C", folder, target], self._tree)


def _native_folder(mutant: Mutant) -> str:
    """Empty for all but C files of the host's libraries."""
    folder = mutant.path.rpartition("/")[0]
    return folder if folder in NATIVE and not mutant.path.endswith(".py") else ""


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2] or "took too long"


def _folder(mutant: Mutant) -> str:
    return "targets/agent" if mutant.path.startswith("targets") else "firmware"


def _run(
    arguments: list[str], folder: Path, environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Exit code, other than 0 if it took too long, and what it wrote."""
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            text, _ = process.communicate(timeout=_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return 1, ""
        return process.returncode, text
