# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests execute which line, and how long each of them takes."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

_FOLDERS = (
    "analysis", "capture", "firmware", "measure", "record", "replay", "report",
    "session", "stimulus", "streaming",
)  # fmt: skip
_SETTINGS = """\
[run]
source = rig
dynamic_context = test_function
relative_files = true
[report]
"""


class CoverageMap:
    """Of a tree, even if it was measured elsewhere or some commits ago."""

    def __init__(self, root: Path, folder: Path) -> None:
        """From what `measure` left in `folder`. Tests that failed then are left out."""
        self._root = root
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._files = sorted(self._data.measured_files())
        self._seconds: dict[str, float] = defaultdict(float)
        durations = ElementTree.parse(folder / "durations.xml")  # noqa: S314 - of our own making
        failed = set()
        for case in durations.iter("testcase"):
            name = f"{case.get('classname')}.{str(case.get('name')).partition('[')[0]}"
            self._seconds[name] += float(case.get("time", "0"))
            if case.find("failure") is not None or case.find("error") is not None:
                failed.add(name)
        for name in failed | {name for name in self._seconds if not _exists(root, name)}:
            del self._seconds[name]

    def tests(self, path: str, first: int, last: int, seconds: float) -> list[str]:
        """Ids of those that execute the lines, then of others of the file, `seconds` in all.

        The quickest come first.
        """
        file = next((name for name in self._files if f"/{name}".endswith(f"/{path}")), path)
        by_line = {
            line: {_whole_name(name) for name in names} & self._seconds.keys()
            for line, names in self._data.contexts_by_lineno(file).items()
        }
        of_lines = {name for line in range(first, last + 1) for name in by_line.get(line, ())}

        def order(name: str) -> tuple[bool, float]:
            return name not in of_lines, self._seconds[name]

        chosen: list[str] = []
        total = 0.0
        for name in sorted(set().union(*by_line.values()), key=order):
            total += self._seconds[name]
            if total > seconds and chosen:
                break
            module, _, function = name.rpartition(".")
            chosen.append(f"{_file_of(module)}::{function}")
        return chosen


def _whole_name(context: str) -> str:
    """Modules of a package within `tests` are named from the package on."""
    return context if context.startswith("tests.") else f"tests.{context}"


def _file_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _exists(root: Path, name: str) -> bool:
    module, _, function = name.rpartition(".")
    file = root / _file_of(module)
    return file.is_file() and f"def {function}(" in file.read_text(encoding="utf-8")


def measure(root: Path, folder: Path) -> None:
    """Run the tests of `root` once, with coverage; leaves its findings in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings"
    settings.write_text(_SETTINGS, encoding="utf-8")
    subprocess.run(
        [
            sys.executable, "-m", "coverage", "run", f"--rcfile={settings}",
            f"--data-file={folder / 'coverage'}", "-m", "pytest", "-q", "--timeout=900",
            f"--junitxml={folder / 'durations.xml'}", *(f"tests/{name}" for name in _FOLDERS),
        ],
        cwd=root, check=False,
    )  # fmt: skip
