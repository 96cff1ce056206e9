# SPDX-License-Identifier: GPL-3.0-or-later
"""The wires of a measurement again, after steps that wanted their own; looked at, not believed."""

from __future__ import annotations

from calibration.steps.wiring import check_wires
from calibration.wizard.report import StageReport
from calibration.wizard.session import opened
from calibration.wizard.stages import special_wiring, wires
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState

NAME = "wires-back"


def explain(state: WizardState) -> tuple[str, ...]:
    if not special_wiring.were_changed(state):
        return ("No wires were changed; there is nothing to be put back.",)
    return (
        "Put every wire back as it was for a measurement. Then each is driven from its own end and "
        "looked for at the other, so that no clip is forgotten.",
        *wires.pins(state),
    )


def svg(state: WizardState) -> str:
    return wires.drawing(state) if special_wiring.were_changed(state) else ""


def work(job: StageContext) -> StageReport:
    """Every wire at once; nothing is recorded."""
    fixture = job.fixture
    with opened(job, fixture) as context:
        seen = check_wires(context, job.progress, [wire.signal for wire in fixture.wires])
    report = StageReport(findings=seen.findings)
    return report + StageReport(("Every wire is back where it was.",)) if report.passed else report


STAGE = Stage(
    NAME,
    "Put the wires back",
    explain,
    work=work,
    wants_work=special_wiring.were_changed,
    does="Look at the wires",
    svg=svg,
    pause=True,
)
