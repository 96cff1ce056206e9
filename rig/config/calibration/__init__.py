# SPDX-License-Identifier: GPL-3.0-or-later
"""What has been found of a bench itself: values, their file, and whether they still hold."""

from rig.config.calibration.bench_identity import present_instruments
from rig.config.calibration.file import append_record, load_calibration, parse_calibration
from rig.config.calibration.paths import calibration_path
from rig.config.calibration.record import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.calibration.validity import RecordStatus, Validity, judge

__all__ = [
    "CalibratedQuantity",
    "Calibration",
    "CalibrationRecord",
    "RecordStatus",
    "Validity",
    "append_record",
    "calibration_path",
    "judge",
    "load_calibration",
    "parse_calibration",
    "present_instruments",
]
