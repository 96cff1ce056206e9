# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of a Python file: other comparisons, operators, constants, and statements left out."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.mutant import Mutant

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def python_mutants(root: Path, path: str) -> Iterator[Mutant]:
    """All of one file, in no order."""
    source = (root / path).read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()

    def place(line: int, byte: int) -> int:
        """The tree counts bytes of UTF-8, a text characters."""
        return starts[line - 1] + len(lines[line - 1].encode()[:byte].decode())

    for node, text in _changes(ast.parse(source)):
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or 0, node.end_col_offset or 0)
        yield Mutant(path, start, end, node.lineno, source[start:end], text)


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from _of_statement(statement)


def _of_statement(statement: ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Import):
        return  # functions come by themselves; words of errors are not behavior
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return  # a docstring
    if isinstance(statement, ast.AugAssign) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    ):
        yield statement, "pass"
    annotation = getattr(statement, "annotation", None)
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield from _of_statement(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            for inner in child.body:
                yield from _of_statement(inner)
        elif child is not annotation:
            yield from _of_expression(child)


def _of_expression(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.expr):
        for changed in _changed(node):
            yield node, f"({ast.unparse(changed)})"
    for child in ast.iter_child_nodes(node):
        yield from _of_expression(child)


def _changed(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[i] = _COMPARISONS[type(op)]()
            yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant):
        yield from _other_constant(node.value)


def _other_constant(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float):
        yield ast.Constant(value * 1.5 + 0.25)
    elif value in ("left", "right"):  # the side of numpy's searchsorted
        yield ast.Constant("right" if value == "left" else "left")
