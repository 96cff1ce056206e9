# SPDX-License-Identifier: GPL-3.0-or-later
"""Last stage but one: a first measurement, with the calibration applied."""

from __future__ import annotations

from pathlib import Path

from calibration.findings import Finding
from calibration.wizard.bench import boards_of, is_virtual
from calibration.wizard.question import AnswerOption, Question
from calibration.wizard.report import StageReport
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.resources import plan_names
from rig.shell_words import quoted

COUNT = 1000
COUNT_MAX = 10**9
VIRTUAL_PLAN = "interrupt"


def explain(_state: WizardState) -> tuple[str, ...]:
    return ("A short run shows whether everything works together. Its figures are corrected by "
            "the calibration, and say so.",)  # fmt: skip


def questions(state: WizardState) -> tuple[Question, ...]:
    choices = tuple(AnswerOption(name, "") for name in plan_names())
    return (
        Question("plan", "Plan", plan_of(state), choices, "a plan's file", others=True),
        Question("count", "Stimuli", str(COUNT), hint=f"1 to {COUNT_MAX}"),
        Question("runs", "Folder of run files", "runs", hint="made if it is not there"),
    )


def plan_of(state: WizardState) -> str:
    """The one that the board's description names. Raises InputError."""
    agent = boards_of(state)[0].agent
    return VIRTUAL_PLAN if is_virtual(state) or agent is None else agent.plan


def count_of(state: WizardState) -> int:
    """Raises InputError."""
    text = state.answer("count", str(COUNT))
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 10 or int(text) < 1:
        raise InputError(f'count: "{text}" is no number of stimuli; valid: 1 to {COUNT_MAX}')
    return int(text)


def check(state: WizardState) -> None:
    load_plan(state.answer("plan") or plan_of(state)).with_overrides(count_of(state), None)


def work(job: StageContext) -> StageReport:
    """Run it; what went wrong in it is a finding, since there is a run file all the same."""
    state = job.state
    folder = Path(state.answer("runs", "runs")).expanduser()
    plan = state.answer("plan") or plan_of(state)
    measured = job.tools.measure(job.fixture, plan, count_of(state), folder, job.stop, job.progress)
    findings: tuple[Finding, ...] = ()
    if measured.failure:
        findings = (Finding("measurement", measured.failure,
                            f"`rig show {quoted(measured.path)}` tells more; what it names is to "
                            "be mended, then measure again."),)  # fmt: skip
    return StageReport(measured.lines, findings, str(measured.path))


STAGE = Stage("measure", "First measurement", explain, questions, check, work, does="Measure")
