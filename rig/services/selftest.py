# SPDX-License-Identifier: GPL-3.0-or-later
"""The first-day protocol on one bench: what is there, what it measures, packed into one archive."""

from __future__ import annotations

import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import Fixture
from rig.config.plan import load_plan
from rig.errors import InputError, RefusedError, RigError
from rig.services.doctor import look
from rig.services.finding import DoctorFinding
from rig.services.measure import Tell, finish, measure, request_of
from rig.services.probe import TargetPlace, probe
from rig.services.stimulus_probe import probe_stimulus
from rig.session.run import OnProgress
from rig.target.findings import ProbeFinding

Findings = Sequence[DoctorFinding | ProbeFinding]
ARCHIVE_SUFFIX = ".tar.gz"


@dataclass(frozen=True)
class Trial:
    """A measurement of the protocol."""

    plan: str
    count: int
    shows: str
    """What its success tells of the bench."""


TRIALS = (
    Trial("interrupt-periodic", 200, "wires: pulses come, each is answered"),
    Trial("interrupt", 5_000, "clocks and counts: analyzer, stimulus and target agree"),
    Trial("interrupt-to-task", 2_000, "tasks: the target's scheduler is part of the answer"),
    Trial("period", 500, "timers: the target answers without a stimulus"),
)
"""In this order: what a later one needs, an earlier one has tried."""
SOAK = Trial("interrupt-soak", 1_000_000, "endurance: 17 minutes without a loss")


@dataclass(frozen=True)
class TrialOutcome:
    """What came of a trial."""

    trial: Trial
    verdict: str
    """A verdict, or why there is none."""
    details: tuple[str, ...]
    exit_code: int


def chapters(fixture: Fixture) -> Iterator[tuple[str, Callable[[], Findings]]]:
    """Yield what can be looked at before anything is measured, by title; nothing is opened yet."""
    yield "this computer", lambda: [*look()]
    if not fixture.is_virtual:
        yield "stimulus", lambda: _or_finding("stimulus", _stimulus, fixture)
    yield "target", lambda: _or_finding("target", _target, fixture)


def _or_finding(what: str, looked: Callable[[Fixture], Findings], fixture: Fixture) -> Findings:
    """Return what was found; that nothing could be is a finding too."""
    try:
        return looked(fixture)
    except RigError as error:
        return [DoctorFinding(what, "cannot be looked at", str(error))]


def _stimulus(fixture: Fixture) -> Findings:
    return [*probe_stimulus(fixture.stimulus.port, fixture.stimulus.chip.name)]


def _target(fixture: Fixture) -> Findings:
    return [*probe(TargetPlace(fixture.target.link, fixture))]


def tried(
    trial: Trial, bench: str, folder: Path, on_progress: OnProgress, stop: threading.Event,
    tell: Tell,
) -> TrialOutcome:  # fmt: skip
    """Make one measurement and leave its run file and report in a folder.

    Whatever goes wrong is an outcome: the next trial may tell more.
    """
    path = folder / f"{trial.plan}.h5"
    try:
        request = request_of(load_plan(trial.plan).with_overrides(count=trial.count), bench)
    except InputError as error:
        return TrialOutcome(trial, "not possible", (str(error),), 0)
    try:
        failure = measure(request, path, on_progress, stop, tell)
        result = finish(path).result
    except RefusedError as error:
        return TrialOutcome(trial, "refused", (str(error),), error.exit_code)
    except RigError as error:
        return TrialOutcome(trial, "failed", (str(error),), error.exit_code)
    reasons = () if result.evaluation.verdict is Verdict.PASS else result.evaluation.reasons
    failed = (str(failure),) if failure is not None else ()
    return TrialOutcome(
        trial, str(result.evaluation.verdict), (*failed, *reasons), result.exit_code
    )


def begun(folder: Path) -> Path:
    """Make the folder of an outcome; return the name of its archive.

    Raises InputError if one of them is there already, or the folder cannot be made.
    """
    archive = folder.with_name(folder.name + ARCHIVE_SUFFIX)
    for path in (folder, archive):
        if path.exists():
            raise InputError(f"{path}: exists already and is not overwritten; name another folder")
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created ({error.strerror}); name another") from None
    return archive


def packed(folder: Path, archive: Path) -> None:
    """Put all files of the folder into an archive. Raises InputError if it cannot be written."""
    try:
        with tarfile.open(archive, "x:gz") as packing:
            packing.add(folder, arcname=folder.name)
    except OSError as error:
        archive.unlink(missing_ok=True)
        raise InputError(
            f"{archive}: cannot be written ({error.strerror}); all files are in {folder}"
        ) from None
