# SPDX-License-Identifier: GPL-3.0-or-later
"""The first line of a docstring is a clause that says what the thing is or does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("rig", "gui", "calibration")
PREPOSITIONS = (
    "And", "As", "At", "By", "For", "From", "If", "In", "Into", "It", "None", "Of", "On", "Only",
    "Or", "So", "Such", "Through", "To", "Until", "When", "With", "Without",
)  # fmt: skip
"""A docstring that begins so has its subject left out."""
QUESTIONS = ("How", "What", "Where", "Whether", "Which", "Who", "Why")
"""A function's docstring cannot begin so: it says what the function does, as `Return ...`."""
AS_ATTRIBUTES = ("property", "cached_property")


def fragments(text: str) -> Iterator[str]:
    """Yield the names of what has a docstring that begins without its subject or verb."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        docstring = ast.get_docstring(node)
        if docstring and begins_badly(node, docstring):
            yield f"{getattr(node, 'name', 'module')}: {docstring.splitlines()[0]}"


def begins_badly(node: ast.AST, docstring: str) -> bool:
    """Tell whether the first word cannot begin a clause about this node."""
    wrong = PREPOSITIONS
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_attribute(node):
        wrong += QUESTIONS
    return bool(re.match(rf"({'|'.join(wrong)})\b", docstring))


def _is_attribute(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(each).split(".")[-1] in AS_ATTRIBUTES for each in node.decorator_list)


def test_docstrings_begin_with_a_clause() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {each}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for each in fragments(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_fragments_are_found() -> None:
    text = '''"""Edges."""
class A:
    """Of a capture."""
    @property
    def b(self):
        """Whether it ended."""
    def c(self):
        """Whether it ended."""
    def d(self):
        """Return what was read."""
'''
    assert list(fragments(text)) == ["A: Of a capture.", "c: Whether it ended."]
