# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documents for engineers name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(
    r"`((?:rig|gui|calibration|firmware|targets|fixtures|tests|benchmarks)/[\w./-]*)`"
)


@pytest.mark.parametrize(
    "name",
    [
        "explanation/architecture",
        "explanation/life-of-a-run",
        "how-to/add-a-stimulus-pattern",
        "how-to/add-an-analyzer",
        "how-to/add-a-stimulus-chip",
    ],
)
def test_each_file_and_folder_that_is_named_is_there(name: str) -> None:
    named = NAMED.findall((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    missing = [path for path in named if not (ROOT / path).exists()]
    assert (missing, bool(named)) == ([], True)


def test_each_package_has_its_row_in_the_architecture() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("rig", "gui", "calibration")
        for path in (ROOT / top).glob("*/__init__.py")
    }
    assert [package for package in sorted(packages) if f"`{package}/" not in text] == []


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{path.name}: {target}"
        for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert broken == []
