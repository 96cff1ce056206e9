# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard's stages at a target behind a real sshd: access, deployment, who answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from calibration.cli.wizard_services import RigWizardServices
from calibration.wizard import Wizard
from calibration.wizard.paths import WizardPaths
from calibration.wizard.stages import StageContext
from rig.errors import BenchError
from tests.target.real_agent import PORT, agent_program
from tests.target.sshd import HOST, Sshd, running_sshd


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    agent_program()
    with running_sshd(tmp_path / "ssh") as server:
        yield server


@pytest.fixture
def wizard(sshd, tmp_path):
    """At the question for the target, which is this machine."""
    made = Wizard.begun(WizardPaths(tmp_path / "new" / "state.json"), "lab-7")
    made.check()
    made.go_to("access")
    told = {
        "target": f"ssh:{HOST}", "agent-arguments": " ".join(PORT), "ssh-config": str(sshd.config)
    }  # fmt: skip
    for key, answer in told.items():
        (question,) = [q for q in made.stage.questions(made.state) if q.key == key]
        made.answer(question, answer)
    made.check()
    return made


def work(wizard):
    report = wizard.stage.work(StageContext(wizard.state, wizard.place, RigWizardServices()))
    wizard.record(report)
    return report


def test_the_agent_is_deployed_and_answers(wizard, sshd):
    assert wizard.stage.wants_work(wizard.state)
    asked = work(wizard)
    said = (*asked.lines, *(finding.text for finding in asked.findings))
    assert any(text.startswith("real-time priority: ") for text in said)
    wizard.forward()
    agent = sshd.home / ".local/bin/rig-agent"
    assert str(HOST) in " ".join(wizard.stage.explain(wizard.state))
    (question,) = wizard.stage.questions(wizard.state)
    wizard.answer(question, "is-there")
    report = work(wizard)
    assert not report.passed
    assert "agent: does not answer" in report.findings[-1].text
    assert wizard.state.done["deploy"] == (report.findings[-1].text,)
    wizard.answer(question, "copy")
    report = work(wizard)
    assert agent.read_bytes() == agent_program().read_bytes()
    assert report.lines[0] == f"agent: {HOST}:~/.local/bin/rig-agent"
    assert not any("does not answer" in finding.text for finding in report.findings)
    assert any(line.startswith("agent: rig-agent") for line in report.lines)


def test_a_host_that_lets_nobody_in_is_told(wizard):
    (question,) = [q for q in wizard.stage.questions(wizard.state) if q.key == "ssh-config"]
    wizard.answer(question, "/dev/null")
    wizard.check()
    with pytest.raises(BenchError) as error:
        work(wizard)
    assert HOST in str(error.value)
    assert "access" not in wizard.state.done
