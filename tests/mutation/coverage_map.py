# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests execute which line, and how long each of them takes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

from tests.mutation.contexts import VARIABLE

TESTS = (
    "analysis", "capture", "record", "replay", "streaming", "measure", "untrusted", "session",
)  # fmt: skip
"""Folders whose tests are about the code that is changed; others run it as well, but slowly."""
_SECONDS_MAX = 30
"""Of a test under coverage; one that takes longer is of no use here."""
_SETTINGS = f"""\
[run]
source = rig
omit =
    rig/virtual/*
    rig/report/*
relative_files = true
parallel = true
sigterm = true
context = ${{{VARIABLE}-}}
"""


class CoverageMap:
    """Of a tree, even if it was measured elsewhere or some commits ago."""

    def __init__(self, root: Path, folder: Path) -> None:
        """From what `measure` left in `folder`. Tests that failed then are left out."""
        self._root = root
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._files = set(self._data.measured_files())
        self._seconds = _durations(folder)
        texts = {file: _text(root / file) for file in {_file(test) for test in self._seconds}}
        for test in [test for test in self._seconds if not _is_in(test, texts[_file(test)])]:
            del self._seconds[test]

    def tests(self, path: str, first: int, last: int, seconds: float) -> list[str]:
        """Ids of those that execute the lines, then of others of the file, `seconds` in all.

        The quickest come first.
        """
        by_line: dict[int, set[str]] = defaultdict(set)
        for name in {path, str(self._root / path)} & self._files:
            for line, tests in self._data.contexts_by_lineno(name).items():
                by_line[line] |= set(tests) & self._seconds.keys()
        of_lines = {test for line in range(first, last + 1) for test in by_line.get(line, ())}

        def order(test: str) -> tuple[bool, float]:
            return test not in of_lines, self._seconds[test]

        return self._quickest(sorted(set().union(*by_line.values()), key=order), seconds)

    def tests_in(self, files: Sequence[str], seconds: float) -> list[str]:
        """Ids of all tests in these files, `seconds` in all, the quickest first."""
        found = [test for test in self._seconds if _file(test) in files]
        return self._quickest(sorted(found, key=self._seconds.__getitem__), seconds)

    def _quickest(self, tests: Sequence[str], seconds: float) -> list[str]:
        """At least one, if there is one."""
        chosen: list[str] = []
        total = 0.0
        for test in tests:
            total += self._seconds[test]
            if total > seconds and chosen:
                break
            chosen.append(test)
        return chosen


def _durations(folder: Path) -> dict[str, float]:
    """Seconds by the test's id, without those that failed."""
    seconds: dict[str, float] = defaultdict(float)
    failed = set()
    for path in sorted(folder.glob("durations*.xml"), key=lambda path: path.stat().st_mtime):
        for case in ElementTree.parse(path).iter("testcase"):  # noqa: S314 - of our own making
            test = f"{str(case.get('classname')).replace('.', '/')}.py::{case.get('name')}"
            seconds[test] = float(case.get("time", "0"))
            if case.find("failure") is not None or case.find("error") is not None:
                failed.add(test)
    return {test: time for test, time in seconds.items() if test not in failed}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _is_in(test: str, text: str) -> bool:
    return f"def {test.partition('::')[2].partition('[')[0]}(" in text


def _file(test: str) -> str:
    return test.partition("::")[0]


def measure(root: Path, folder: Path, tests: Sequence[str]) -> None:
    """Run `tests` of `root` once, with coverage; adds its findings to those in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings"
    data, before = folder / "coverage", len(list(folder.glob("durations*.xml")))
    settings.write_text(f"{_SETTINGS}data_file = {data.absolute()}\n", encoding="utf-8")
    coverage = [sys.executable, "-m", "coverage"]
    files = [f"--rcfile={settings}", f"--data-file={data}"]
    environment = {
        **os.environ,
        "COVERAGE_CORE": "ctrace",  # the only one that knows contexts
        "COVERAGE_PROCESS_START": str(settings.absolute()),  # in processes that tests start as well
    }
    subprocess.run(
        [
            *coverage, "run", *files, "-m", "pytest", "-q", "-p", "tests.mutation.contexts",
            f"--timeout={_SECONDS_MAX}", f"--junitxml={folder / f'durations-{before}.xml'}", *tests,
        ],
        cwd=root, check=False, env=environment,
    )  # fmt: skip
    subprocess.run([*coverage, "combine", "-q", "--append", *files], cwd=root, check=True)
