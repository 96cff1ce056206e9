# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.calibrate.work_process`: what touches instruments, away from the window.

The request is the job; further ones name wires to be looked at, if that is the job.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from calibration.cli.wizard_services import RigWizardServices
from calibration.context import StoppedError
from calibration.record_store import keep_record
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from calibration.steps import Step
from calibration.wizard import StageReport
from calibration.wizard.paths import WizardPaths
from calibration.wizard.report import of_outcome
from calibration.wizard.stages import STAGES, StageContext
from calibration.wizard.stages.connect import open_wires
from calibration.wizard.state import read_state
from gui.pages.calibrate.messages import (
    DONE,
    OPENED,
    PROGRESS,
    REPORT,
    STOPPED,
    WIRE,
    findings_fields,
    report_fields,
)
from gui.processes.messages import Message
from gui.processes.worker import ParentWindow, serve
from rig.config.calibration.file import load_calibration
from rig.config.calibration.names import SKEW_STEP
from rig.config.calibration.paths import calibration_path, require_fixture
from rig.config.calibration.record import CalibrationRecord
from rig.config.fixture import load_fixture


class Work:
    """A job of the process."""

    def __init__(self, job: Mapping[str, Any], window: ParentWindow) -> None:
        self._job, self._window, self._stop = job, window, window.stop

    def do(self) -> None:
        """Do the job. Raises RigError, StoppedError."""
        {"steps": self._steps, "stage": self._stage, "wires": self._look}[str(self._job["do"])]()

    def _steps(self) -> None:
        """Run steps of a fixture's calibration, kept in its file."""
        fixture = load_fixture(str(self._job["fixture"]))
        asked = str(self._job.get("file", ""))
        path = Path(asked) if asked else calibration_path(fixture)
        skew: CalibrationRecord | None = None
        if path.exists():
            known = load_calibration(path)
            require_fixture(known, fixture, str(path))
            skew = known.newest(SKEW_STEP)
        opener = partial(RigWizardServices().open_bench, stop=self._stop, progress=self._tell)
        steps = chosen([str(name) for name in self._job["steps"]])
        settings = CalibrationSettings(seconds=int(self._job["seconds"]), skew=skew)
        told = {step.name: step for step in steps}
        for outcome in run_steps(
            fixture, steps, opener, self._announce, self._tell, self._stop, settings
        ):
            keep_record(path, fixture.name, outcome.record)
            step = told.get(outcome.record.step)
            self._report(of_outcome(outcome, step.title if step else outcome.record.step))

    def _stage(self) -> None:
        """Do the work of the wizard's stage."""
        job = self._wizard_job()
        work = STAGES[job.state.stage].work
        if work is not None:
            self._report(work(job))

    def _look(self) -> None:
        """Check single wires as they are asked for, with the bench open meanwhile."""
        with open_wires(self._wizard_job()) as wires:
            self._window.send(Message(OPENED))
            while signal := self._window.requests.get():
                found = findings_fields(wires.check(str(signal)))
                self._window.send(Message(WIRE, {"signal": signal, "findings": found}))

    def _wizard_job(self) -> StageContext:
        place = WizardPaths(Path(str(self._job["state"])))
        return StageContext(
            read_state(place.state), place, RigWizardServices(), self._tell, self._stop
        )

    def _announce(self, step: Step) -> None:
        self._tell(step.title)

    def _tell(self, text: str) -> None:
        self._window.send(Message(PROGRESS, {"text": text}))

    def _report(self, report: StageReport) -> None:
        self._window.send(Message(REPORT, report_fields(report)))


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Do one job; a message tells how it ended. Raises RigError."""
    try:
        Work(request, window).do()
    except StoppedError:
        window.send(Message(STOPPED))
    else:
        window.send(Message(DONE))


if __name__ == "__main__":
    sys.exit(serve(work))
