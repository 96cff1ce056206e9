# SPDX-License-Identifier: GPL-3.0-or-later
"""The validity of what was found of a bench. Each record is judged by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from rig.config.calibration.record import Calibration, CalibrationRecord


class Validity(StrEnum):
    """The validity of the newest record of one step."""

    VALID = "valid"
    EXPIRED = "expired"
    NOT_MATCHING = "not matching"
    """The record is of another bench than this one."""
    ABSENT = "absent"


@dataclass(frozen=True)
class RecordStatus:
    """One step, its newest record, and whether that is valid."""

    step: str
    record: CalibrationRecord | None
    validity: Validity
    why: str = ""
    """The reason why it is not valid, in words; "" if it is."""


def judge_record(
    step: str, record: CalibrationRecord | None, present: Mapping[str, str], day: date
) -> RecordStatus:
    """Judge a record by what is on the bench, as far as `present` tells it, on the run's `day`."""
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
    """Judge the newest record of each step of the file, and of `steps`, which come first."""
    known = calibration or Calibration("")
    names = dict.fromkeys((*steps, *known.steps))
    return tuple(judge_record(step, known.newest(step), present, day) for step in names)


def valid_records(judged: Iterable[RecordStatus]) -> tuple[CalibrationRecord, ...]:
    """Return the records that are valid."""
    return tuple(
        each.record
        for each in judged
        if each.record is not None and each.validity is Validity.VALID
    )
