# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard itself: where it stands, what it goes to next; every change is in its file at once."""

from __future__ import annotations

import re
from dataclasses import replace

from calibration.wizard import detected_wiring
from calibration.wizard.bench import text_of, wires_of
from calibration.wizard.paths import WizardPaths
from calibration.wizard.question import Question
from calibration.wizard.report import StageReport, summary
from calibration.wizard.stages import KEYS, STAGES, Stage, special_wiring, wires_back
from calibration.wizard.stages.calibrate import STAGE as CALIBRATE_STAGE
from calibration.wizard.stages.connect import NAME as CONNECT
from calibration.wizard.stages.save import STAGE as SAVE
from calibration.wizard.state import WizardState, read_state, state_text, write_whole
from rig.config.plan import NAME_PATTERN, NAME_VALID
from rig.errors import InputError

_ORDER = tuple(STAGES)
CALIBRATE = CALIBRATE_STAGE.name
_BEFORE_WIRES = _ORDER[: _ORDER.index(CONNECT)]
_BENCH_STAGES = ("board", "access")
"""Their answers make the fixture."""


class Wizard:
    """One new bench. All methods raise InputError; the state is as before then."""

    def __init__(self, place: WizardPaths, state: WizardState) -> None:
        if state.stage not in STAGES or any(key not in KEYS for key in state.answers):
            raise InputError(f"{place.state}: of another version of the rig; move it away")
        self.place, self.state = place, state
        self.is_saved = False
        """All is where the user wants it, and nothing is left to be kept."""

    @classmethod
    def begun(cls, place: WizardPaths, name: str) -> Wizard:
        """A new one, or the one that was begun there."""
        if place.state.exists():
            return cls(place, read_state(place.state))
        check_name(name)
        wizard = cls(place, WizardState(name, _ORDER[0]))
        wizard._keep(wizard.state)
        return wizard

    @property
    def stage(self) -> Stage:
        """The one it stands at."""
        return STAGES[self.state.stage]

    @property
    def number(self) -> int:
        """Of the stage, from 1."""
        return _ORDER.index(self.state.stage) + 1

    def default_of(self, question: Question) -> str:
        """What was answered last time, else what most people answer."""
        return self.state.answer(question.key, question.default)

    def answer(self, question: Question, text: str) -> None:
        """Keep an answer; whether it goes with the others is for `forward` to say."""
        self._keep(self.state.with_answer(question.key, question.checked(text)))

    def give(self, key: str, text: str) -> None:
        """An answer to a question that was not asked yet: its default from now on."""
        self._keep(self.state.with_answer(key, Question(key, key).checked(text)))

    def check(self) -> None:
        """The stage's answers go together; the fixture is written if they complete it."""
        for question in self.stage.questions(self.state):
            question.checked(self.state.answer(question.key, question.default))
        self.stage.check(self.state)
        if self.stage.name in _BENCH_STAGES:
            self._settle_fixture()
        elif self.stage.name == CALIBRATE:
            self._settle_wires()

    def forward(self) -> None:
        """To the next stage. At the last one it stays."""
        was_done = self.stage.name in self.state.done
        self.check()
        if was_done and self.stage.name not in self.state.done:
            raise InputError(f"{self.stage.title}: it was done with other wires; do it again")
        at = min(self.number, len(_ORDER) - 1)
        self._keep(replace(self.state, stage=_ORDER[at]))

    def back(self) -> None:
        """To the stage before."""
        self._keep(replace(self.state, stage=_ORDER[max(0, self.number - 2)]))

    def go_to(self, stage: str) -> None:
        """A stage that was reached before."""
        self._keep(replace(self.state, stage=stage))

    def record(self, report: StageReport) -> None:
        """The stage's work is done, and this came of it."""
        done = self.state.with_done(self.stage.name, summary(report.findings))
        if self.stage.name in special_wiring.NAMES:
            # Wherever the wires are now: they are to be put back once more.
            done = done.without_done(wires_back.NAME)
        self._keep(replace(done, run=report.run or done.run))
        if self.stage is SAVE and report.passed:
            self.is_saved = True
            self.place.clear()

    def wires_left(self) -> tuple[str, ...]:
        """Signals whose wires were not found sound yet."""
        signals = (ends.signal for ends in wires_of(self.state))
        return tuple(signal for signal in signals if signal not in self.state.checked)

    def wire_is_sound(self, signal: str) -> None:
        """It was looked at, and nothing is wrong with it."""
        checked = tuple(dict.fromkeys((*self.state.checked, signal)))
        self._keep(replace(self.state, checked=checked))

    def connected(self, faults: tuple[str, ...] = ()) -> None:
        """All wires were gone through; these faults are left.

        If nothing is wrong with them but their places, the next stage asks about these.
        """
        state, found = self.state, detected_wiring.read(self.place.as_found)
        if found or not detected_wiring.channels_of(state):
            state = replace(detected_wiring.without(state), as_found=found)
        self._keep(state.with_done(CONNECT, faults))

    def _settle_fixture(self) -> None:
        """What was found of another bench does not hold for this one."""
        if self._is_settled(text_of(self.state)):
            return
        state = detected_wiring.without(self.state)
        text = text_of(state)
        self._write_fixture(text)
        self._keep(replace(state, fixture=text, done={}, checked=(), run=""))

    def _settle_wires(self) -> None:
        """The wires as found are taken, or not any more; the target is the same."""
        text = text_of(self.state)
        if self._is_settled(text):
            return
        taken = detected_wiring.channels_of(self.state)
        done = {name: faults for name, faults in self.state.done.items() if name in _BEFORE_WIRES}
        done[CONNECT] = () if taken else ("the wires are on other channels than the fixture's",)
        self._write_fixture(text)
        self._keep(replace(self.state, fixture=text, done=done, checked=tuple(taken), run=""))

    def _is_settled(self, text: str) -> bool:
        return text == self.state.fixture and self.place.fixture.exists()

    def _write_fixture(self, text: str) -> None:
        write_whole(self.place.fixture, text)
        if self.place.calibration.exists():
            self.place.calibration.replace(self.place.outdated)

    def _keep(self, state: WizardState) -> None:
        if not self.is_saved:
            write_whole(self.place.state, state_text(state))
        self.state = state


def check_name(name: str) -> None:
    """Raises InputError."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise InputError(f'"{name[:80]}": no name of a bench; valid: {NAME_VALID}')
