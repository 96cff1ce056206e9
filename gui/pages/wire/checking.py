# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a text is a fixture, in the words of the command line, and where not. No widgets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rig.config.fixture import Fixture, parse_fixture
from rig.errors import InputError, input_error
from rig.toml.reader import MAX_BYTES, TomlFile


@dataclass(frozen=True)
class Checked:
    """What became of a text."""

    fixture: Fixture | None
    """None if the text is not a fixture."""
    message: str = ""
    """The line that `rig` prints of it; "" if it is a fixture."""
    line: int | None = None
    """Line of the error, from 1; None if it belongs to the file as a whole."""
    wire_lines: tuple[int, ...] = ()
    """Line of each wire's table, in the fixture's order."""

    def wire_at(self, line: int) -> int | None:
        """The wire whose table this line belongs to."""
        found = None
        if self.fixture is not None:
            headers = _headers(self.fixture.text)
            header = max((at for at in headers if at <= line), default=None)
            found = None if header is None else _index(self.wire_lines, header)
        return found


def check_text(text: str, source: str) -> Checked:
    """Read it as a fixture; `source` is the name used in the message."""
    try:
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            raise input_error(source, None, "", "too large", f"at most {MAX_BYTES >> 20} MiB")
        fixture = parse_fixture(text, source)
    except InputError as error:
        message = str(error)
        return Checked(None, message, _line_of(message, source))
    document = TomlFile(text, source)
    lines = (document.line_of(("wire", at)) for at in range(len(fixture.wires)))
    return Checked(fixture, wire_lines=tuple(line or 0 for line in lines))


def _line_of(message: str, source: str) -> int | None:
    """`SOURCE:LINE: ...`; the message shows unprintable characters of the source escaped."""
    rest = message.removeprefix(str(InputError(source)))
    found = re.match(r":([0-9]+): ", rest)
    return int(found[1]) if found and rest != message else None


def _headers(text: str) -> list[int]:
    """Lines that open a table. Values of a fixture are of one line, so none looks like it."""
    lines = text.split("\n")
    return [at for at, line in enumerate(lines, 1) if line.lstrip().startswith("[")]


def _index(lines: tuple[int, ...], line: int) -> int | None:
    return lines.index(line) if line in lines else None
