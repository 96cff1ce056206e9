# SPDX-License-Identifier: GPL-3.0-or-later
"""A class name means one thing in the whole product."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("rig", "gui", "calibration")


def places_of_classes(root: Path) -> dict[str, list[str]]:
    """Return the modules that define a public class of each name."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(root)))
    return found


def test_no_class_name_is_used_twice() -> None:
    found = places_of_classes(ROOT)
    assert len(found) > 500
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert not twice, f"each needs a name of its own: {twice}"


def test_a_second_class_of_a_name_is_found(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "file.py").write_text("class _Own: ...\nclass Bench: ...\n")
    assert places_of_classes(tmp_path) == {"Bench": [f"{name}/file.py" for name in PACKAGES]}
