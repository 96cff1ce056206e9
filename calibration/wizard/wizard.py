# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard itself: its stage and the next; every change is in its file at once."""

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
"""The stages whose answers make the fixture."""


class Wizard:
    """The wizard of one new bench. All methods raise InputError; the state is as before then."""

    def __init__(self, place: WizardPaths, state: WizardState) -> None:
        if state.stage not in STAGES or any(key not in KEYS for key in state.answers):
            raise InputError(f"{place.state}: of another version of the rig; move it away")
        self.place, self.state = place, state
        self.is_saved = False
        """All is where the user wants it, and nothing is left to be kept."""

    @classmethod
    def begun(cls, place: WizardPaths, name: str) -> Wizard:
        """Return a new wizard, or the one that was begun there."""
        if place.state.exists():
            return cls(place, read_state(place.state))
        check_name(name)
        wizard = cls(place, WizardState(name, _ORDER[0]))
        wizard._keep(wizard.state)
        return wizard

    @property
    def stage(self) -> Stage:
        """The stage that the wizard is at."""
        return STAGES[self.state.stage]

    @property
    def number(self) -> int:
        """The number of the stage, from 1."""
        return _ORDER.index(self.state.stage) + 1

    def default_of(self, question: Question) -> str:
        """Return what was answered last time, else what most people answer."""
        return self.state.answer(question.key, question.default)

    def answer(self, question: Question, text: str) -> None:
        """Keep an answer; `forward` checks whether it goes with the others."""
        self._keep(self.state.with_answer(question.key, question.checked(text)))

    def give(self, key: str, text: str) -> None:
        """Keep the answer to a question that was not asked yet: its default from now on."""
        self._keep(self.state.with_answer(key, Question(key, key).checked(text)))

    def check(self) -> None:
        """Check that the stage's answers go together; write the fixture if they complete it."""
        for question in self.stage.questions(self.state):
            question.checked(self.state.answer(question.key, question.default))
        self.stage.check(self.state)
        if self.stage.name in _BENCH_STAGES:
            self._settle_fixture()
        elif self.stage.name == CALIBRATE:
            self._settle_wires()

    def forward(self) -> None:
        """Go to the next stage, or stay at the last one."""
        was_done = self.stage.name in self.state.done
        self.check()
        if was_done and self.stage.name not in self.state.done:
            raise InputError(f"{self.stage.title}: it was done with other wires; do it again")
        at = min(self.number, len(_ORDER) - 1)
        self._keep(replace(self.state, stage=_ORDER[at]))

    def back(self) -> None:
        """Go to the stage before."""
        self._keep(replace(self.state, stage=_ORDER[max(0, self.number - 2)]))

    def go_to(self, stage: str) -> None:
        """Go to a stage that was reached before."""
        self._keep(replace(self.state, stage=stage))

    def record(self, report: StageReport) -> None:
        """Keep that the stage's work is done, and what came of it."""
        done = self.state.with_done(self.stage.name, summary(report.findings))
        if self.stage.name in special_wiring.NAMES:
            # Wherever the wires are now: they are to be put back once more.
            done = done.without_done(wires_back.NAME)
        self._keep(replace(done, run=report.run or done.run))
        if self.stage is SAVE and report.passed:
            self.is_saved = True
            self.place.clear()

    def wires_left(self) -> tuple[str, ...]:
        """Return the signals whose wires were not found sound yet."""
        signals = (ends.signal for ends in wires_of(self.state))
        return tuple(signal for signal in signals if signal not in self.state.checked)

    def wire_is_sound(self, signal: str) -> None:
        """Keep that a wire was looked at, and nothing is wrong with it."""
        checked = tuple(dict.fromkeys((*self.state.checked, signal)))
        self._keep(replace(self.state, checked=checked))

    def connected(self, faults: tuple[str, ...] = ()) -> None:
        """Keep that all wires were gone through, and the faults that are left.

        If nothing is wrong with them but their places, the next stage asks about these.
        """
        state, found = self.state, detected_wiring.read(self.place.as_found)
        if found or not detected_wiring.channels_of(state):
            state = replace(detected_wiring.without(state), as_found=found)
        self._keep(state.with_done(CONNECT, faults))

    def _settle_fixture(self) -> None:
        """Write the fixture; drop what was found if it was another bench's."""
        if self._is_settled(text_of(self.state)):
            return
        state = detected_wiring.without(self.state)
        text = text_of(state)
        self._write_fixture(text)
        self._keep(replace(state, fixture=text, done={}, checked=(), run=""))

    def _settle_wires(self) -> None:
        """Write the fixture with the wires as found, or without; the target is the same."""
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
    """Check the name of a bench. Raises InputError."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise InputError(f'"{name[:80]}": no name of a bench; valid: {NAME_VALID}')
