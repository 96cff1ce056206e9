# SPDX-License-Identifier: GPL-3.0-or-later
"""A question of the wizard, and the answers that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from rig.errors import InputError, nearest

ANSWER_MAX = 400
"""Characters of an answer."""


@dataclass(frozen=True)
class AnswerOption:
    """One answer of several."""

    value: str
    label: str


@dataclass(frozen=True)
class Question:
    """One thing to be decided. Raises InputError for what is no answer."""

    key: str
    """Name of its answer, in the wizard's state and in a file of answers."""
    text: str
    default: str = ""
    choices: tuple[AnswerOption, ...] = ()
    """The only answers; none: any text."""
    hint: str = ""
    """What a valid answer looks like, or how to find it out."""
    others: bool = False
    """Answers other than the choices are valid, too."""
    unattended: str = ""
    """Default where nobody is there to do something by hand; "" if that is no other one."""

    def checked(self, answer: str) -> str:
        """The answer as it is kept: without spaces around it, the default if it is empty."""
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
        """In a few words."""
        values = ", ".join(choice.value for choice in self.choices)
        if values and self.others:
            return f"{values}, or {self.hint}"
        return values or self.hint or "a line of text"
