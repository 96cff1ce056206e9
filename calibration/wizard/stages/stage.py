# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage of the wizard: what it says, what it asks, what it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from calibration.context import Progress
from calibration.wizard.paths import WizardPaths
from calibration.wizard.question import Question
from calibration.wizard.report import StageReport
from calibration.wizard.services import WizardServices
from calibration.wizard.state import WizardState
from rig.config.fixture import Fixture, load_fixture


@dataclass(frozen=True)
class StageContext:
    """What a stage's work is done with."""

    state: WizardState
    place: WizardPaths
    tools: WizardServices
    progress: Progress = lambda _text: None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def fixture(self) -> Fixture:
        """As it was written when the last question about it was answered. Raises InputError."""
        return load_fixture(str(self.place.fixture))


def _no_questions(_state: WizardState) -> tuple[Question, ...]:
    return ()


def _always(_state: WizardState) -> bool:
    return True


def _no_lines(_state: WizardState) -> tuple[str, ...]:
    return ()


def _no_check(_state: WizardState) -> None:
    """Nothing to be wrong."""


@dataclass(frozen=True)
class Stage:
    """One page of the wizard."""

    name: str
    title: str
    explain: Callable[[WizardState], tuple[str, ...]]
    """Paragraphs."""
    questions: Callable[[WizardState], tuple[Question, ...]] = _no_questions
    """May depend on answers given before, also in this stage."""
    check: Callable[[WizardState], None] = _no_check
    """Raises InputError if the answers do not go together."""
    work: Callable[[StageContext], StageReport] | None = None
    """Raises RigError. Can be done again at any time."""
    wants_work: Callable[[WizardState], bool] = _always
    """If not, there is nothing to be done with these answers."""
    does: str = ""
    """What the work is called on a button."""
    svg: Callable[[WizardState], str] | None = None
    """What is to be wired, as a picture; "" if nothing is to be. Raises InputError."""
    lines: Callable[[WizardState], tuple[str, ...]] = _no_lines
    """The same for a terminal, in even columns. Raises InputError."""
    pause: bool = False
    """The user does something by hand before it goes on."""
