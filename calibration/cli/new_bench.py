# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig calibrate --new [NAME]`: the wizard for a new board, on a terminal."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable

from calibration.cli.prompts import (
    Answers,
    Asker,
    BackError,
    LeaveError,
    Terminal,
    paragraphs,
    wrapped,
)
from calibration.cli.wizard_services import RigWizardServices
from calibration.context import StoppedError
from calibration.findings import Finding
from calibration.wizard import StageReport, Wizard, detected_wiring
from calibration.wizard.bench import wires_of
from calibration.wizard.paths import WizardPaths, place_of, unfinished
from calibration.wizard.question import Question
from calibration.wizard.report import summary
from calibration.wizard.stages import STAGES, StageContext
from calibration.wizard.stages.connect import STAGE as CONNECT
from calibration.wizard.stages.connect import open_wires
from calibration.wizard.stages.save import STAGE as SAVE
from calibration.wizard.wizard import check_name
from rig.cli.cancellation import interruptible
from rig.cli.streams import say, say_lines
from rig.errors import InputError, RigError
from rig.shell_words import quoted

OK, UNFINISHED = 0, 1
FIRST_NAME = "bench"
AGAIN, ON = "a", "g"
_DO_AGAIN = {AGAIN: "again", ON: "go on as it is"}


def command(options: argparse.Namespace) -> int:
    """Go through the stages; 0 if all is saved, 1 if it was left before. Raises RigError."""
    if options.steps:
        raise InputError("--new takes no steps; it asks for them")
    asker: Asker = Answers(options.answers) if options.answers else Terminal()
    try:
        wizard = _wizard(options, asker)
    except (BackError, LeaveError):
        return UNFINISHED
    shown = f"--state {quoted(options.state)}" if options.state else wizard.state.name
    try:
        while not _Stage(wizard, asker).done():
            pass
    except LeaveError:
        say()
        say(f"Left at: {wizard.stage.title}. To go on: rig calibrate --new {shown}")
        return UNFINISHED
    return OK


def _wizard(options: argparse.Namespace, asker: Asker) -> Wizard:
    """Return the wizard that is named, or the only one that was begun, or a new one."""
    name: str = options.new
    if options.state is not None:
        return Wizard.begun(WizardPaths(options.state), name or FIRST_NAME)
    begun = unfinished()
    if not name and len(begun) > 1:
        raise InputError(f"several benches were begun; say which: --new {' or '.join(begun)}")
    if not name and begun:
        name = begun[0]
    question = Question("name", "Name of the new bench", FIRST_NAME)
    while not name:
        try:
            name = question.checked(asker.ask(question, FIRST_NAME))
            check_name(name)
        except InputError as error:
            asker.refused(error)
            name = ""
    check_name(name)
    return Wizard.begun(place_of(name), name)


class _Stage:
    """One visit to the stage that the wizard stands at."""

    def __init__(self, wizard: Wizard, asker: Asker) -> None:
        self._wizard, self._asker = wizard, asker

    def done(self) -> bool:
        """Go through the stage and on, or back; return whether it was the last one."""
        wizard = self._wizard
        stage = wizard.stage
        say_lines(f"\n{wizard.number}/{len(STAGES)}  {stage.title}", flush=True)
        try:
            paragraphs(stage.explain(wizard.state))
            drawn = self._draw(())
            self._ask()
            if self._draw(drawn) not in ((), drawn):
                self._asker.pause("Enter when it is wired as drawn")
            if stage is CONNECT:
                _Wires(wizard, self._asker).connect()
            elif stage.work is not None:
                if stage.wants_work(wizard.state):
                    self._hands()
                    self._work()
            elif stage.pause:
                self._asker.pause("Enter goes on")
        except BackError:
            wizard.back()
            return False
        if stage is SAVE:
            return True
        wizard.forward()
        return False

    def _draw(self, shown: tuple[str, ...]) -> tuple[str, ...]:
        """Show what is to be wired unless that is `shown` already; return its lines."""
        lines = self._wizard.stage.lines(self._wizard.state)
        if lines and lines != shown:
            say_lines("\n".join(("", *(f"    {line}" for line in lines), "")), flush=True)
        return lines

    def _hands(self) -> None:
        """Wait until the user has done by hand what comes before the work."""
        if self._wizard.stage.pause:
            self._asker.pause("Enter when that is done")

    def _ask(self) -> None:
        """Ask until the answers go together."""
        while True:
            try:
                self._ask_all()
                self._wizard.check()
            except InputError as error:
                self._asker.refused(error)
            else:
                return

    def _ask_all(self) -> None:
        wizard, asked = self._wizard, set()
        while True:
            # What was answered may bring up other questions.
            left = [q for q in wizard.stage.questions(wizard.state) if q.key not in asked]
            if not left:
                return
            question = left[0]
            self._ask_one(question)
            asked.add(question.key)

    def _ask_one(self, question: Question) -> None:
        while True:
            default = self._wizard.default_of(question)
            answer = self._asker.ask(question, default) or default
            try:
                self._wizard.answer(question, answer)
            except InputError as error:
                self._asker.refused(error)
            else:
                return

    def _work(self) -> None:
        """Do the work until it finds no faults, or the user goes on all the same."""
        work = self._wizard.stage.work
        while work is not None:
            try:
                with interruptible() as stop:
                    report = work(_job(self._wizard, stop))
            except StoppedError:
                raise LeaveError from None
            except RigError as error:
                self._failed(error)
                continue
            show(report)
            self._wizard.record(report)
            if report.passed or self._asker.choose("Mend it, then?", _DO_AGAIN, AGAIN) == ON:
                return

    def _failed(self, error: RigError) -> None:
        """Show why the work failed and ask again: it cannot be passed over."""
        if not self._asker.attended:
            raise error
        say(f"  {error}")
        self._asker.choose("Mend it, then?", {AGAIN: "again"}, AGAIN)
        self._ask()


class _Wires:
    """The stage in which wires are connected, one after the other."""

    def __init__(self, wizard: Wizard, asker: Asker) -> None:
        self._wizard, self._asker = wizard, asker

    def connect(self) -> None:
        """Check the wires until each is sound, or the user goes on all the same."""
        while True:
            try:
                with interruptible() as stop, open_wires(_job(self._wizard, stop)) as wires:
                    faults = self._all(wires.check)
            except StoppedError:
                raise LeaveError from None
            except RigError as error:
                if not self._asker.attended:
                    raise
                say(f"  {error}")
                self._asker.choose("Mend it, then?", {AGAIN: "again"}, AGAIN)
            else:
                self._wizard.connected(faults)
                if faults and not self._asker.attended:
                    self._follow()
                return

    def _follow(self) -> None:
        """Let the fixture follow the wires as found, since nobody can mend them.

        Raises LeaveError if it cannot.
        """
        for question in detected_wiring.questions(self._wizard.state):
            answer = self._asker.ask(question, self._wizard.default_of(question))
            self._wizard.answer(question, answer)
        if not detected_wiring.channels_of(self._wizard.state):
            raise LeaveError

    def _all(self, check: Callable[[str], tuple[Finding, ...]]) -> tuple[str, ...]:
        faults: list[str] = []
        left = self._wizard.wires_left()
        for ends in wires_of(self._wizard.state):
            say(f"  {ends.signal}: {ends.text}")
            if ends.signal not in left:
                say("    sound")
                continue
            found = self._one(ends.signal, check)
            faults += summary(found)
        return tuple(faults)

    def _one(self, signal: str, check: Callable[[str], tuple[Finding, ...]]) -> tuple[Finding, ...]:
        """Check one wire until it is sound; return the findings that the user leaves as such."""
        self._asker.pause("Enter when it is connected")
        while True:
            found = check(signal)
            show(StageReport((), found), "    ")
            if not summary(found):
                say("    sound", flush=True)
                self._wizard.wire_is_sound(signal)
                return ()
            if not self._asker.attended:
                return found
            if self._asker.choose("Look again?", _DO_AGAIN, AGAIN) == ON:
                return found


def show(report: StageReport, indent: str = "  ") -> None:
    """Print the report's lines, and each finding with what to do."""
    for line in report.lines:
        say(f"{indent}{line}")
    for finding in report.findings:
        say(f"{indent}{'FAULT' if finding.fault else 'note '}  {finding.text}")
        if finding.remedy:
            wrapped(finding.remedy, f"{indent}       ")
    sys.stdout.flush()


def _job(wizard: Wizard, stop: threading.Event) -> StageContext:
    return StageContext(wizard.state, wizard.place, RigWizardServices(), _tell, stop)


def _tell(text: str) -> None:
    say(f"    {text}", error=True, flush=True)
