# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what was found of a bench still holds for it. Each record is judged by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from rig.config.calibration.record import Calibration, CalibrationRecord


class Validity(StrEnum):
    """Of the newest record of one step."""

    VALID = "valid"
    EXPIRED = "expired"
    NOT_MATCHING = "not matching"
    """The bench is another one than it was."""
    ABSENT = "absent"


@dataclass(frozen=True)
class RecordStatus:
    """One step, its newest record, and whether that holds."""

    step: str
    record: CalibrationRecord | None
    validity: Validity
    why: str = ""
    """Why it does not hold, in words; "" if it does."""


def judge_record(
    step: str, record: CalibrationRecord | None, present: Mapping[str, str], day: date
) -> RecordStatus:
    """`present`: what is on the bench; what it does not tell is not judged. `day`: of the run."""
    if record is None:
        return RecordStatus(step, None, Validity.ABSENT, "never calibrated")
    differing = [
        f"{key} was {was or 'not told'}, is {present[key] or 'not told'}"
        for key, was in record.instruments.items()
        if key in present and present[key] != was
    ]
    if differing:
        return RecordStatus(step, record, Validity.NOT_MATCHING, "; ".join(differing))
    if record.valid_until is not None and day > record.valid_until:
        why = f"was valid until {record.valid_until.isoformat()}"
        return RecordStatus(step, record, Validity.EXPIRED, why)
    return RecordStatus(step, record, Validity.VALID)


def judge(
    calibration: Calibration | None,
    present: Mapping[str, str],
    day: date,
    steps: Iterable[str] = (),
) -> tuple[RecordStatus, ...]:
    """The newest record of each step of the file, and of `steps`, which come first."""
    known = calibration or Calibration("")
    names = dict.fromkeys((*steps, *known.steps))
    return tuple(judge_record(step, known.newest(step), present, day) for step in names)


def valid_records(judged: Iterable[RecordStatus]) -> tuple[CalibrationRecord, ...]:
    """Those that hold."""
    return tuple(
        each.record
        for each in judged
        if each.record is not None and each.validity is Validity.VALID
    )
