# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage of the wizard: its explanation, its questions, its work."""

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
    """The context of a stage's work."""

    state: WizardState
    place: WizardPaths
    tools: WizardServices
    progress: Progress = lambda _text: None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def fixture(self) -> Fixture:
        """The fixture as of the last answer about it. Raises InputError."""
        return load_fixture(str(self.place.fixture))


def _no_questions(_state: WizardState) -> tuple[Question, ...]:
    return ()


def _always(_state: WizardState) -> bool:
    return True


def _no_lines(_state: WizardState) -> tuple[str, ...]:
    return ()


def _no_check(_state: WizardState) -> None:
    """Accept all answers."""


@dataclass(frozen=True)
class Stage:
    """A page of the wizard."""

    name: str
    title: str
    explain: Callable[[WizardState], tuple[str, ...]]
    """The paragraphs that explain the stage."""
    questions: Callable[[WizardState], tuple[Question, ...]] = _no_questions
    """The questions; they may depend on answers given before, also in this stage."""
    check: Callable[[WizardState], None] = _no_check
    """The check that the answers go together; raises InputError."""
    work: Callable[[StageContext], StageReport] | None = None
    """The work, which can be done again at any time; raises RigError."""
    wants_work: Callable[[WizardState], bool] = _always
    """Whether there is anything to be done with these answers."""
    does: str = ""
    """The name of the work on a button."""
    svg: Callable[[WizardState], str] | None = None
    """A picture of what is to be wired; "" if nothing is to be. Raises InputError."""
    lines: Callable[[WizardState], tuple[str, ...]] = _no_lines
    """The same for a terminal, in even columns. Raises InputError."""
    pause: bool = False
    """Whether the user does something by hand before it goes on."""
