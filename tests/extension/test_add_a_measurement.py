# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/how-to/add-a-measurement.md says is enough: its code is added to a copy of the rig."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOW_TO = (ROOT / "docs" / "how-to" / "add-a-measurement.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", HOW_TO, re.DOTALL))
(HOOK,) = re.findall(r"```python\n(    def evaluator.*?)```", HOW_TO, re.DOTALL)
OBJECT, REGISTRY = "rig/measurements/memory_copy.py", "rig/measurements/registry.py"
EVALUATOR = "rig/analysis/measurements/memory_copy.py"
LOOP = "targets/agent/core/loops/memory_copy.c"
SIMPLEST = {OBJECT, REGISTRY, "rig/plans/memory-copy.toml", LOOP}


@dataclass
class Copy:
    """A copy of the rig that can be changed; all else is that of the checkout."""

    root: Path

    @classmethod
    def of_checkout(cls, root: Path) -> Copy:
        root.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("rig", "targets", "tests") and not entry.name.startswith("."):
                (root / entry.name).symlink_to(entry)
        skipped = shutil.ignore_patterns("__pycache__", "sanitized")
        for name in ("rig", "targets"):
            shutil.copytree(ROOT / name, root / name, ignore=skipped)
        return cls(root)

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")

    def edit(self, path: str, before: str, text: str) -> None:
        """Put a text before another."""
        old = (self.root / path).read_text(encoding="utf-8")
        assert old.count(before) == 1
        self.write(path, old.replace(before, text + before))

    def add_measurement(self) -> None:
        for path in SIMPLEST - {REGISTRY}:
            self.write(path, FILES[path])
        first = "from rig.measurements.period import Period\n"
        self.edit(REGISTRY, first, "from rig.measurements.memory_copy import MemoryCopy\n")
        self.edit(REGISTRY, "        Saturation(),\n", "        MemoryCopy(),\n")

    def add_evaluator(self) -> None:
        self.write(EVALUATOR, FILES[EVALUATOR])
        self.write(OBJECT, f"{FILES[OBJECT].rstrip()}\n\n{HOOK}")

    def changed(self) -> set[str]:
        """Files that are not as in the checkout."""
        return {
            path.relative_to(self.root).as_posix()
            for name in ("rig", "targets")
            for path in (self.root / name).rglob("*")
            if path.is_file() and path.suffix in (".py", ".toml", ".c", ".h", ".md", "")
            and not {"__pycache__", "build"} & set(path.parts)
            and _differs(path, ROOT / path.relative_to(self.root))
        }  # fmt: skip

    def rig(self, *words: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.root), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "rig.cli.main", *map(str, words)]
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=100
        )

    def measured(self, count: int) -> dict:
        out = self.root / f"{count}.h5"
        ran = self.rig("run", "memory-copy", "--fixture", "virtual", "--count", count, "--out", out)
        assert ran.returncode in (0, 1), ran.stderr
        shown = self.rig("show", out, "--json")
        assert shown.stderr == ""
        return json.loads(shown.stdout)


def _differs(path: Path, original: Path) -> bool:
    return not original.is_file() or path.read_bytes() != original.read_bytes()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    found = Copy.of_checkout(tmp_path_factory.mktemp("added") / "copy")
    assert found.changed() == set()
    found.add_measurement()
    return found


def test_a_measurement_inside_the_target_is_four_files(copy: Copy) -> None:
    assert copy.changed() == SIMPLEST
    found = copy.measured(50)
    assert (found["measurement"], found["verdict"], found["counts"]["answered"]) == (
        "memory_copy", "pass", 50,
    )  # fmt: skip


def test_the_agent_knows_it(copy: Copy) -> None:
    agent = copy.root / "targets" / "agent"
    made = subprocess.run(
        ["make", "-s", "BUILD=made", "CFLAGS=-O0", "made/rig-agent"],
        cwd=agent, capture_output=True, text=True, timeout=110,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert b"memory_copy\0" in (agent / "made" / "rig-agent").read_bytes()
    shutil.rmtree(agent / "made")


def test_with_an_evaluation_of_its_own_it_is_five(copy: Copy) -> None:
    copy.add_evaluator()
    assert copy.changed() == SIMPLEST | {EVALUATOR}
    few = copy.measured(51)
    assert (few["verdict"], few["reasons"]) == ("inconclusive", ["51 copies tell of cold caches"])
    assert copy.measured(120)["verdict"] == "pass"
