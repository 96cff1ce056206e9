# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the rig to which something is added, as a how-to says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_OWN = (".py", ".toml", ".c", ".h", ".hex", ".md", "")
"""Suffixes of files that somebody writes."""


def files_of(how_to: str) -> dict[str, str]:
    """Path to text of each file that a page of docs/how-to/ shows."""
    page = (ROOT / "docs" / "how-to" / how_to).read_text(encoding="utf-8")
    return dict(re.findall(r"`([\w.-]+/[\w./-]+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL))


@dataclass
class Copy:
    """A copy of the rig that can be changed; all else is that of the checkout."""

    root: Path
    folders: tuple[str, ...] = ("rig", "targets")
    """Those that are copied."""

    @classmethod
    def of_checkout(cls, root: Path, *folders: str) -> Copy:
        made = cls(root, folders)
        root.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in (*folders, "tests") and not entry.name.startswith("."):
                (root / entry.name).symlink_to(entry)
        skipped = shutil.ignore_patterns("__pycache__", "sanitized")
        for name in folders:
            shutil.copytree(ROOT / name, root / name, ignore=skipped)
        assert made.changed() == set()
        return made

    def write(self, path: str, text: str) -> None:
        """Make a file, or replace it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, before: str, text: str) -> None:
        """Put a text before another, which must be there once."""
        old = (self.root / path).read_text(encoding="utf-8")
        assert old.count(before) == 1, (path, before)
        self.write(path, old.replace(before, text + before))

    def changed(self) -> set[str]:
        """Files that are not as in the checkout."""
        return {
            path.relative_to(self.root).as_posix()
            for name in self.folders
            for path in (self.root / name).rglob("*")
            if path.is_file() and path.suffix in _OWN
            and not {"__pycache__", "build", "made"} & set(path.parts)
            and _differs(path, ROOT / path.relative_to(self.root))
        }  # fmt: skip

    def python(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run the interpreter, to which the copy is the rig."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.root, env=environment, capture_output=True, text=True, timeout=100,
        )  # fmt: skip

    def rig(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command of the copy."""
        return self.python("-m", "rig.cli.main", *words)


def _differs(path: Path, original: Path) -> bool:
    return not original.is_file() or path.read_bytes() != original.read_bytes()
