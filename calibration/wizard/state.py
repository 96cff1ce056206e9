# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a wizard, and its file: small, written after each stage, read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from calibration.wizard.question import ANSWER_MAX
from rig.config.plan import NAME_PATTERN
from rig.errors import InputError
from rig.files import replace_atomically
from rig.untrusted.json_reader import json_value

FORMAT = 1
BYTES_MAX = 1 << 18
_MANY = 100
_KEY = "[a-z][a-z0-9-]{0,39}"
_FIELDS = ("format", "name", "stage", "answers", "done", "checked", "fixture", "run", "as_found")


@dataclass(frozen=True)
class WizardState:
    """The state of one wizard. Immutable; `with_...` make the next one."""

    name: str
    """The name of the bench, and of its fixture."""
    stage: str
    """The stage at which the wizard goes on."""
    answers: Mapping[str, str] = field(default_factory=dict)
    done: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The stages whose work is done, each with the faults that it found, one line each."""
    checked: tuple[str, ...] = ()
    """The signals whose wires were found sound while they were connected."""
    fixture: str = ""
    """The text of the fixture that `done` is about."""
    run: str = ""
    """The file of the first measurement."""
    as_found: tuple[str, ...] = ()
    """`response=D2`: where each wire arrives, if some are on others' channels and all are sound."""

    def answer(self, key: str, default: str = "") -> str:
        """Return the answer to a question."""
        return self.answers.get(key, default)

    def with_answer(self, key: str, answer: str) -> WizardState:
        """Return the state with another answer."""
        return replace(self, answers={**self.answers, key: answer})

    def with_done(self, stage: str, faults: tuple[str, ...]) -> WizardState:
        """Return the state with a stage's work done."""
        return replace(self, done={**self.done, stage: faults})

    def without_done(self, stage: str) -> WizardState:
        """Return the state with a stage's work to be done again."""
        return replace(self, done={key: self.done[key] for key in self.done if key != stage})

    def __post_init__(self) -> None:
        for name in ("answers", "done"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


def state_text(state: WizardState) -> str:
    """Return the state as the text of a file."""
    fields = {"format": FORMAT, **{name: getattr(state, name) for name in _FIELDS[1:]}}
    fields |= {"answers": dict(state.answers), "done": dict(state.done)}
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def parse_state(text: str, source: str) -> WizardState:
    """Return the state from a file's text. Raises InputError: one line."""
    try:
        fields = json_value(text)
        return _state(fields)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{source}: no state of a wizard ({error}); name another file with --state, or move "
            "this one away to begin anew"
        ) from None


def _state(fields: Any) -> WizardState:
    if isinstance(fields, dict):
        fields = {"as_found": [], **fields}  # states of older versions have none
    if not isinstance(fields, dict) or set(fields) != set(_FIELDS):
        raise ValueError("other keys than those of a state")
    if fields["format"] != FORMAT or type(fields["format"]) is not int:
        raise ValueError(f"format is not {FORMAT}")
    for name in ("name", "stage", "fixture", "run"):
        if not isinstance(fields[name], str):
            raise ValueError(f"{name} is no text")
    if not re.fullmatch(NAME_PATTERN, fields["name"]):
        raise ValueError("name is no name of a fixture")
    answers, done = (_table(name, fields[name]) for name in ("answers", "done"))
    for key, answer in answers.items():
        if not isinstance(answer, str) or len(answer) > ANSWER_MAX or not answer.isprintable():
            raise ValueError(f"answer to {key} is not one line of text")
    return WizardState(
        name=fields["name"],
        stage=fields["stage"],
        answers=answers,
        done={key: _texts(f"done {key}", texts) for key, texts in done.items()},
        checked=_texts("checked", fields["checked"]),
        fixture=fields["fixture"],
        run=fields["run"],
        as_found=_texts("as_found", fields["as_found"]),
    )


def _table(what: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict) or len(table) > _MANY:
        raise ValueError(f"{what} is no table")
    if not all(re.fullmatch(_KEY, key) for key in table):
        raise ValueError(f"{what} has a key that is none of the wizard's")
    return table


def _texts(what: str, texts: Any) -> tuple[str, ...]:
    if not isinstance(texts, list) or len(texts) > _MANY:
        raise ValueError(f"{what} is no list of texts")
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise ValueError(f"{what} is no list of lines")
    return tuple(texts)


def read_state(path: Path) -> WizardState:
    """Read a state from its file. Raises InputError."""
    try:
        if path.stat().st_size > BYTES_MAX:
            raise InputError(f"{path}: too long for a wizard's state; name another with --state")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: no text; name another file with --state") from None
    return parse_state(text, str(path))


def write_whole(path: Path, text: str) -> None:
    """Write the whole file, or keep the one that was there. Raises InputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_atomically(path) as new:
            new.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); name another file with --state"
        ) from None
