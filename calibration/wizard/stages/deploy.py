# SPDX-License-Identifier: GPL-3.0-or-later
"""Fourth stage: the agent gets onto the target and answers from there."""

from __future__ import annotations

from calibration.wizard.bench import boards_of, is_virtual, link_of
from calibration.wizard.question import AnswerOption, Question
from calibration.wizard.report import StageReport
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.board_fixture import agent_arguments
from rig.config.links import SshLink

COPY, BUILD, THERE = "copy", "build-there", "is-there"


def explain(state: WizardState) -> tuple[str, ...]:
    link = link_of(state)
    if is_virtual(state):
        return ("The virtual bench starts its agent by itself. It is asked who it is.",)
    if isinstance(link, SshLink):
        return (f"The agent goes to {link.agent} on {link.host}. Then it is started once and "
                "asked who it is and what its system looks like.",)  # fmt: skip
    words = agent_arguments(boards_of(state)[0])
    return (f"Start the agent on the target yourself: rig-agent {words} {link.agent_options}",
            "Then it is asked who it is and what its system looks like.")  # fmt: skip


def questions(state: WizardState) -> tuple[Question, ...]:
    if not isinstance(link_of(state), SshLink):
        return ()
    choices = (
        AnswerOption(COPY, "copy the agent that came with the rig"),
        AnswerOption(BUILD, "copy its source, compile on the target"),
        AnswerOption(THERE, "it is there already"),
    )
    return (Question("deploy", "Agent", COPY, choices),)


def work(job: StageContext) -> StageReport:
    """Deploy, then ask who answers."""
    fixture = job.fixture
    lines: tuple[str, ...] = ()
    if isinstance(fixture.target.link, SshLink) and job.state.answer("deploy", COPY) != THERE:
        job.progress("copying the agent")
        there = job.state.answer("deploy", COPY) == BUILD
        lines = (f"agent: {job.tools.deploy(fixture, there=there)}",)
    job.progress("asking the agent")
    found = job.tools.ask_agent(fixture)
    said = tuple(finding.text for finding in found if not finding.remedy)
    return StageReport(lines + said, tuple(finding for finding in found if finding.remedy))


STAGE = Stage("deploy", "Deploy the agent", explain, questions, work=work, does="Deploy and ask")
