# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways in which `rig calibrate --new` gets its answers: typed, piped, or all from a file."""

from __future__ import annotations

import signal
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from calibration.wizard.question import Question
from calibration.wizard.stages import KEYS
from rig.cli.streams import say, say_lines
from rig.errors import InputError, nearest
from rig.untrusted.toml_reader import BYTES_MAX, toml_table

LINE_MAX = 4096
WIDTH = 96
BACK, QUIT = "b", "q"
_ALWAYS = f"{BACK} back, {QUIT} leave"


class BackError(Exception):
    """The user asks for the stage before."""


class LeaveError(Exception):
    """The user leaves; all that was answered is kept."""


class Asker(Protocol):
    """The source of answers. All methods but `refused` raise BackError and LeaveError."""

    attended: bool
    """Whether somebody is there who can do things by hand."""

    def ask(self, question: Question, default: str) -> str:
        """Return an answer, not checked yet."""
        ...

    def choose(self, text: str, ways: Mapping[str, str], default: str, /) -> str:
        """Return the letter of one of several ways on."""
        ...

    def pause(self, text: str) -> None:
        """Wait until the user has done something by hand."""
        ...

    def refused(self, error: InputError) -> None:
        """Ask again after a wrong answer, or raise the error."""
        ...


class Terminal:
    """Answers from standard input, one a line, typed or piped."""

    attended = True

    def ask(self, question: Question, default: str) -> str:
        if question.choices and any(choice.label for choice in question.choices):
            width = max(len(choice.value) for choice in question.choices)
            for choice in question.choices:
                say(f"    {choice.value:<{width}}  {choice.label}")
        elif question.choices:
            wrapped(", ".join(choice.value for choice in question.choices), "    ")
        if question.hint:
            wrapped(f"{'or ' if question.choices else ''}{question.hint}", "    ")
        return self._line(f"  {question.text} [{default}]: ")

    def choose(self, text: str, ways: Mapping[str, str], default: str, /) -> str:
        words = ", ".join(f"{letter} {way}" for letter, way in ways.items())
        prompt = f"  {text} ({words}, {_ALWAYS}) [{default}]: "
        while True:
            answer = self._line(prompt).lower() or default
            if answer in ways:
                return answer
            say(f"  no such choice; valid: {words}, {_ALWAYS}")

    def pause(self, text: str) -> None:
        self._line(f"  {text} ({_ALWAYS}): ")

    def refused(self, error: InputError) -> None:
        say(f"  {error}")

    def _line(self, prompt: str) -> str:
        say(prompt, end="", flush=True)
        line = _typed()
        if not sys.stdin.isatty():
            say(line.strip())
        if not line:
            raise LeaveError
        answer = line.strip()
        if answer.lower() == QUIT:
            raise LeaveError
        if answer.lower() == BACK:
            raise BackError
        return answer


def _typed() -> str:
    """Return a line, or "" at the end of the input.

    Ctrl-C raises LeaveError, whatever else it does while an instrument works.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline(LINE_MAX)
    except KeyboardInterrupt:
        raise LeaveError from None
    finally:
        signal.signal(signal.SIGINT, before)


class Answers:
    """Answers from a file; a question that it does not answer gets its default."""

    attended = False

    def __init__(self, path: Path) -> None:
        """Raises InputError."""
        self._path = path
        self._answers = _read(path)

    def ask(self, question: Question, default: str) -> str:
        answer = self._answers.get(question.key, question.unattended or default)
        say(f"  {question.text}: {answer}")
        return answer

    def choose(self, _text: str, _ways: Mapping[str, str], _default: str, /) -> str:
        """Raise LeaveError: nobody is there to mend a fault."""
        raise LeaveError

    def pause(self, text: str) -> None:
        """Go on at once: all is done by hand already."""

    def refused(self, error: InputError) -> None:
        raise InputError(f"{self._path}: {error}")


def _read(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            found = toml_table(file.read(BYTES_MAX + 1))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(
            f"{path}: no TOML ({error}); mend the file, "
            "docs/how-to/calibrate-a-bench.md has an example"
        ) from None
    for key, answer in found.items():
        if key not in KEYS:
            raise InputError(f"{path}: {key}: no question has this name{nearest(key, KEYS)}; "
                             f"valid: {', '.join(KEYS)}")  # fmt: skip
        if not isinstance(answer, str | int) or isinstance(answer, bool):
            raise InputError(f'{path}: {key}: no text; valid: {key} = "..."')
    return {key: str(answer) for key, answer in found.items()}


def wrapped(text: str, indent: str = "  ") -> None:
    """Print a paragraph."""
    say_lines(textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent))


def paragraphs(texts: Sequence[str]) -> None:
    """Print paragraphs, one below the other."""
    for text in texts:
        wrapped(text)
