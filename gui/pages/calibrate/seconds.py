# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long clocks are watched."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QSpinBox

from calibration.settings import SECONDS_MAX, SECONDS_MIN, CalibrationSettings
from gui.theme import GAP


def seconds_box() -> QSpinBox:
    """A field."""
    box = QSpinBox(minimum=SECONDS_MIN, maximum=SECONDS_MAX, value=CalibrationSettings().seconds)
    box.setSuffix(" s")
    box.setMinimumWidth(90)
    box.setFixedHeight(32)
    box.lineEdit().setTextMargins(GAP, 0, 0, 0)
    box.setAccessibleName(QCoreApplication.translate("seconds", "Clocks watched for"))
    return box
