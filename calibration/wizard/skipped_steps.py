# SPDX-License-Identifier: GPL-3.0-or-later
"""What was not measured is said in the calibration, too."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from calibration.wizard.stages import special_wiring
from rig.config.calibration.file import append_record, load_calibration
from rig.config.calibration.names import LEFT_OUT
from rig.config.calibration.record import Calibration, CalibrationRecord


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
