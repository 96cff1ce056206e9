# SPDX-License-Identifier: GPL-3.0-or-later
"""All texts of the window that can be translated, found in its source. No Qt.

Qt's own tool for this, lupdate, does not know in which context a function of a module translates,
nor Python's escapes; a text it files in the wrong context is never shown translated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

GUI: Final = Path(__file__).resolve().parent.parent
_NOOP: Final = "QT_TRANSLATE_NOOP"


class TextError(ValueError):
    """A text that cannot be found out from the source."""


@dataclass(frozen=True, order=True)
class Text:
    """One text, as `QCoreApplication.translate` is asked for it."""

    context: str
    source: str
    places: tuple[str, ...] = field(default=(), compare=False)
    """`file:line`, relative to the folder of `gui`."""


def find_texts(folder: Path = GUI) -> list[Text]:
    """Sorted, each once. Raises TextError for a text that is not written out."""
    modules = {_module_name(path, folder): path for path in sorted(folder.rglob("*.py"))}
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    wrappers = {name: dict(_wrappers(tree)) for name, tree in trees.items()}
    places: dict[tuple[str, str], list[str]] = {}
    for name, tree in trees.items():
        known = {**_imported(tree, wrappers), **wrappers[name]}
        shown = str(modules[name].relative_to(folder.parent))
        for context, call, at in _calls(tree, known, ""):
            key = context, _written_out(call, at, shown)
            places.setdefault(key, []).append(f"{shown}:{call.lineno}")
    return [Text(context, source, tuple(at)) for (context, source), at in sorted(places.items())]


def _module_name(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _wrappers(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Functions of one argument that give it to `QCoreApplication.translate`, and the context."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or len(function.args.args) != 1:
            continue
        own = function.args.args[0].arg
        for call in ast.walk(function):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "translate"
                and len(call.args) == 2
                and isinstance(call.args[0], ast.Constant)
                and isinstance(call.args[1], ast.Name)
                and call.args[1].id == own
            ):
                yield function.name, str(call.args[0].value)


def _imported(tree: ast.AST, wrappers: dict[str, dict[str, str]]) -> dict[str, str]:
    return {
        alias.asname or alias.name: wrappers[node.module][alias.name]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in wrappers
        for alias in node.names
        if alias.name in wrappers[node.module]
    }


def _calls(
    node: ast.AST, known: dict[str, str], enclosing: str
) -> Iterator[tuple[str, ast.Call, int]]:
    """Context, call, and which of its arguments is the text."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) else enclosing
        if isinstance(child, ast.Call):
            yield from _told(child, known, enclosing)
        yield from _calls(child, known, inside)


def _told(
    call: ast.Call, known: dict[str, str], enclosing: str
) -> Iterator[tuple[str, ast.Call, int]]:
    """A name in place of a text comes out of a table, where QT_TRANSLATE_NOOP marks it."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="self"), attr="tr"):
            yield enclosing, call, 0
        case ast.Name(id=name) if name in known:
            if call.args and not isinstance(call.args[0], ast.Attribute | ast.Name):
                yield known[name], call, 0
        case ast.Name(id=name) if name == _NOOP:
            yield _context(call), call, 1
        case ast.Attribute(value=ast.Name(id="QCoreApplication"), attr="translate"):
            if not isinstance(call.args[1], ast.Attribute | ast.Name | ast.Call):
                yield _context(call), call, 1


def _context(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return str(first.value) if isinstance(first, ast.Constant) else ""


def _written_out(call: ast.Call, at: int, shown: str) -> str:
    text = call.args[at] if len(call.args) > at else None
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return text.value
    raise TextError(f"{shown}:{call.lineno}: a text to be translated is written out, in one piece")
