# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things were left, from one start to the next."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings


def stored_state(settings: QSettings, key: str) -> QByteArray:
    """The state of a splitter or a header; empty if none was kept, or it is something else."""
    value = settings.value(key)
    return value if isinstance(value, QByteArray) else QByteArray()
