# SPDX-License-Identifier: GPL-3.0-or-later
"""Sixth stage: the steps of the calibration that the connections of a measurement serve."""

from __future__ import annotations

from functools import partial

from calibration.context import Progress
from calibration.record_store import keep_record
from calibration.rewired.rewired import require_free
from calibration.rewired.virtual_jumpers import bench_with_pps
from calibration.runner import ALL, chosen, run_steps
from calibration.settings import (
    COUNTER_VALID,
    SECONDS_MAX,
    SECONDS_MIN,
    CalibrationSettings,
    CounterReading,
    parse_channel,
    parse_counter,
)
from calibration.steps import STEPS, Step
from calibration.wizard import detected_wiring
from calibration.wizard.bench import fixture_of
from calibration.wizard.question import Question
from calibration.wizard.report import StageReport, of_outcome
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.calibration.paths import calibration_path
from rig.errors import InputError

SECONDS = 60
PPS, COUNTER, NONE = "pps", "frequency-counter", "none"


def explain(state: WizardState) -> tuple[str, ...]:
    apart = ", ".join(step.name for step in STEPS.values() if step.apart)
    return (
        *detected_wiring.explain(state),
        "What the bench itself adds to a latency is measured once and taken off every run.",
        "The connections of a measurement serve these steps: "
        f"{', '.join(f'{step.title} ({step.name})' for step in chosen(()))}. Those that want "
        f"wires of their own come next, one by one, and each can be skipped: {apart}.",
        "Two clocks that differ do not tell which is wrong. A GPS receiver's pulse a second on a "
        "free channel does, or a frequency counter at the microcontroller's clock; without either "
        "the analyzer's own error stays unknown.",
        "`rig calibrate --list` says what each does and what to connect.",
    )


def questions(state: WizardState) -> tuple[Question, ...]:
    names = ", ".join(step.name for step in chosen(()))
    return (
        *detected_wiring.questions(state),
        Question("steps", "Steps", ALL, hint=f"{ALL}, or some of: {names}"),
        Question("seconds", "Seconds that clocks are watched", str(SECONDS),
                 hint=f"{SECONDS_MIN} to {SECONDS_MAX}; longer is more accurate"),
        Question(PPS, "Channel of a GPS receiver's pulse a second", NONE,
                 hint=f"{NONE}, or a free channel such as D7"),
        Question(COUNTER, "Frequency counter's reading of the microcontroller's clock", NONE,
                 hint=f"{NONE}, or {COUNTER_VALID}"),
    )  # fmt: skip


def steps_of(state: WizardState) -> tuple[Step, ...]:
    """Return the steps asked for. Raises InputError."""
    steps = chosen(state.answer("steps", ALL).replace(",", " ").split())
    for step in steps:
        if step.apart:
            valid = ", ".join(each.name for each in chosen(()))
            raise InputError(
                f"steps: {step.name} wants wires of its own and comes next; valid: {ALL}, or some "
                f"of: {valid}"
            )
    return steps


def settings_of(state: WizardState) -> CalibrationSettings:
    """Return the settings of the steps. Raises InputError."""
    text = state.answer("seconds", str(SECONDS))
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise InputError(f'seconds: "{text}" is no number; valid: {SECONDS_MIN} to {SECONDS_MAX}')
    pps, counter = state.answer(PPS, NONE), state.answer(COUNTER, NONE)
    if NONE not in (pps, counter):
        raise InputError(f"{COUNTER}: one reference is enough; valid: {NONE}, or {PPS} is {NONE}")
    return CalibrationSettings(
        seconds=int(text),
        pps_channel=None if pps == NONE else _pps_channel(state, pps),
        counter=None if counter == NONE else _counter(state, counter),
    )


def _counter(state: WizardState, text: str) -> CounterReading:
    return parse_counter(text, fixture_of(state).stimulus.chip.clock_hz, COUNTER)


def _pps_channel(state: WizardState, text: str) -> int:
    channel = parse_channel(PPS, text)
    require_free(PPS, channel, fixture_of(state))
    return channel


def check(state: WizardState) -> None:
    steps_of(state)
    settings_of(state)


def work(job: StageContext) -> StageReport:
    """Run the steps; each record is kept as it comes."""
    fixture, report = job.fixture, StageReport()
    steps, settings = steps_of(job.state), settings_of(job.state)
    opener = partial(job.tools.open_bench, stop=job.stop, progress=job.progress)
    announce = partial(_announce, job.progress)
    path = calibration_path(fixture)
    bench = bench_with_pps(fixture, settings)
    for outcome in run_steps(bench, steps, opener, announce, job.progress, job.stop, settings):
        keep_record(path, fixture.name, outcome.record)
        report += of_outcome(outcome, STEPS[outcome.record.step].title)
    return report


def _announce(progress: Progress, step: Step) -> None:
    progress(step.title)


STAGE = Stage("calibrate", "Calibrate", explain, questions, check, work, does="Calibrate")
