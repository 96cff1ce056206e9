# SPDX-License-Identifier: GPL-3.0-or-later
"""No code outside of the measurements' objects asks which measurement or which source it has.

Such a place would have to be found by everyone who adds a measurement. What differs from one to the
other is in a hook of its object, in rig/measurements/.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from rig.event_source import EventSource
from rig.measurements.registry import MEASUREMENTS, details_kinds, source_kinds

ROOT = Path(__file__).parents[2]
PACKAGES = ("rig", "gui", "calibration")
OWN = ("rig/measurements/",)
"""Where it may be asked."""
SOURCES = {kind.__name__ for each in source_kinds() for kind in each.__mro__} - {
    kind.__name__ for kind in EventSource.__mro__
}
DETAIL_KINDS = {kind.__name__ for kind in details_kinds()}
OBJECTS = {"MeasuredByTarget", *(type(each).__name__ for each in MEASUREMENTS.values())}
KINDS = SOURCES | DETAIL_KINDS | OBJECTS
PROPERTIES = {"is_self_measured"}
"""Of settings: each of them is another way to ask."""


def test_no_place_asks_for_the_kind_of_measurement() -> None:
    found = [f"{path}:{line}: {text}" for path, tree in _trees() for line, text in _sites(tree)]
    assert found == []


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            path = file.relative_to(ROOT).as_posix()
            if not path.startswith(OWN):
                yield path, ast.parse(file.read_text())


def _sites(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each place."""
    for node in ast.walk(tree):
        if _asks(node):
            yield node.lineno, ast.unparse(node)[:60]  # type: ignore[attr-defined]


def _asks(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, kinds]):
            return bool(_names(kinds) & KINDS)
        case ast.MatchClass(cls=kind):
            return bool(_names(kind) & KINDS)
        case ast.Compare(left=left, comparators=others):
            sides = (left, *others)
            by_type = any(_names(side) & KINDS for side in sides)
            return by_type or (any(map(_is_measurement, sides)) and any(map(_is_name, sides)))
        case ast.Dict(keys=keys):
            return any(isinstance(key, ast.Name) and key.id in KINDS for key in keys)
        case ast.Attribute(attr=name):
            return name in PROPERTIES
    return False


def _names(node: ast.AST) -> set[str]:
    """Of types: `Train`, `Train | Schedule`, `(Train, Schedule)`, `Train()`."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_measurement(node: ast.AST) -> bool:
    """`plan.measurement` and the like."""
    return isinstance(node, ast.Attribute) and node.attr == "measurement"


def _is_name(node: ast.AST) -> bool:
    """Something that one or several measurements are told by."""
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(map(_is_name, parts))
        case ast.Name(id=name):
            return name.isupper()
        case ast.Attribute(value=ast.Name(id=owner), attr="name"):
            return owner in OBJECTS
    return False
