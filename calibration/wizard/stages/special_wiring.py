# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages for steps that want wires of their own: wire, check the wires, measure; or skip."""

from __future__ import annotations

from functools import partial

from calibration.diagram import rewired_svg, rewired_text
from calibration.record_store import keep_record
from calibration.rewired.check import check_rewired
from calibration.rewired.rewired import Rewired, rewired_for
from calibration.rewired.virtual_jumpers import rewired_bench
from calibration.settings import CalibrationSettings, parse_channel
from calibration.steps import STEPS, Step
from calibration.wizard.bench import boards_of, fixture_of, is_virtual
from calibration.wizard.question import AnswerOption, Question
from calibration.wizard.report import StageReport, of_outcome
from calibration.wizard.session import opened
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.calibration.file import load_calibration
from rig.config.calibration.names import LINE_STEP, LOOPBACK_STEP, SKEW_STEP
from rig.config.calibration.paths import calibration_path
from rig.config.calibration.record import Calibration, CalibrationRecord
from rig.config.fixture import RESPONSE, STIMULUS, Fixture
from rig.config.virtual.bench import VirtualGuest

MEASURE, SKIP = "measure", "skip"
FAR, LINE, NONE = "far-channel", "line", "none"
DOES = {
    LINE_STEP: "Sends some thousand pulses through a wire or level shifter that is clipped to the "
    "analyzer at both ends, and compares the ends. The channels' own skew is taken off if it was "
    "measured.",
}
"""What happens, by step, where the step's own words speak of the command line."""
WHY = {
    SKEW_STEP: "A channel that shows edges later than the others makes every latency wrong by as "
    "much; the sequence bits' channels are compared, too.",
    LOOPBACK_STEP: "It holds channels and wires in one, and runs use it in place of channel skew "
    "and line delay. It tells besides how late the microcontroller captures.",
    LINE_STEP: "Worth it if a level shifter or a long wire stays between target and analyzer, and "
    "there was no loopback through it. A run wants it of both wires: measure the answer's, come "
    "back to this page, measure the stimulus's.",
}
"""Who needs the step, by step."""


def is_wanted(state: WizardState, name: str) -> bool:
    """Return whether the step of this name is to be measured."""
    if name == LINE_STEP:
        return state.answer(FAR, NONE) != NONE
    return state.answer(name, _first_choice(state)) != SKIP


def explain(step: Step, state: WizardState) -> tuple[str, ...]:
    hand = "Skip it if you do not need it: the calibration then says that it was not measured."
    if _has_guest(state):
        hand = "A guest in QEMU has no wires that could be changed: skip it."
    elif is_virtual(state):
        hand = "The virtual bench changes its wires by itself. " + hand
    return (DOES.get(step.name, step.does), WHY[step.name], hand)


def questions(step: Step, state: WizardState) -> tuple[Question, ...]:
    if step.name == LINE_STEP:
        return _line_questions(state)
    choices = (
        AnswerOption(MEASURE, "look at the wires and measure"),
        AnswerOption(SKIP, "skip this step"),
    )
    text = "Wire it as drawn, then"
    asked = Question(step.name, text, _first_choice(state), choices, unattended=SKIP)
    if step.name != SKEW_STEP or not is_wanted(state, SKEW_STEP):
        return (asked,)
    hint = f"{NONE}; or the channel that is to measure a wire's delay later, such as D5"
    return (asked, Question(FAR, "A free channel besides", NONE, hint=hint))


def _line_questions(state: WizardState) -> tuple[Question, ...]:
    hint = f"{NONE}: skip it; or a channel such as D5"
    far = Question(FAR, "Free channel at the target's end of the wire", NONE, hint=hint)
    if state.answer(FAR, NONE) == NONE:
        return (far,)
    choices = (AnswerOption(RESPONSE, "the answer's"), AnswerOption(STIMULUS, "the stimulus's"))
    return (far, Question(LINE, "Whose wire it is", RESPONSE, choices))


def settings_of(state: WizardState, skew: CalibrationRecord | None = None) -> CalibrationSettings:
    """Return the settings of the steps. Raises InputError."""
    far = state.answer(FAR, NONE)
    return CalibrationSettings(
        far_channel=None if far == NONE else parse_channel(FAR, far),
        signal=state.answer(LINE, RESPONSE),
        skew=skew,
    )


def rewired_of(state: WizardState, name: str) -> Rewired | None:
    """Return the step's wires; None if it is skipped. Raises InputError."""
    if not is_wanted(state, name):
        return None
    return rewired_for(name, fixture_of(state), settings_of(state))


def svg(step: Step, state: WizardState) -> str:
    rewired = rewired_of(state, step.name)
    if rewired is None:
        return ""
    return rewired_svg(*boards_of(state), fixture_of(state), rewired, step.title)


def lines(step: Step, state: WizardState) -> tuple[str, ...]:
    rewired = rewired_of(state, step.name)
    if rewired is None:
        return ()
    return rewired_text(*boards_of(state), fixture_of(state), rewired)


def check(step: Step, state: WizardState) -> None:
    rewired_of(state, step.name)


def work(step: Step, job: StageContext) -> StageReport:
    """Check the wires, then measure with them if they are as they should be."""
    fixture = job.fixture
    path = calibration_path(fixture)
    skew = load_calibration(path).newest(SKEW_STEP) if path.exists() else None
    settings = settings_of(job.state, skew)
    rewired = rewired_for(step.name, fixture, settings)
    with opened(job, rewired_bench(fixture, rewired), settings) as context:
        job.progress("looking at the wires")
        found = check_rewired(context, rewired, job.progress)
        if found:
            return StageReport(("The wires are not as drawn; nothing was measured.",), found)
        job.progress("wired as drawn")
        outcome = step.run(context, job.progress)
    keep_record(path, fixture.name, outcome.record)
    return of_outcome(outcome, f"The wires are as drawn. {step.title}")


def _first_choice(state: WizardState) -> str:
    return SKIP if _has_guest(state) else MEASURE


def _has_guest(state: WizardState) -> bool:
    virtual = _fixture(state).virtual if is_virtual(state) else None
    return virtual is not None and isinstance(virtual.target, VirtualGuest)


def _fixture(state: WizardState) -> Fixture:
    return fixture_of(state)


def _stage(name: str) -> Stage:
    step = STEPS[name]
    return Stage(
        name,
        step.title,
        partial(explain, step),
        partial(questions, step),
        partial(check, step),
        partial(work, step),
        partial(_wants_work, name),
        does="Look at the wires, measure",
        svg=partial(svg, step),
        lines=partial(lines, step),
    )


def _wants_work(name: str, state: WizardState) -> bool:
    return is_wanted(state, name)


STAGES = tuple(_stage(name) for name in (SKEW_STEP, LOOPBACK_STEP, LINE_STEP))
NAMES = tuple(stage.name for stage in STAGES)


def were_changed(state: WizardState) -> bool:
    """Return whether the wires may be other ones than a measurement's."""
    return any(name in state.done or is_asked_for(state, name) for name in NAMES)


def is_asked_for(state: WizardState, name: str) -> bool:
    """Return whether the step was asked for by an answer, not by what is proposed."""
    return (FAR if name == LINE_STEP else name) in state.answers and is_wanted(state, name)


def skipped(known: Calibration) -> tuple[str, ...]:
    """Return which steps with wires of their own were not measured, in words."""
    return tuple(filter(None, (_skipped(name, known.newest(name)) for name in NAMES)))


def _skipped(name: str, record: CalibrationRecord | None) -> str:
    """Return what was not measured of one step; of a wire's delay, a run needs both wires."""
    what = f"{STEPS[name].title} ({name})"
    if record is None or not record.quantities:
        return f"{what}: not measured, left out"
    if name != LINE_STEP:
        return ""
    there = {each.subject.partition(" ")[0] for each in record.quantities}
    missing = " and ".join(each for each in (STIMULUS, RESPONSE) if each not in there)
    return f"{what}: not measured of {missing}" if missing else ""


__all__ = ["NAMES", "STAGES", "is_wanted", "skipped", "were_changed"]
