# SPDX-License-Identifier: GPL-3.0-or-later
"""A record goes into the calibration file; what it would hide of an older one goes with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rig.config.calibration.file import append_record, load_calibration
from rig.config.calibration.names import LINE_STEP
from rig.config.calibration.record import CalibrationRecord


def keep_record(path: Path, fixture: str, record: CalibrationRecord) -> None:
    """Add it. Raises InputError, BenchError, as append_record does."""
    known = load_calibration(path).newest(record.step) if path.exists() else None
    append_record(path, fixture, record if known is None else with_other_wires(record, known))


def with_other_wires(record: CalibrationRecord, known: CalibrationRecord) -> CalibrationRecord:
    """A wire's delay beside that of the wire measured before, on the same bench.

    One measurement is of one wire, and a run wants the newest record to know both.
    """
    if record.step != LINE_STEP or not record.quantities:
        return record
    if dict(record.instruments) != dict(known.instruments):
        return record
    mine = {_signal(each.subject) for each in record.quantities}
    others = tuple(each for each in known.quantities if _signal(each.subject) not in mine)
    if not others:
        return record
    signals = " ".join(sorted({_signal(each.subject) for each in others}))
    day = known.date.date().isoformat()
    return replace(
        record,
        quantities=(*record.quantities, *others),
        conditions={**record.conditions, f"{signals} measured": f"{day}, kept"},
        valid_until=known.valid_until,
    )


def _signal(subject: str) -> str:
    return subject.partition(" ")[0]
