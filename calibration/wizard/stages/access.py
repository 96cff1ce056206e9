# SPDX-License-Identifier: GPL-3.0-or-later
"""Third stage: how the target is reached. It comes before the wires: the target drives its own."""

from __future__ import annotations

from calibration.wizard.bench import boards_of, fixture_of, is_virtual
from calibration.wizard.question import Question
from calibration.wizard.report import StageReport
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.board_fixture import agent_arguments
from rig.config.links import ARGUMENTS_VALID, SshLink
from rig.errors import InputError


def explain(state: WizardState) -> tuple[str, ...]:
    if is_virtual(state):
        return ("The virtual bench brings its target along; there is nothing to agree on.",)
    return (
        "A small program on the target, the agent, answers interrupts and moves the target's "
        "pins. The rig reaches it over ssh and starts it there, or over a line that an agent "
        "listens on: TCP or a serial port.",
        "ssh must let you in without a password (ssh-copy-id); nothing is typed for you.",
    )


def questions(state: WizardState) -> tuple[Question, ...]:
    if is_virtual(state):
        return ()
    target = Question("target", "Target", "",
                      hint="ssh:[USER@]HOST, tcp:HOST:PORT or serial:DEVICE[:BAUD]")  # fmt: skip
    if state.answer("target").partition(":")[0] != "ssh":
        return (target,)
    words = agent_arguments(boards_of(state)[0])
    return (
        target,
        Question("agent-arguments", "Options of the agent", words, hint=ARGUMENTS_VALID),
        Question("ssh-config", "ssh's configuration", "", hint="empty: ~/.ssh/config"),
    )


def check(state: WizardState) -> None:
    """Check that the fixture is complete now. Raises InputError."""
    if not is_virtual(state) and not state.answer("target"):
        raise InputError(
            "target: nothing is named; valid: ssh:[USER@]HOST, tcp:HOST:PORT, serial:DEVICE[:BAUD]"
        )
    fixture_of(state)


def work(job: StageContext) -> StageReport:
    """Look at an account behind ssh; other targets are looked at when their agent runs."""
    fixture = job.fixture
    if not isinstance(fixture.target.link, SshLink):
        return StageReport()
    job.progress(f"asking {fixture.target.link.host}")
    found = job.tools.ask_account(fixture)
    lines = tuple(finding.text for finding in found if not finding.remedy)
    return StageReport(lines, tuple(finding for finding in found if finding.remedy))


def wants_work(state: WizardState) -> bool:
    """Return whether the target is behind ssh, which can be asked before there is an agent."""
    return state.answer("target").startswith("ssh:") and not is_virtual(state)


STAGE = Stage(
    "access",
    "Agree on access to the target",
    explain,
    questions,
    check,
    work,
    wants_work,
    "Ask it",
)
