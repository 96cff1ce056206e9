# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Calibrate page, each with a shortcut."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.widgets.actions import SEPARATOR

CONTEXT: Final = "CalibrateMenu"
ACTIONS: Final = (
    # name, text, shortcut
    ("new", QT_TRANSLATE_NOOP("CalibrateMenu", "&New bench …"), "Ctrl+N"),
    ("open", QT_TRANSLATE_NOOP("CalibrateMenu", "&Open fixture …"), "Ctrl+O"),
    ("file", QT_TRANSLATE_NOOP("CalibrateMenu", "Open &calibration …"), "Ctrl+L"),
    ("own", QT_TRANSLATE_NOOP("CalibrateMenu", "The bench's o&wn calibration"), "Ctrl+Shift+L"),
    SEPARATOR,
    ("step", QT_TRANSLATE_NOOP("CalibrateMenu", "Take this &step"), "Ctrl+R"),
    ("all", QT_TRANSLATE_NOOP("CalibrateMenu", "Take &all steps"), "Ctrl+Shift+R"),
    ("stop", QT_TRANSLATE_NOOP("CalibrateMenu", "S&top"), "Ctrl+E"),
)
