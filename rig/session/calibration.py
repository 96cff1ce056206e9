# SPDX-License-Identifier: GPL-3.0-or-later
"""The calibration that a run's figures were made with: what of it holds, and what is missing."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import Statistics, as_dict
from rig.analysis.uncertainty.bench import Bench
from rig.analysis.uncertainty.correction import Correction
from rig.config.calibration.file import calibration_file_text, parse_calibration
from rig.config.calibration.names import (
    CORRECTING_STEPS,
    LINE_STEP,
    LOOPBACK_STEP,
    SKEW_STEP,
)
from rig.config.calibration.place import NONE, require_fixture
from rig.config.calibration.present import present_of_texts
from rig.config.calibration.record import Calibration
from rig.config.calibration.validity import Judged, Validity, judge, valid_records
from rig.config.fixture import Fixture, parse_fixture
from rig.config.tables import MAX_BYTES
from rig.errors import InputError
from rig.record.layout import CALIBRATION
from rig.record.reader import RunFile
from rig.session.bench_errors import bench_of_run
from rig.session.calibrated_bench import calibrated_bench
from rig.session.calibration_cautions import cautions

__all__ = [
    "CALIBRATION", "CalibrationInUse", "bench_in_use", "calibration_in_use", "calibration_json",
    "correction_json", "fixture_of_texts",
]  # fmt: skip


@dataclass(frozen=True)
class CalibrationInUse:
    """What one run has of it."""

    is_there: bool
    """False: the run had none."""
    judged: tuple[Judged, ...]
    """Steps that correct first, then all others of the file."""
    trouble: str = ""
    """Why its text cannot be used."""
    lacking: tuple[str, ...] = ()
    """What records that hold do not tell."""
    cautions: tuple[str, ...] = ()
    """What they tell that no correction mends."""

    @property
    def correcting(self) -> tuple[Judged, ...]:
        """Steps that a run wants: a valid loopback stands for skew and line, and else these do."""
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
        """All that a run wants is there and holds."""
        holds = all(each.validity is Validity.VALID for each in self.correcting)
        return holds and not self.lacking


_WRONG = (Validity.EXPIRED, Validity.NOT_MATCHING)


def bench_in_use(
    texts: Mapping[str, str], text: str, created: str, settings: Settings
) -> tuple[Bench, CalibrationInUse]:
    """What is known of the errors of a run's bench, from all that its file tells.

    `text`: of the calibration, which need not be the file's own. What does not hold corrects
    nothing: what the fixture or the maker tells stays in its place.
    """
    fixture = fixture_of_texts(texts)
    used = calibration_in_use(fixture, texts, text, created)
    bench = bench_of_run(fixture, texts, settings.sample_rate_hz)
    holding = valid_records(used.judged)
    present = present_of_texts(fixture, texts)
    bench, lacking = calibrated_bench(bench, holding, settings.wiring, present)
    return bench, replace(used, lacking=lacking, cautions=cautions(holding, texts))


def calibration_in_use(
    fixture: Fixture | None, texts: Mapping[str, str], text: str, created: str
) -> CalibrationInUse:
    """Judge a calibration's text for a run.

    fixture: as `fixture_of_texts` reads it. texts: those of the run file. created: when the run was
    made, by which dates are judged.
    """
    found: Calibration | None = None
    trouble = ""
    try:
        if len(text) > MAX_BYTES:
            trouble = f"it has more than {MAX_BYTES >> 20} MiB"
        elif text:
            found = parse_calibration(text, CALIBRATION)
            if fixture is not None and fixture.name != found.fixture:
                trouble = f"it is of fixture {found.fixture}, the run was made on {fixture.name}"
                found = None
    except InputError as error:
        trouble = str(error)
    present = present_of_texts(fixture, texts)
    judged = judge(found, present, _day(created), tuple(CORRECTING_STEPS))
    return CalibrationInUse(bool(text), judged, trouble)


def calibration_for(path: Path, asked: str | None) -> str:
    """Text of the calibration to compute a run file's figures with, "" for none.

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


def calibration_json(used: CalibrationInUse) -> dict[str, object]:
    """As plain values; docs/calibration-file.md lists the names."""
    return {
        "used": used.is_there and not used.trouble,
        "trouble": used.trouble or None,
        "lacking": list(used.lacking),
        "cautions": list(used.cautions),
        "whole": used.is_whole,
        "applied": [record.step for record in valid_records(used.correcting)],
        "steps": [
            {
                "step": each.step,
                "validity": str(each.validity),
                "why": each.why or None,
                "date": None if each.record is None else each.record.date.isoformat(),
                "valid_until": None
                if each.record is None or each.record.valid_until is None
                else each.record.valid_until.isoformat(),
            }
            for each in used.judged
        ],
    }


def correction_json(correction: Correction, indicated: Statistics) -> dict[str, object]:
    """Figures with what the bench is known to add taken off, and what may be left of it."""
    figures = as_dict(correction.figures(indicated))
    figures.pop("n")
    left_ns = None if indicated.max_ns is None else correction.left_ns(indicated.max_ns)
    return {
        **figures,
        "factor": correction.factor,
        "offset_ns": correction.offset_ns,
        "left_ns": left_ns,
        "unknown": list(correction.unknown),
    }


def fixture_of_texts(texts: Mapping[str, str]) -> Fixture | None:
    """None if the run file has none, or that of an older rig, which is not readable any more."""
    with contextlib.suppress(InputError):
        return parse_fixture(texts.get("fixture", ""), "fixture")
    return None


def _day(created: str) -> dt.date:
    """Of a time that cannot be read it cannot be told that anything was valid then."""
    try:
        return dt.datetime.fromisoformat(created).astimezone(dt.UTC).date()
    except (ValueError, OverflowError):
        return dt.date.max
