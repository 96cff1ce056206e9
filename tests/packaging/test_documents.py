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
LINK = re.compile(r"\]\(([^()\s]+)\)")
NAMED_DOCUMENT = re.compile(r"(?<![\w./-])docs/[\w/-]+(?:\.(?:md|json))?")
DOCUMENTS = sorted(
    {*ROOT.glob("*.md")}.union(
        *((ROOT / top).rglob("*.md") for top in ("docs", "firmware", "targets", "fixtures"))
    )
)
"""Every document of the checkout."""


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("architecture", None),
        ("life-of-a-run", None),
        ("how-to/add-a-measurement", "memory[_-]copy"),
        ("how-to/add-an-external-measurement", "rate[_-]sweep"),
        ("how-to/add-a-statistic", None),
        ("how-to/add-a-stimulus-pattern", None),
        ("how-to/add-an-analyzer", None),
        ("how-to/add-a-stimulus-chip", "atmega1284p"),
        ("how-to/add-an-operating-system", "c11|agent/build"),
        ("how-to/add-a-page", None),
    ],
)
def test_each_file_and_folder_that_is_named_is_there(name: str, new: str | None) -> None:
    """But for those that the guide adds, in whose names there is this."""
    named = NAMED.findall((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    missing = [path for path in named if not (ROOT / path).exists()]
    added = [path for path in missing if new and re.search(new, path)]
    assert (missing, bool(named)) == (added, True)


def test_each_package_has_its_row_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("rig", "gui", "calibration")
        for path in (ROOT / top).glob("*/__init__.py")
    }
    assert [package for package in sorted(packages) if f"`{package}/" not in text] == []


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in DOCUMENTS
        for target in LINK.findall(_without_code(path.read_text(encoding="utf-8")))
        if not target.startswith(("http://", "https://", "mailto:")) and not _leads(path, target)
    ]
    assert broken == []


def test_documents_that_are_named_anywhere_are_there() -> None:
    """In messages and comments, too: whoever moves a document has to say so there."""
    missing = [
        f"{path.relative_to(ROOT)}: {named}"
        for path in _texts()
        for named in NAMED_DOCUMENT.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / named).exists() and not list(ROOT.glob(f"{named}*"))
    ]
    assert missing == []


def test_each_document_has_its_line_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = {(ROOT / "docs" / target).resolve() for target in LINK.findall(index)}
    unlisted = [
        path.relative_to(ROOT).as_posix()
        for kind in ("tutorial", "how-to", "explanation", "reference")
        for path in sorted((ROOT / "docs" / kind).iterdir())
        if path.resolve() not in linked
    ]
    assert unlisted == []


def _leads(document: Path, target: str) -> bool:
    """Whether a link of a document leads to a file, and to a heading of it if it names one."""
    name, _, anchor = target.partition("#")
    path = (document.parent / name) if name else document
    return path.exists() and (not anchor or anchor in _anchors(path))


def _anchors(document: Path) -> set[str]:
    """The names that GitHub gives to the headings of a document."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    anchors: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        again = 1
        while (anchor if again == 1 else f"{anchor}-{again - 1}") in anchors:
            again += 1
        anchors.add(anchor if again == 1 else f"{anchor}-{again - 1}")
    return anchors


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)


def _texts() -> list[Path]:
    """Files of the checkout that a person reads, without what was built or measured."""
    return [
        path
        for top in ("rig", "gui", "calibration", "firmware", "targets", "fixtures", "tests", "docs")
        for path in (ROOT / top).rglob("*")
        if path.suffix in (".py", ".md", ".toml", ".c", ".h", ".html", ".ts")
        and not {"build", "golden"} & set(path.relative_to(ROOT).parts)
    ] + [ROOT / name for name in ("README.md", "CHANGELOG.md", "setup.py", "pyproject.toml")]
