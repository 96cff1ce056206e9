# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.calibrate.work`: what touches instruments, away from the window.

The first line of standard input is the job, a JSON object; more lines name wires to be looked at,
if that is the job. The end of standard input (the window is gone, or wants no more) and SIGTERM end
it in order. Messages go to standard output.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from calibration.cli.wizard_services import RigWizardServices
from calibration.context import StoppedError
from calibration.kept import keep_record
from calibration.runner import chosen, run_steps
from calibration.settings import Settings
from calibration.steps import Step
from calibration.wizard import Report
from calibration.wizard.place import Place
from calibration.wizard.report import of_outcome
from calibration.wizard.stages import STAGES, Job
from calibration.wizard.stages.connect import open_wires
from calibration.wizard.state import read_state
from gui.pages.calibrate.messages import (
    DONE,
    FAILED,
    OPENED,
    PROGRESS,
    REPORT,
    STOPPED,
    WIRE,
    findings_fields,
    line_of,
    report_fields,
)
from rig.config.calibration.file import load_calibration
from rig.config.calibration.names import SKEW_STEP
from rig.config.calibration.place import calibration_path, require_fixture
from rig.config.calibration.record import Record
from rig.config.fixture import load_fixture
from rig.errors import RigError

PIECE: Final = 1 << 12
Say = Callable[..., None]


class Work:
    """One job."""

    def __init__(self, job: Mapping[str, Any], say: Say, stop: threading.Event) -> None:
        self._job, self._say, self._stop = job, say, stop
        self.wires: queue.SimpleQueue[str] = queue.SimpleQueue()
        """Signals to be looked at; "" ends it."""

    def do(self) -> None:
        """Raises RigError, StoppedError."""
        {"steps": self._steps, "stage": self._stage, "wires": self._look}[str(self._job["do"])]()

    def _steps(self) -> None:
        """Steps of a fixture's calibration, kept in its file."""
        fixture = load_fixture(str(self._job["fixture"]))
        asked = str(self._job.get("file", ""))
        path = Path(asked) if asked else calibration_path(fixture)
        skew: Record | None = None
        if path.exists():
            known = load_calibration(path)
            require_fixture(known, fixture, str(path))
            skew = known.newest(SKEW_STEP)
        opener = partial(RigWizardServices().open_bench, stop=self._stop, progress=self._tell)
        steps = chosen([str(name) for name in self._job["steps"]])
        settings = Settings(seconds=int(self._job["seconds"]), skew=skew)
        told = {step.name: step for step in steps}
        for outcome in run_steps(
            fixture, steps, opener, self._announce, self._tell, self._stop, settings
        ):
            keep_record(path, fixture.name, outcome.record)
            step = told.get(outcome.record.step)
            self._report(of_outcome(outcome, step.title if step else outcome.record.step))

    def _stage(self) -> None:
        """The work of the wizard's stage."""
        job = self._wizard_job()
        work = STAGES[job.state.stage].work
        if work is not None:
            self._report(work(job))

    def _look(self) -> None:
        """At single wires, as they are asked for, with the bench open meanwhile."""
        with open_wires(self._wizard_job()) as wires:
            self._say(OPENED)
            while signal_ := self.wires.get():
                found = wires.check(signal_)
                self._say(WIRE, signal=signal_, findings=findings_fields(found))

    def _wizard_job(self) -> Job:
        place = Place(Path(str(self._job["state"])))
        return Job(read_state(place.state), place, RigWizardServices(), self._tell, self._stop)

    def _announce(self, step: Step) -> None:
        self._tell(step.title)

    def _tell(self, text: str) -> None:
        self._say(PROGRESS, text=text)

    def _report(self, report: Report) -> None:
        self._say(REPORT, **report_fields(report))


def main() -> int:
    """Carry out one job; a message tells how it ended."""
    stop = threading.Event()
    # Ctrl-C at the terminal reaches the window too, which asks for the end in its own way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    pipe = os.dup(1)
    os.dup2(2, 1)  # what else prints does not get between the messages

    def say(kind: str, **fields: object) -> None:
        try:
            left = line_of(kind, **fields)
            while left:
                left = left[os.write(pipe, left) :]
        except BrokenPipeError:
            stop.set()

    heard = _read_line(b"")
    if heard is None:
        return 0
    line, rest = heard
    work = Work(json.loads(line), say, stop)
    threading.Thread(target=_listen, args=(rest, work, stop), daemon=True).start()
    try:
        work.do()
    except StoppedError:
        say(STOPPED)
    except RigError as error:
        say(FAILED, text=str(error), details="")
    except Exception as error:  # noqa: BLE001 - whatever it is, the window has to be told
        say(FAILED, text=f"the working process met an error of its own: {error!r}",
            details=traceback.format_exc())  # fmt: skip
    else:
        say(DONE)
    return 0


def _read_line(heard: bytes) -> tuple[bytes, bytes] | None:
    """The next line of standard input and what came after it; None at its end."""
    while b"\n" not in heard:
        # Unbuffered: a reader's lock would be held when the interpreter ends.
        piece = os.read(0, PIECE)
        if not piece or len(heard) > 16 * PIECE:
            return None
        heard += piece
    line, _, rest = heard.partition(b"\n")
    return line, rest


def _listen(rest: bytes, work: Work, stop: threading.Event) -> None:
    while (heard := _read_line(rest)) is not None:
        line, rest = heard
        work.wires.put(line.decode("ascii", "replace").strip())
    stop.set()
    work.wires.put("")


if __name__ == "__main__":
    sys.exit(main())
