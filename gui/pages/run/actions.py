# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Run page, each with a shortcut."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

CONTEXT: Final = "RunMenu"
ACTIONS: Final = (
    # name, text, shortcut
    ("run", QT_TRANSLATE_NOOP("RunMenu", "&Run"), "Space"),
    ("open_fixture", QT_TRANSLATE_NOOP("RunMenu", "Open &fixture …"), "Ctrl+O"),
    ("open_plan", QT_TRANSLATE_NOOP("RunMenu", "Open &plan …"), "Ctrl+Shift+O"),
    ("open_calibration", QT_TRANSLATE_NOOP("RunMenu", "Open &calibration …"), "Ctrl+L"),
    ("several", QT_TRANSLATE_NOOP("RunMenu", "Measure &several plans"), "Ctrl+M"),
    ("again", QT_TRANSLATE_NOOP("RunMenu", "Read fixture and plan &again"), "F5"),
    ("bulk", QT_TRANSLATE_NOOP("RunMenu", "Histogram of the &bulk (99.9 %)"), "B"),
    ("whole", QT_TRANSLATE_NOOP("RunMenu", "&Whole histogram"), "A"),
    ("results", QT_TRANSLATE_NOOP("RunMenu", "Show in Resu&lts"), "Ctrl+R"),
    ("report", QT_TRANSLATE_NOOP("RunMenu", "Open r&eport"), "Ctrl+E"),
)
CHECKABLE: Final = ("bulk",)
