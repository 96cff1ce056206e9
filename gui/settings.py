# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept from start to start."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSettings

ORGANIZATION: Final = "latency-rig"


def open_settings() -> QSettings:
    """The user's settings, a readable file."""
    return QSettings(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, ORGANIZATION, ORGANIZATION
    )
