# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of JSON as the dataclasses that declare them: every field with its type and its range.

A field's type says what is valid; `Annotated[int, Range(1, 10)]` narrows it. No other place checks
the type or the range of a stored value. What several fields say of each other a dataclass checks in
its __post_init__, which raises ValueError. Why no library: docs/decisions/0030.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from rig.untrusted.json_reader import found

T = TypeVar("T")

TEXT_MAX: Final = 100_000
"""The most characters of a text whose type has no bound."""
ITEMS_MAX: Final = 200_000
"""The most items of a list or a table whose type has no bound."""


@dataclass(frozen=True)
class NumberRange:
    """A number within [least, most]."""

    least: float
    most: float


@dataclass(frozen=True)
class Length:
    """A text, list or table of at most so many characters or items."""

    most: int


@dataclass(frozen=True)
class OneOf:
    """One of these values."""

    values: tuple[str | int, ...]


@dataclass(frozen=True)
class NullIs:
    """A number that is not finite, which JSON cannot hold: null stands for this one."""

    value: float


@dataclass(frozen=True)
class Layout:
    """The layout of dataclasses as JSON where that is not field by field."""

    tags: Mapping[type, str] = field(default_factory=dict)
    """The value of key `kind` for a class that is in a union, or whose base is there."""
    derived: Mapping[type, tuple[str, ...]] = field(default_factory=dict)
    """The properties that are written for others, and passed over when they are read."""
    omitted: Mapping[type, tuple[str, ...]] = field(default_factory=dict)
    """The fields that are not written; each has a default."""

    def kinds_of(self, hint: Any) -> list[Any]:
        """Return the classes of a hint: for the base of classes that have tags, these."""
        if not isinstance(hint, type) or hint in self.tags:
            return [hint]
        return [kind for kind in self.tags if issubclass(kind, hint)] or [hint]

    def derived_of(self, kind: type) -> tuple[str, ...]:
        """Return the derived properties of one class."""
        return self.derived.get(kind, ())

    def omitted_of(self, kind: type) -> tuple[str, ...]:
        """Return the omitted fields of one class."""
        return self.omitted.get(kind, ())


KIND: Final = "kind"
FIELD_BY_FIELD: Final = Layout()


class WrongValueError(ValueError):
    """A stored value that is not as declared: where, what was found, what is valid."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}" if place else problem)


def decoded(
    kind: type[T],
    stored: object,
    *,
    ignore_unknown: bool = False,
    layout: Layout = FIELD_BY_FIELD,
) -> T:
    """`stored`, as JSON has it, as a value of the dataclass `kind`.

    Values that are of the declared type already are taken as they are. `ignore_unknown`: keys that
    the dataclass does not have are left out, as of a newer version that says more.
    Raises WrongValueError: one line with the place below `stored`, what was found, what is valid.
    """
    return cast("T", _Decoder(ignore_unknown, layout).value(kind, stored, ""))


class _Decoder:
    def __init__(self, ignore_unknown: bool, layout: Layout) -> None:
        self._ignore_unknown, self._layout = ignore_unknown, layout

    def value(self, hint: Any, stored: object, place: str, bounds: tuple[Any, ...] = ()) -> Any:
        """Decode `stored` as the type has it, within the bounds."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.value(arguments[0], stored, place, (*bounds, *arguments[1:]))
        if origin is Literal:
            return self.value(str, stored, place, (OneOf(arguments),))
        if origin in (Union, types.UnionType):
            return self._optional(arguments, stored, place, bounds)
        if origin is tuple:
            return self._tuple(arguments, stored, place, bounds)
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(arguments[1], stored, place, bounds)
        return self._single(hint, stored, place, bounds)

    def _single(self, hint: Any, stored: object, place: str, bounds: tuple[Any, ...]) -> Any:
        """Decode a value whose type has no parameters."""
        if hint in (Any, object):
            return stored
        if isinstance(hint, type) and type(stored) is hint and not isinstance(stored, _PLAIN):
            return stored
        if is_dataclass(hint):
            return self._dataclass(cast("type", hint), stored, place)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _member(hint, stored, place)
        return _plain(hint, stored, place, bounds)

    def _optional(
        self, hints: tuple[Any, ...], stored: object, place: str, bounds: tuple[Any, ...]
    ) -> Any:
        if stored is None and types.NoneType in hints:
            return None
        given = [hint for hint in hints if hint is not types.NoneType]
        kinds = [kind for hint in given for kind in self._layout.kinds_of(hint)]
        if all(kind in self._layout.tags for kind in kinds):
            return self._tagged(kinds, stored, place)
        for kind in kinds[:-1]:
            try:
                return self.value(kind, stored, place, bounds)
            except WrongValueError:
                continue
        return self.value(kinds[-1], stored, place, bounds)

    def _tagged(self, kinds: list[type], stored: object, place: str) -> Any:
        if not isinstance(stored, Mapping):
            raise _wrong(place, stored, "an object")
        by_tag = {self._layout.tags[kind]: kind for kind in kinds}
        tag = stored.get(KIND)
        if not isinstance(tag, str) or tag not in by_tag:
            raise _wrong(_below(place, KIND), tag, ", ".join(by_tag))
        return self._dataclass(by_tag[tag], stored, place)

    def _tuple(
        self, hints: tuple[Any, ...], stored: object, place: str, bounds: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        if not isinstance(stored, list | tuple):
            raise _wrong(place, stored, "a list")
        _check_length(stored, place, "items", bounds, ITEMS_MAX)
        if hints[1:] == (...,):
            hints = hints[:1] * len(stored)
        elif len(hints) != len(stored):
            raise _wrong(place, stored, f"a list of {len(hints)}")
        return tuple(
            self.value(hint, each, f"{place}[{number}]")
            for number, (hint, each) in enumerate(zip(hints, stored, strict=True))
        )

    def _mapping(
        self, hint: Any, stored: object, place: str, bounds: tuple[Any, ...]
    ) -> dict[str, Any]:
        if not isinstance(stored, Mapping):
            raise _wrong(place, stored, "an object")
        _check_length(stored, place, "keys", bounds, ITEMS_MAX)
        return {key: self.value(hint, each, _below(place, key)) for key, each in stored.items()}

    def _dataclass(self, kind: type, stored: object, place: str) -> Any:
        if not isinstance(stored, Mapping):
            raise _wrong(place, stored, "an object")
        omitted = self._layout.omitted_of(kind)
        known = declared_fields(kind)
        declared = {name: each for name, each in known.items() if name not in omitted}
        if not self._ignore_unknown:
            self._check_keys(kind, stored, declared, place)
        values = {}
        for name, (hint, needed) in declared.items():
            if name in stored:
                values[name] = self.value(hint, stored[name], _below(place, name))
            elif needed:
                raise WrongValueError(_below(place, name), "missing")
        try:
            return kind(**values)
        except WrongValueError:
            raise
        except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            raise WrongValueError(place, str(error)[:400]) from None

    def _check_keys(
        self, kind: type, stored: Mapping[str, Any], declared: Mapping[str, Any], place: str
    ) -> None:
        """Check the keys. Raises WrongValueError for one that is not declared."""
        tag = (KIND,) if kind in self._layout.tags else ()
        passed_over = {*self._layout.derived_of(kind), *tag}
        for key in stored:
            if key not in declared and key not in passed_over:
                valid = ", ".join(declared)
                raise WrongValueError(_below(place, key), f"is not known; valid: {valid}")


_PLAIN: Final = (int, float, str, dict, list, tuple)


@cache
def declared_fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """Return the type of each field by name, and whether it must be there."""
    hints = get_type_hints(kind, include_extras=True)
    each_field: tuple[Field[Any], ...] = fields(kind)
    return {
        each.name: (
            hints[each.name],
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in each_field
        if each.init
    }


def _member(kind: type[Enum], stored: object, place: str) -> Enum:
    values = {member.value: member for member in kind}
    if isinstance(stored, str | int) and not isinstance(stored, bool) and stored in values:
        return values[stored]
    raise _wrong(place, stored, ", ".join(str(value) for value in values))


def _plain(hint: Any, stored: object, place: str, bounds: tuple[Any, ...]) -> Any:
    if stored is None and (instead := [b.value for b in bounds if isinstance(b, NullIs)]):
        return instead[0]
    if hint is float and type(stored) is int:
        stored = _as_float(stored, place)
    for bound in bounds:
        if isinstance(bound, OneOf) and not (
            type(stored) is hint and cast("str | int", stored) in bound.values
        ):
            raise _wrong(place, stored, ", ".join(map(str, bound.values)))
    if type(stored) is not hint:
        name = _NAMES.get(hint) or str(getattr(hint, "__name__", hint))
        raise _wrong(place, stored, _span(name, bounds))
    if isinstance(stored, str):
        _check_length(stored, place, "characters", bounds, TEXT_MAX)
    elif isinstance(stored, float) and not math.isfinite(stored):
        raise _wrong(place, stored, _span("a number", bounds))
    for bound in bounds:
        if (
            isinstance(bound, NumberRange)
            and not bound.least <= cast("float", stored) <= bound.most
        ):
            raise _wrong(place, stored, _span(_NAMES[hint], bounds))
    return stored


_NAMES: Final[dict[Any, str]] = {
    int: "an integer", float: "a number", str: "a text", bool: "true or false"
}  # fmt: skip


def _as_float(stored: int, place: str) -> float:
    try:
        return float(stored)
    except OverflowError:
        raise _wrong(place, stored, "a number") from None


def _span(name: str, bounds: tuple[Any, ...]) -> str:
    """Return what is valid, in words."""
    limits = [
        f" from {_number(b.least)} to {_number(b.most)}" for b in bounds if type(b) is NumberRange
    ]
    return name + "".join(limits)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def _check_length(stored: Any, place: str, what: str, bounds: tuple[Any, ...], most: int) -> None:
    limit = min([bound.most for bound in bounds if isinstance(bound, Length)], default=most)
    if len(stored) > limit:
        raise WrongValueError(place, f"{len(stored):,} {what}; valid: at most {limit:,}")


def _wrong(place: str, stored: object, valid: str) -> WrongValueError:
    return WrongValueError(place, f"{found(stored)} found; valid: {valid}")


def _below(place: str, key: str) -> str:
    name = key if key.isidentifier() and len(key) <= _KEY_SHOWN else ascii(key[:_KEY_SHOWN])
    return f"{place}.{name}" if place else name


_KEY_SHOWN: Final = 60
