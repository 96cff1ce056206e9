# SPDX-License-Identifier: GPL-3.0-or-later
"""Last stage: fixture and calibration go where the user wants them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from calibration.wizard.question import Question
from calibration.wizard.report import StageReport
from calibration.wizard.stages import special_wiring
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState
from rig.config.calibration.file import append_record, load_calibration
from rig.config.calibration.names import LEFT_OUT
from rig.config.calibration.paths import SUFFIX
from rig.config.calibration.record import Calibration, CalibrationRecord
from rig.errors import InputError
from rig.files import create_new_binary
from rig.resources import fixture_names
from rig.shell_words import quoted


def explain(state: WizardState) -> tuple[str, ...]:
    faults = [text for texts in state.done.values() for text in texts]
    left = (f"Not mended yet: {'; '.join(faults)}",) if faults else ()
    return (
        "The calibration goes beside the fixture, where every run with it finds it. Files that "
        "are there already are left as they are.",
        *left,
    )


def questions(state: WizardState) -> tuple[Question, ...]:
    return (Question("file", "Fixture's file", f"{state.name}.toml", hint="a new .toml file"),)


def file_of(state: WizardState) -> Path:
    """Return the file that the fixture goes to. Raises InputError."""
    path = Path(state.answer("file") or f"{state.name}.toml").expanduser()
    if path.suffix != ".toml" or path.name.endswith(SUFFIX) or str(path) in fixture_names():
        raise InputError(f"file: {path}: no name of a fixture's file; valid: such as ./bench.toml")
    return path.absolute()


def check(state: WizardState) -> None:
    path = file_of(state)
    if not path.parent.is_dir():
        raise InputError(f"file: there is no folder {path.parent}; make it, or name another file")


def work(job: StageContext) -> StageReport:
    """Write both files or none; one that a stopped attempt left, with the same content, is kept."""
    place, path = job.place, file_of(job.state)
    record_skipped(place.calibration, job.fixture.name)
    wanted = {path: place.fixture.read_bytes()}
    if place.calibration.exists():
        wanted[path.with_name(path.stem + SUFFIX)] = place.calibration.read_bytes()
    for file, data in wanted.items():
        if file.exists() and file.read_bytes() != data:
            raise InputError(f"{file}: is there already, with something else; name another file")
    for file, data in wanted.items():
        if not file.exists():
            with create_new_binary(file, "file") as new:
                new.write(data)
    lines = [f"fixture: {path}"]
    if len(wanted) > 1:
        lines.append(f"calibration: {path.with_name(path.stem + SUFFIX)}")
    if job.state.run:
        lines.append(f"first run: {job.state.run}")
    return StageReport((*lines, f"From now on: rig run PLAN --fixture {quoted(path)}"))


STAGE = Stage("save", "Save fixture and calibration", explain, questions, check, work, does="Save")


def record_skipped(path: Path, fixture: str) -> None:
    """Add a record of the steps with wires of their own that are not there, if that is new.

    A record of its own: one without values under the step's name would be taken for the step.
    """
    known = load_calibration(path) if path.exists() else Calibration(fixture)
    last = known.newest(LEFT_OUT)
    findings = special_wiring.skipped(known)
    if findings != (() if last is None else last.findings):
        append_record(
            path, fixture, CalibrationRecord(LEFT_OUT, datetime.now(UTC), findings=findings)
        )
