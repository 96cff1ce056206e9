# SPDX-License-Identifier: GPL-3.0-or-later
"""A question of the wizard, and the answers that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from rig.errors import InputError, nearest

ANSWER_MAX = 400
"""The most characters of an answer."""


@dataclass(frozen=True)
class AnswerOption:
    """One of several answers."""

    value: str
    label: str


@dataclass(frozen=True)
class Question:
    """A thing to be decided. Raises InputError for what is no answer."""

    key: str
    """The name of its answer, in the wizard's state and in a file of answers."""
    text: str
    default: str = ""
    choices: tuple[AnswerOption, ...] = ()
    """The only answers; (): any text."""
    hint: str = ""
    """What a valid answer looks like, or how to find it out."""
    others: bool = False
    """Whether answers other than the choices are valid, too."""
    unattended: str = ""
    """The default where nobody can do something by hand; "" if it is no other one."""

    def checked(self, answer: str) -> str:
        """Return the answer as it is kept: stripped, the default if it is empty."""
        answer = answer.strip() or self.default
        if len(answer) > ANSWER_MAX or not answer.isprintable():
            raise InputError(
                f"{self.key}: not one line of at most {ANSWER_MAX} characters; valid: {self.valid}"
            )
        values = [choice.value for choice in self.choices]
        if self.choices and not self.others and answer not in values:
            near = nearest(answer, values)
            raise InputError(f'{self.key}: no such choice as "{answer}"{near}; valid: {self.valid}')
        return answer

    @property
    def valid(self) -> str:
        """The valid answers in a few words."""
        values = ", ".join(choice.value for choice in self.choices)
        if values and self.others:
            return f"{values}, or {self.hint}"
        return values or self.hint or "a line of text"
