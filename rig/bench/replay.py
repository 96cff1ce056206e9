# SPDX-License-Identifier: GPL-3.0-or-later
"""A run file as a bench: the three instruments repeat what they reported in that run.

So the same code makes the same figures from it, under the same limits or others.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Settings
from rig.bench.open import Bench
from rig.capture.replay.analyzer import ReplayAnalyzer
from rig.closing import Closing
from rig.config.fixture import Fixture, parse_fixture
from rig.errors import InputError
from rig.instruments import (
    AnalyzerIdentity,
    ArmOptions,
    Backlog,
    CaptureBlock,
    CaptureEnd,
    CaptureItem,
    LogArray,
    LogRoom,
    Loss,
    LossKind,
    StimulusIdentity,
    StimulusState,
    StimulusStatus,
    TargetIdentity,
    TargetSummary,
)
from rig.measurements.registry import measurement_of
from rig.measurements.stored_settings import settings_from_json
from rig.record.reader import RunFile
from rig.record.vetting import vet
from rig.stimulus.train import Train
from rig.untrusted.decode import WrongValueError, decoded
from rig.untrusted.json_reader import json_object

REPLAYED = "replay"
"""The name in place of the driver in a replayed run's own record."""
_FETCH_EDGES = 1 << 16
_PERIODS = ("period_ns", "count")
"""The agent's arguments for the number of events; the others may differ."""
_Identity = TypeVar("_Identity", AnalyzerIdentity, StimulusIdentity, TargetIdentity)


def replay_fixture(path: Path) -> Fixture:
    """Return the fixture of the run. Raises InputError for what cannot be replayed."""
    vet(path)
    with RunFile(path) as file:
        _require_complete(file)
        return parse_fixture(file.text("fixture"), f"{path} (its fixture)")


@contextmanager
def open_replay(path: Path, _fixture: Fixture) -> Iterator[Bench]:
    """Open the instruments of the run; the file stays open meanwhile. Raises InputError."""
    with RunFile(path) as file:
        _require_complete(file)
        settings = settings_from_json(file.path, file.settings)
        _require_replayable(file, settings)
        train_over = threading.Event()
        if _account(file).sent is None:
            train_over.set()
        yield Bench(
            analyzer=ReplayAnalyzer(_RunSource(file), train_over, _backlog(file)),
            stimulus=ReplayStimulus(file, settings, train_over),
            target=ReplayTarget(file, settings),
            calibration=file.texts().get("calibration", ""),
        )


def _require_complete(file: RunFile) -> None:
    """Check that a run was not cut short: else it has no counts of its instruments to replay."""
    if file.state != "complete":
        raise InputError(
            f"{file.path}: a run that is {file.state} cannot be replayed, only a complete one; "
            "compute its figures again with `rig analyze`"
        )


def _require_replayable(file: RunFile, settings: Settings) -> None:
    """Check that a run's course did not follow from its answers, which a replay cannot repeat."""
    measurement = measurement_of(settings.measurement)
    if not measurement.is_replayable:
        raise InputError(
            f"{file.path}: a run of measurement {measurement.name} cannot be replayed; "
            "compute its figures again with `rig analyze`"
        )


class _RunSource:
    """Implements rig.capture.replay.capture_file.CaptureSource."""

    def __init__(self, file: RunFile) -> None:
        self._file = file
        stored = _identity(file, "analyzer", AnalyzerIdentity)
        self.identity = AnalyzerIdentity(
            driver=REPLAYED,
            vendor=stored.vendor,
            model=stored.model,
            library=stored.library,
            sample_rate_hz=stored.sample_rate_hz,
            channels=tuple(stored.channels),
        )

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges as stored, each loss behind the samples that it was seen after."""
        with _readable(self._file):
            losses = deque(self._losses())
            for block in self._file.edge_blocks():
                yield block
                while losses and losses[0].sample <= block.end_sample:
                    yield losses.popleft()
            yield from losses
        yield CaptureEnd(self._file.covered_samples, asked=True)

    def _losses(self) -> Iterator[Loss]:
        for kind, sample, text in self._file.losses():
            try:
                yield Loss(LossKind(kind), sample, text)
            except ValueError:
                raise InputError(f"{self._file.path}: damaged run file, loss {kind!a}") from None


class ReplayStimulus(Closing):
    """Implements rig.instruments.Stimulus."""

    def __init__(self, file: RunFile, settings: Settings, train_over: threading.Event) -> None:
        """`train_over` is set when the status has been returned. Raises InputError."""
        self.identity = _identity(file, "stimulus", StimulusIdentity)
        self._file, self._settings = file, settings
        self._train_over = train_over
        self._fetched = 0
        self._planned = self._sent = 0
        self._account = _account(file)

    def configure(self, train: Train) -> None:
        """Check that this is the train that was sent. Raises InputError if it is not."""
        stored = self._settings.source
        differing = [
            field.name
            for field in fields(train)
            if getattr(stored, field.name, None) != getattr(train, field.name)
        ]
        if differing:
            raise InputError(
                f"{self._file.path}: was made with another train ({', '.join(differing)} differ); "
                "give the plan, --count and --seed that it was made with"
            )
        self._planned = train.count
        self._sent = _told(self._file, self._account.sent, "sent")

    def start(self) -> None:
        """Do nothing: the stored train has long been sent."""

    def fetch(self, minimum: int, timeout_ms: int) -> CaptureBlock:  # noqa: ARG002 - all are there
        """Return the next captured edges; with none left, wait as an instrument with no more."""
        first = self._fetched
        if first >= self._file.capture_count:
            time.sleep(timeout_ms / 1000)
        with _readable(self._file):
            ticks = self._file.captures(first, _FETCH_EDGES)
        self._fetched += len(ticks)
        return CaptureBlock(first, ticks, running=self._fetched < self._file.capture_count)

    def status(self) -> StimulusStatus:
        """Return the status at the end of the train."""
        self._train_over.set()
        return StimulusStatus(
            state=StimulusState.DONE,
            planned=self._planned,
            sent=self._sent,
            late=self._account.stimulus_late,
            late_max_ticks=self._account.stimulus_late_max_ticks,
            captured=self._file.capture_count,
            capture_overruns=self._account.capture_overruns,
            now_ticks=0,
        )

    def abort(self) -> None:
        """Do nothing: there is nothing to stop."""

    def close(self) -> None:
        """Leave the file open, which belongs to whoever opened it."""


class ReplayTarget(Closing):
    """Implements rig.instruments.Target."""

    def __init__(self, file: RunFile, settings: Settings) -> None:
        """Raises InputError."""
        self.identity = _identity(file, "target", TargetIdentity)
        self._file, self._settings = file, settings
        account = _account(file)
        self._summary = TargetSummary(
            handled=_told(file, account.handled, "handled"),
            records=file.log_count,
            dropped=account.log_dropped,
            unanswered=account.unanswered,
            overruns=account.overruns,
            triggers=account.triggers,
            throttled=account.throttled,
            work_per_ms=account.work_per_ms,
            smis=account.smis,
            thermal_throttles=account.thermal_throttles,
            policy=account.policy,
            interrupt=account.interrupt,
            frequency=account.frequency,
        )
        self.tools_text = file.texts().get("environment/tools", "")
        """The output of the target's own tools."""

    def environment(self) -> dict[str, object]:
        """Return the environment as the agent reported it."""
        stored = _object(self._file, "target").get("environment")
        return stored if isinstance(stored, dict) else {}

    def check(self, options: ArmOptions) -> LogRoom | None:  # noqa: ARG002
        """Return None: the log is in the file."""
        return None

    def arm(self, options: ArmOptions) -> None:
        """Check that the run had these periods. Raises InputError if they were others."""
        made, asked = self._settings.agent, options.options
        if measurement_of(self._settings.measurement).has_events:
            made, asked = ({key: each.get(key, "") for key in _PERIODS} for each in (made, asked))
        if asked != made:
            raise InputError(
                f"{self._file.path}: was made with other periods; give the plan, --count and "
                "--period that it was made with"
            )

    def ended(self, timeout_ms: int) -> bool:  # noqa: ARG002 - nothing to wait for
        """Return that it has ended."""
        return True

    def stop(self) -> TargetSummary:
        """Return the agent's summary after the run."""
        return self._summary

    def log(self, first: int, count: int) -> LogArray:
        """Return records of the log as they are stored."""
        with _readable(self._file):
            return self._file.log(first, count)

    def close(self) -> None:
        """Leave the file open, which belongs to whoever opened it."""


@contextmanager
def _readable(file: RunFile) -> Iterator[None]:
    """Turn what h5py raises for a damaged chunk into an InputError."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise InputError(f"{file.path}: damaged run file ({error})") from None


def _object(file: RunFile, party: str) -> dict[str, Any]:
    try:
        return json_object(file.text(f"environment/{party}"))
    except ValueError as error:
        raise InputError(f"{file.path}: damaged run file, environment/{party}: {error}") from None


def _identity(file: RunFile, party: str, kind: type[_Identity]) -> _Identity:
    """Return an identity. Raises InputError if a field is missing or of another type."""
    try:
        return decoded(kind, _object(file, party), ignore_unknown=True)
    except WrongValueError as error:
        raise InputError(f"{file.path}: damaged run file, environment/{party}: {error}") from None


def _backlog(file: RunFile) -> Backlog:
    """Return the backlog of the run as it was made; 0 in a file of before it was stored."""
    account = _account(file)
    return Backlog(
        max_ns=account.backlog_max_ns or 0,
        max_sample=account.backlog_max_sample,
        held_ns=account.driver_held_ns,
    )


def _account(file: RunFile) -> InstrumentCounts:
    """Return what the instruments counted then. Raises InputError for a damaged report."""
    try:
        return decoded(InstrumentCounts, file.report, ignore_unknown=True)
    except WrongValueError as error:
        raise InputError(f"{file.path}: damaged run file, report: {error}") from None


def _told(file: RunFile, count: int | None, name: str) -> int:
    """Return a count of the report. Raises InputError if it was not counted."""
    if count is None:
        raise InputError(f"{file.path}: damaged run file, its report has no {name}")
    return count
