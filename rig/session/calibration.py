# SPDX-License-Identifier: GPL-3.0-or-later
"""The calibration that a run's figures were made with: what of it holds, and what is missing."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from rig.analysis.model.settings import Settings
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.config.calibration.bench_identity import present_of_texts
from rig.config.calibration.file import calibration_file_text, parse_calibration
from rig.config.calibration.names import (
    CORRECTING_STEPS,
    COUNTER_STABILITY,
    COUNTER_STABLE_PPM,
    LINE_STEP,
    LOOPBACK_STEP,
    SKEW_STEP,
)
from rig.config.calibration.paths import NONE, require_fixture
from rig.config.calibration.record import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.calibration.validity import RecordStatus, Validity, judge, valid_records
from rig.config.fixture import Fixture, parse_fixture
from rig.errors import InputError
from rig.record.layout import CALIBRATION
from rig.record.reader import RunFile
from rig.session.calibrated_error_model import calibrated_bench
from rig.session.run_error_model import bench_of_run
from rig.target.frequency import reported_khz
from rig.toml.reader import MAX_BYTES
from rig.untrusted.json_reader import json_value

__all__ = [
    "CALIBRATION", "CalibrationInUse", "CalibrationSummary", "bench_in_use", "calibration_in_use",
    "fixture_of_texts",
]  # fmt: skip


@dataclass(frozen=True)
class CalibrationInUse:
    """The calibration as one run uses it."""

    is_there: bool
    """Whether the run had a calibration."""
    judged: tuple[RecordStatus, ...]
    """The steps that correct, then all others of the file."""
    error: str = ""
    """The reason why its text cannot be used; "" if it can."""
    missing: tuple[str, ...] = ()
    """The quantities that the valid records lack, in words."""
    warnings: tuple[str, ...] = ()
    """The findings of valid records that no correction mends, in words."""

    @property
    def correcting(self) -> tuple[RecordStatus, ...]:
        """The steps that a run wants: a valid loopback, or else skew and line."""
        valid = {each.step for each in self.judged if each.validity is Validity.VALID}
        spared = {SKEW_STEP, LINE_STEP} if LOOPBACK_STEP in valid else {LOOPBACK_STEP}
        return tuple(
            each
            for each in self.judged
            if each.step in CORRECTING_STEPS
            and (each.step not in spared or each.validity in _WRONG)
        )

    @property
    def is_whole(self) -> bool:
        """Whether all that a run wants is there and valid."""
        holds = all(each.validity is Validity.VALID for each in self.correcting)
        return holds and not self.missing

    @property
    def summary(self) -> CalibrationSummary:
        """The summary for other programs."""
        return CalibrationSummary(
            used=self.is_there and not self.error,
            error=self.error or None,
            missing=self.missing,
            warnings=self.warnings,
            complete=self.is_whole,
            applied=tuple(record.step for record in valid_records(self.correcting)),
            steps=tuple(map(StepStatus.of, self.judged)),
        )


@dataclass(frozen=True)
class StepStatus:
    """One step of the calibration, and whether its newest record holds for a run."""

    step: str
    validity: Validity
    why: str | None
    """The reason why the record is not valid; None if it is."""
    date: str | None
    """The date of the record, ISO 8601; None without one."""
    valid_until: str | None

    @classmethod
    def of(cls, judged: RecordStatus) -> Self:
        """Return the status for a judged record."""
        record = judged.record
        until = None if record is None else record.valid_until
        return cls(
            step=judged.step,
            validity=judged.validity,
            why=judged.why or None,
            date=None if record is None else record.date.isoformat(),
            valid_until=None if until is None else until.isoformat(),
        )


@dataclass(frozen=True)
class CalibrationSummary:
    """The calibration that a run's figures use; docs/reference/calibration-file.md has more."""

    used: bool
    error: str | None
    """The reason why the calibration cannot be used; None if it can, or there is none."""
    missing: tuple[str, ...]
    """The quantities that the valid records lack, in words."""
    warnings: tuple[str, ...]
    """The findings of valid records that no correction mends, in words."""
    complete: bool
    """Whether all that a run wants is there and valid."""
    applied: tuple[str, ...]
    """The steps whose records correct the figures."""
    steps: tuple[StepStatus, ...]


_WRONG = (Validity.EXPIRED, Validity.NOT_MATCHING)


def bench_in_use(
    texts: Mapping[str, str], text: str, created: str, settings: Settings
) -> tuple[BenchErrorModel, CalibrationInUse]:
    """Return the errors of a run's bench as its file tells them, and the calibration's use.

    `text`: the calibration's, which need not be the file's own. A record that is not valid corrects
    nothing: what the fixture or the maker tells stays in its place.
    """
    fixture = fixture_of_texts(texts)
    used = calibration_in_use(fixture, texts, text, created)
    bench = bench_of_run(fixture, texts, settings.sample_rate_hz)
    holding = valid_records(used.judged)
    present = present_of_texts(fixture, texts)
    bench, missing = calibrated_bench(
        bench, holding, settings.wiring, settings.stimulus_clock_hz, present
    )
    return bench, replace(used, missing=missing, warnings=calibration_warnings(holding, texts))


def calibration_in_use(
    fixture: Fixture | None, texts: Mapping[str, str], text: str, created: str
) -> CalibrationInUse:
    """Judge a calibration's text for a run.

    fixture: as `fixture_of_texts` reads it. texts: those of the run file. created: when the run was
    made, by which dates are judged.
    """
    found: Calibration | None = None
    unusable = ""
    try:
        if len(text) > MAX_BYTES:
            unusable = f"it has more than {MAX_BYTES >> 20} MiB"
        elif text:
            found = parse_calibration(text, CALIBRATION)
            if fixture is not None and fixture.name != found.fixture:
                unusable = f"it is of fixture {found.fixture}, the run was made on {fixture.name}"
                found = None
    except InputError as error:
        unusable = str(error)
    present = present_of_texts(fixture, texts)
    judged = judge(found, present, _day(created), tuple(CORRECTING_STEPS))
    return CalibrationInUse(bool(text), judged, unusable)


def calibration_for(path: Path, asked: str | None) -> str:
    """Return the text of the calibration to compute a run file's figures with, "" for none.

    `asked`: a file, "none", or None for the run's own. Raises InputError for one that cannot be
    used, or of another fixture.
    """
    with RunFile(path, figures=False) as file:
        texts = file.texts()
    if asked is None:
        return texts.get(CALIBRATION, "")
    if asked == NONE:
        return ""
    text = calibration_file_text(Path(asked))
    found, fixture = parse_calibration(text, asked), fixture_of_texts(texts)
    if fixture is not None:
        require_fixture(found, fixture, asked)
    return text


def fixture_of_texts(texts: Mapping[str, str]) -> Fixture | None:
    """Return a run file's fixture; None if it has none, or an older rig's that cannot be read."""
    with contextlib.suppress(InputError):
        return parse_fixture(texts.get("fixture", ""), "fixture")
    return None


def _day(created: str) -> dt.date:
    """Return the day of a time; the last there is if it cannot be read, when nothing is valid."""
    try:
        return dt.datetime.fromisoformat(created).astimezone(dt.UTC).date()
    except (ValueError, OverflowError):
        return dt.date.max


def calibration_warnings(
    records: Iterable[CalibrationRecord], texts: Mapping[str, str]
) -> tuple[str, ...]:
    """Return warnings in words; `records`: the valid ones, `texts`: those of the run file.

    A counter that goes with the processor's frequency is as good as any while that is fixed, and
    the environment may tell that it was.
    """
    for record in records:
        found = record.quantity(COUNTER_STABILITY)
        if found is None or _least(found) <= COUNTER_STABLE_PPM or _fixed(texts):
            continue
        return (
            f"the target's counter CHANGES ITS RATE by {found.value:,.4g} ppm with the processor's "
            f"frequency ({record.step} of {record.date.date().isoformat()}), which was not fixed: "
            "times from the agent's log, and its agreement with the edges, are not to be relied on",
        )
    return ()


def _least(found: CalibratedQuantity) -> float:
    """Return the lower limit of a value between hard limits."""
    return found.value - math.sqrt(3) * found.standard_uncertainty


def _fixed(texts: Mapping[str, str]) -> bool:
    """Return whether each processor that tells its limits has one frequency, and one tells them."""
    try:
        told = json_value(texts.get("environment/target", ""))["environment"]["cpus"]
        limits = [
            (reported_khz(cpu["minimum_khz"]), reported_khz(cpu["maximum_khz"])) for cpu in told
        ]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(limits) and all(low == high for low, high in limits)
