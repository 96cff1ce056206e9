# SPDX-License-Identifier: GPL-3.0-or-later
"""No module imports itself by way of others, not even for its types or when a function is called.

import-linter checks layers of packages; a circle within one, which an import under TYPE_CHECKING or
inside a function hides from it and from Python, still means that neither file can be read alone.
"""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rig", "gui", "calibration")


def modules() -> dict[str, Path]:
    """Every module's file, by its name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """Modules that this file names in any of its imports, wherever they stand."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                names.add(below if below in known else str(node.module))
    return names & known.keys()


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports."""
    known = modules()
    return {name: imported(path, known) - {name} for name, path in known.items()}


def siblings(name: str, other: str) -> tuple[str, str]:
    """Of both names as much as they do not share, and one word more."""
    mine, its = name.split("."), other.split(".")
    shared = next((at for at, (a, b) in enumerate(zip(mine, its, strict=False)) if a != b), 0)
    return ".".join(mine[: shared + 1]), ".".join(its[: shared + 1])


def check_acyclic(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise AssertionError(f"a circle: {circle}") from None


def test_no_module_imports_itself_by_way_of_others():
    graph = imports()
    assert sum(map(len, graph.values())) > 1000
    check_acyclic(graph)


def test_no_package_imports_a_sibling_that_imports_it():
    """Of two folders side by side one is below the other."""
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}
    graph: dict[str, set[str]] = {}
    for name, found in imports().items():
        for other in found:
            mine, its = siblings(name, other)
            if mine != its and {mine, its} <= packages:
                graph.setdefault(mine, set()).add(its)
    check_acyclic(graph)
