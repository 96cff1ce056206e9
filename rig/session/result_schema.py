# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of what `--json` prints of a run, made of the classes that it is made of.

`python -m rig.session.result_schema` prints it; docs/reference/results.schema.json holds it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from rig.analysis.measurements.evaluation import Evaluation
from rig.printable import json_text
from rig.session.result_document import FORMAT, LAYOUT, ResultHeader
from rig.untrusted.decode import KIND, Length, NullIs, NumberRange, OneOf, declared_fields

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Final[dict[Any, str]] = {
    int: "integer", float: "number", str: "string", bool: "boolean", types.NoneType: "null"
}  # fmt: skip


def result_schema() -> Schema:
    """Return the schema of the document that `--json` prints of one run."""
    schemas = _Schemas()
    header, evaluation = (schemas.of_class(kind) for kind in (ResultHeader, Evaluation))
    properties = {**header["properties"], **evaluation["properties"]}
    properties["format"] = {"const": FORMAT}
    return {
        "$schema": DIALECT,
        "title": "A run's result, as rig prints it with --json",
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
        "$defs": dict(sorted(schemas.definitions.items())),
    }


class _Schemas:
    """The schema of a class, and definitions of those that it refers to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of_class(self, kind: type) -> Schema:
        """Return an object with a property for each field that is written."""
        told = _field_docs(kind)
        properties: dict[str, Schema] = {}
        if kind in LAYOUT.tags:
            properties[KIND] = {"const": LAYOUT.tags[kind]}
        for name, (hint, _) in declared_fields(kind).items():
            if name not in LAYOUT.omitted_of(kind):
                properties[name] = self._of(hint) | told.get(name, {})
        for name in LAYOUT.derived_of(kind):
            member = inspect.getattr_static(kind, name)
            properties[name] = self._of(get_type_hints(member.fget)["return"]) | _said(member)
        return {
            "type": "object",
            **_said(kind),
            "properties": properties,
            "required": sorted(properties),
            "additionalProperties": False,
        }

    def _of(self, hint: Any) -> Schema:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return _bounded(self._of(arguments[0]), arguments[1:])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, types.UnionType):
            kinds = [kind for each in arguments for kind in LAYOUT.kinds_of(each)]
            return _any_of([self._of(kind) for kind in kinds])
        if origin is tuple:
            if arguments[1:] == (...,):
                return {"type": "array", "items": self._of(arguments[0])}
            return {"type": "array", "prefixItems": [self._of(each) for each in arguments]}
        return self._single(hint, origin, arguments)

    def _single(self, hint: Any, origin: Any, arguments: tuple[Any, ...]) -> Schema:
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self._of(arguments[1])}
        if is_dataclass(hint):
            return self._reference(cast("type", hint))
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        return {"type": _PLAIN[hint]}

    def _reference(self, kind: type) -> Schema:
        name = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # it may refer to itself
            self.definitions[name] = self.of_class(kind)
        return {"$ref": f"#/$defs/{name}"}


def _bounded(schema: Schema, bounds: tuple[Any, ...]) -> Schema:
    for bound in bounds:
        match bound:
            case NumberRange():
                schema |= {"minimum": bound.least, "maximum": bound.most}
            case Length():
                schema |= {"maxLength" if schema["type"] == "string" else "maxItems": bound.most}
            case OneOf():
                schema = {"enum": list(bound.values)}
            case NullIs():
                schema = {"type": [schema["type"], "null"]}
    return schema


def _any_of(schemas: list[Schema]) -> Schema:
    """Return plain types as one list of names."""
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}


def _said(documented: object) -> Schema:
    """Return the first line of a docstring as a description."""
    text = inspect.getdoc(documented) or ""
    return {"description": " ".join(text.partition("\n\n")[0].split())} if text else {}


@cache
def _field_docs(kind: type) -> dict[str, Schema]:
    """Return the docstring of each field of a class, by the field's name."""
    found: dict[str, Schema] = {}
    for base in reversed(kind.__mro__[:-1]):
        (body,) = ast.parse(dedent(inspect.getsource(base))).body
        statements = cast("ast.ClassDef", body).body
        for field, text in pairwise(statements):
            match field, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(value=str() as words)
                ):
                    found[name] = {"description": " ".join(words.split())}
    return found


if __name__ == "__main__":
    sys.stdout.write(json_text(result_schema(), indent=1) + "\n")
