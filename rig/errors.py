# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors a user can meet: each one line that says what, where, what is valid, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from rig.printable import printable


class RigError(Exception):
    """Base of every error that is reported to the user as one line, without a traceback."""

    exit_code = 3

    def __init__(self, message: str = "") -> None:
        """Escape the message: it stays one line and moves no cursor, whatever a peer put in it."""
        super().__init__(printable(message))


class InputError(RigError):
    """A plan, fixture, run file or option is wrong. Nothing was started, nothing was written."""

    exit_code = 2


class BenchError(RigError):
    """An instrument or the target failed. What had been measured until then is kept."""

    exit_code = 3


class RefusedError(BenchError):
    """The target cannot measure what was asked; nothing was measured."""

    exit_code = 6


def input_error(
    source: str, line: int | None, place: str, problem: str, valid: str = ""
) -> InputError:
    """Return the error for something at this place of a file."""
    where = source if line is None else f"{source}:{line}"
    message = f"{where}: {place + ': ' if place else ''}{problem}"
    if valid:
        message += f"; valid: {valid}"
    return InputError(message)


def nearest(word: str, words: Iterable[str]) -> str:
    """Return ` (did you mean X?)` for the word most like this one, or nothing."""
    match = difflib.get_close_matches(word[:80], list(words), n=1)
    return f" (did you mean {match[0]}?)" if match else ""
