# SPDX-License-Identifier: GPL-3.0-or-later
"""Sixth stage: the steps of the calibration that the connections of a measurement serve."""

from __future__ import annotations

from functools import partial

from calibration.context import Progress
from calibration.runner import ALL, chosen, run_steps
from calibration.settings import SECONDS_MAX, SECONDS_MIN, Settings
from calibration.steps import STEPS, Step
from calibration.wizard import as_found
from calibration.wizard.question import Question
from calibration.wizard.report import Report, of_outcome
from calibration.wizard.stages.stage import Job, Stage
from calibration.wizard.state import State
from rig.config.calibration.file import append_record
from rig.config.calibration.place import calibration_path
from rig.errors import InputError

SECONDS = 60


def explain(state: State) -> tuple[str, ...]:
    apart = ", ".join(step.name for step in STEPS.values() if step.apart)
    return (
        *as_found.explain(state),
        "What the bench itself adds to a latency is measured once and taken off every run.",
        "The connections of a measurement serve these steps: "
        f"{', '.join(f'{step.title} ({step.name})' for step in chosen(()))}. Those that want "
        f"connections of their own come later, if you need their accuracy: {apart}.",
        "`rig calibrate --list` says what each does and what to connect.",
    )


def questions(state: State) -> tuple[Question, ...]:
    names = ", ".join(step.name for step in chosen(()))
    return (
        *as_found.questions(state),
        Question("steps", "Steps", ALL, hint=f"{ALL}, or some of: {names}"),
        Question("seconds", "Seconds that clocks are watched", str(SECONDS),
                 hint=f"{SECONDS_MIN} to {SECONDS_MAX}; longer is more accurate"),
    )  # fmt: skip


def steps_of(state: State) -> tuple[Step, ...]:
    """Those asked for. Raises InputError."""
    return chosen(state.answer("steps", ALL).replace(",", " ").split())


def settings_of(state: State) -> Settings:
    """What the steps are told. Raises InputError."""
    text = state.answer("seconds", str(SECONDS))
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise InputError(f'seconds: "{text}" is no number; valid: {SECONDS_MIN} to {SECONDS_MAX}')
    return Settings(seconds=int(text))


def check(state: State) -> None:
    steps_of(state)
    settings_of(state)


def work(job: Job) -> Report:
    """Run them; each record is kept as it comes."""
    fixture, report = job.fixture, Report()
    steps, settings = steps_of(job.state), settings_of(job.state)
    opener = partial(job.tools.open_bench, stop=job.stop, progress=job.progress)
    announce = partial(_announce, job.progress)
    path = calibration_path(fixture)
    for outcome in run_steps(fixture, steps, opener, announce, job.progress, job.stop, settings):
        append_record(path, fixture.name, outcome.record)
        report += of_outcome(outcome, STEPS[outcome.record.step].title)
    return report


def _announce(progress: Progress, step: Step) -> None:
    progress(step.title)


STAGE = Stage("calibrate", "Calibrate", explain, questions, check, work, does="Calibrate")
