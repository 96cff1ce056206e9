# SPDX-License-Identifier: GPL-3.0-or-later
"""Strict TOML: every key is asked for by name and type, and every error names its line.

An error is one line, `FILE:LINE: [table] key: what is wrong; valid: what would be right`, raised
as InputError. Files are untrusted: their size, the length of a value and all numbers are bounded.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from rig.errors import InputError, input_error, nearest
from rig.toml.units import TIME, UnitKind
from rig.untrusted import toml_reader

MAX_BYTES = toml_reader.BYTES_MAX
MAX_LINE_CHARACTERS = toml_reader.LINE_MAX
MAX_VALUE_LINES = 16
"""Longest value whose line is looked for; no key needs even two."""
MAX_DEPTH = 8
"""Deepest path whose line is looked for."""
_SYNTAX_VALID = '[table], key = "text", key = 123, key = true, # comment'

TomlPath = tuple[str | int, ...]
"""Keys and array indexes that lead to a value from the top of the file."""

_Number = TypeVar("_Number", int, float)
_TYPE_NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True)
class TomlFile:
    """The text of one file and the name it is known by."""

    text: str
    source: str

    def root(self) -> TomlTable:
        """Parse the text. Raises InputError with the line of a syntax error."""
        self._check_line_lengths()
        try:
            return TomlTable(self, (), tomllib.loads(self.text))
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except RecursionError:
            raise input_error(self.source, None, "", "arrays nested too deeply") from None

    def error(self, path: TomlPath, problem: str, valid: str) -> InputError:
        """The error of the value at `path`, or of the nearest table around it that exists."""
        lines = _line_numbers(self.text)
        known = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in lines), None)
        line = lines[known] if known else None
        return input_error(self.source, line, _place(path), problem, valid)

    def line_of(self, path: TomlPath) -> int | None:
        """Line where the value at `path` begins, from 1."""
        return _line_numbers(self.text).get(path)

    def _check_line_lengths(self) -> None:
        for number, line in enumerate(self.text.split("\n"), start=1):
            if len(line) > MAX_LINE_CHARACTERS:
                problem = f"a line of {len(line)} characters"
                raise input_error(
                    self.source, number, "", problem, f"at most {MAX_LINE_CHARACTERS}"
                )

    def _syntax_error(self, message: str) -> InputError:
        message = message.replace("Cannot overwrite a value", "This key is given twice")
        match = re.fullmatch(r"(.*) \(at line ([0-9]+), column ([0-9]+)\)", message, re.DOTALL)
        if match is None:  # "(at end of document)"
            line = self.text.rstrip("\n").count("\n") + 1
            return input_error(self.source, line, "", f"not TOML: {message}", _SYNTAX_VALID)
        problem = f"not TOML: {match[1]} at column {match[3]}"
        return input_error(self.source, int(match[2]), "", problem, _SYNTAX_VALID)


def read_document(path: Path, source: str | None = None) -> TomlFile:
    """Read a file. Raises InputError if it is missing, no plain file, too large or not UTF-8."""
    name = str(path) if source is None else source
    try:
        if path.exists() and not path.is_file():
            raise input_error(name, None, "", "not a file", "a TOML file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise input_error(name, None, "", "no such file", "the path of a TOML file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise input_error(name, None, "", f"cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise input_error(name, None, "", "too large", f"at most {MAX_BYTES >> 20} MiB")
    try:
        # A byte order mark, as some editors write it, is no part of the text.
        return TomlFile(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise input_error(name, line, "", problem, "text saved as UTF-8") from None


@dataclass(frozen=True)
class TomlTable:
    """One table of a document. Its methods raise InputError for whatever is not as asked."""

    document: TomlFile
    path: TomlPath
    values: Mapping[str, object]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, key: str, problem: str, valid: str) -> InputError:
        return self.document.error((*self.path, key), problem, valid)

    def line_of(self, key: str) -> int | None:
        return self.document.line_of((*self.path, key))

    # --- which keys there may be ------------------------------------------------------------

    def allow_only(self, keys: Sequence[str]) -> None:
        """Refuse any key or table that is not listed."""
        for key, value in self.values.items():
            if key not in keys:
                kind = "table" if isinstance(value, dict | list) else "key"
                problem = f"unknown {kind}{nearest(key, keys)}"
                raise self.error(key, problem, ", ".join(keys))

    def allow_only_for(
        self,
        selector: str,
        parameters: Mapping[str, Sequence[str]],
        common: Sequence[str],
    ) -> str:
        """Read the key that selects a variant; refuse keys that are not that variant's."""
        every = [selector, *common, *(key for keys in parameters.values() for key in keys)]
        self.allow_only(list(dict.fromkeys(every)))
        kind = self.choice(selector, tuple(parameters))
        for key in self.values:
            if key not in (selector, *common, *parameters[kind]):
                owners = [each for each, keys in parameters.items() if key in keys]
                problem = f"belongs to {selector} {', '.join(owners)}, not to {kind}"
                raise self.error(key, problem, ", ".join(parameters[kind]))
        return kind

    # --- values -----------------------------------------------------------------------------

    def text(self, key: str, default: str | None = None, *, pattern: str = "", valid: str) -> str:
        """A string of at most 200 printable characters that matches the whole pattern."""
        value = self._value(key, default, valid)
        if not isinstance(value, str):
            self._wrong_type(key, value, valid)
        if len(value) > 200 or not value.isprintable() or not re.fullmatch(pattern or ".*", value):
            raise self.error(key, f"{_shown(value)} is not allowed", valid)
        return value

    def choice(self, key: str, words: Sequence[str], default: str | None = None) -> str:
        """One of a few words."""
        valid = ", ".join(words)
        value = self._value(key, default, valid)
        if not isinstance(value, str):
            self._wrong_type(key, value, valid)
        if value not in words:
            raise self.error(key, f"unknown {key} {_shown(value)}{nearest(value, words)}", valid)
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """A truth value. Raises InputError."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "not a truth value", "true or false")
        return value

    def integer(
        self, key: str, low: int, high: int, default: int | None = None, *, also: str = ""
    ) -> int:
        """An integer in [low, high]. `also` tells, in an error, what else the caller takes."""
        valid = f"an integer from {low} to {high}{also}"
        value = self._value(key, default, valid)
        if type(value) is not int:
            self._wrong_type(key, value, valid)
        return self._in_range(key, value, low, high, valid)

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        """A finite number in [low, high]."""
        valid = f"a number from {low:g} to {high:g}"
        value = self._value(key, default, valid)
        if type(value) is not int and type(value) is not float:
            self._wrong_type(key, value, valid)
        if math.isnan(value):
            raise self.error(key, "nan is no number", valid)
        return float(self._in_range(key, value, low, high, valid))

    def quantity(
        self, quantity: UnitKind, key: str, low: int, high: int, default: int | None = None
    ) -> int:
        """A string with a unit, as an integer of the quantity's base unit in [low, high]."""
        span = f"{quantity.format(low)} to {quantity.format(high)}"
        valid = f'a {quantity.name} from {span}, such as "{quantity.example}"'
        if key not in self and default is not None:
            return default
        value = self._value(key, None, valid)
        if not isinstance(value, str):
            self._wrong_type(key, value, valid)
        try:
            parsed = quantity.parse(value)
        except ValueError as error:
            valid = f'a number and {quantity.units}, such as "{quantity.example}"'
            raise self.error(key, str(error), valid) from None
        return self._in_range(key, parsed, low, high, valid)

    def time_ps(self, key: str, low_ps: int, high_ps: int, default_ps: int | None = None) -> int:
        """A time as a string with its unit, in picoseconds."""
        return self.quantity(TIME, key, low_ps, high_ps, default_ps)

    # --- tables -----------------------------------------------------------------------------

    def table(self, key: str, *, optional: bool = False) -> TomlTable:
        """A table below this one. An optional one that is absent is empty."""
        path = (*self.path, key)
        value = self.values.get(key, {} if optional else None)
        if value is None:
            raise self.error(key, "table missing", f"a line {_place((*path, ''))}")
        if not isinstance(value, dict):
            self._wrong_type(key, value, f"a line {_place((*path, ''))}")
        return TomlTable(self.document, path, value)

    def tables(self, key: str) -> Iterator[TomlTable]:
        """The tables of an array written as [[key]]; none if it is absent."""
        path = (*self.path, key)
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._wrong_type(key, value, f"a line [{_place((*path, ''))}] before each")
        for index, item in enumerate(value):
            yield TomlTable(self.document, (*path, index), item)

    def _value(self, key: str, default: object, valid: str) -> object:
        value = self.values.get(key, default)
        if value is None:
            raise self.error(key, "missing", valid)
        return value

    def _wrong_type(self, key: str, value: object, valid: str) -> NoReturn:
        kind = _TYPE_NAMES.get(type(value), "a date or time")
        scalar = isinstance(value, str | int | float)
        raise self.error(key, f"{_shown(value)} is {kind}" if scalar else f"is {kind}", valid)

    def _in_range(self, key: str, value: _Number, low: float, high: float, valid: str) -> _Number:
        if not low <= value <= high:
            raise self.error(key, f"{_shown(self.values[key])} is out of range", valid)
        return value


def _shown(value: object) -> str:
    """A value as the file has it, cut to fit a message."""
    if isinstance(value, int) and value.bit_length() > 128:  # str() refuses thousands of digits
        return f"an integer of {value.bit_length()} bits"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = text if len(text) <= 40 else text[:37] + "..."
    return f'"{text}"' if isinstance(value, str) else text


def _place(path: TomlPath) -> str:
    """`[table] key` for a message; arrays of tables are told apart by the line, not an index."""
    *tables, key = (part if isinstance(part, int) else part[:60] for part in path)
    if not tables:
        return str(key)
    name = ".".join(part for part in tables if isinstance(part, str))
    header = f"[[{name}]]" if any(isinstance(part, int) for part in tables) else f"[{name}]"
    return f"{header} {key}".rstrip()


# --- line numbers ------------------------------------------------------------------------------


def _line_numbers(text: str) -> dict[TomlPath, int]:
    """Line of every key and table of a valid document.

    tomllib gives values without positions. But no proper prefix of a TOML statement is a statement
    itself, so tomllib also tells where each statement ends: lines are added until they parse.
    """
    lines: dict[TomlPath, int] = {}
    table: TomlPath = ()
    sizes: dict[TomlPath, int] = {}
    for number, statement, parsed in _statements(text):
        if statement.lstrip().startswith("["):
            table = _enter(parsed, sizes)
            for end in range(1, len(table) + 1):
                lines.setdefault(table[:end], number)
        else:
            for path in _paths(parsed, table):
                lines.setdefault(path, number)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, object]]]:
    """(line, text, value) of each statement up to the first that is too long to follow."""
    pending: list[str] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        pending.append(line)
        statement = "\n".join(pending)
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            if len(pending) == MAX_VALUE_LINES:
                return
            continue
        yield number - len(pending) + 1, statement, parsed
        pending.clear()


def _enter(header: object, sizes: dict[TomlPath, int]) -> TomlPath:
    """Full path of a header's table: `sizes` counts the tables of each array so far."""
    path: TomlPath = ()
    while isinstance(header, dict) and header and len(path) < MAX_DEPTH:
        ((key, header),) = header.items()
        path = (*path, key)
        if isinstance(header, list):
            sizes[path] = sizes.get(path, 0) + 1
            header = header[0]
        if path in sizes:
            path = (*path, sizes[path] - 1)
    return path


def _paths(value: object, path: TomlPath) -> Iterator[TomlPath]:
    """Paths of all that one statement sets, inline tables and arrays included."""
    items: Iterable[tuple[str | int, object]] = ()
    if len(path) >= MAX_DEPTH:
        return
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, below in items:
        yield (*path, key)
        yield from _paths(below, (*path, key))
