# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Wire page, each with a shortcut."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.widgets.actions import SEPARATOR

CONTEXT: Final = "WireMenu"
ACTIONS: Final = (
    # name, text, shortcut
    ("open", QT_TRANSLATE_NOOP("WireMenu", "&Open fixture …"), "Ctrl+O"),
    ("save", QT_TRANSLATE_NOOP("WireMenu", "&Save"), "Ctrl+S"),
    ("save_as", QT_TRANSLATE_NOOP("WireMenu", "Save &as …"), "Ctrl+Shift+S"),
    ("again", QT_TRANSLATE_NOOP("WireMenu", "Read from &disk again"), "F5"),
    ("use", QT_TRANSLATE_NOOP("WireMenu", "&Run on this bench"), "Ctrl+R"),
    SEPARATOR,
    ("listen", QT_TRANSLATE_NOOP("WireMenu", "Show le&vels"), "F9"),
    ("look", QT_TRANSLATE_NOOP("WireMenu", "&Look for instruments"), "Ctrl+L"),
    ("ask", QT_TRANSLATE_NOOP("WireMenu", "As&k the target"), "Ctrl+T"),
    SEPARATOR,
    ("error", QT_TRANSLATE_NOOP("WireMenu", "Go to the &error"), "F8"),
    ("picture", QT_TRANSLATE_NOOP("WireMenu", "To the &picture"), "F6"),
    ("text", QT_TRANSLATE_NOOP("WireMenu", "To the &text"), "F7"),
)


def levels_text(*, shown: bool) -> str:
    """The action does the opposite of what is."""
    if shown:
        return QCoreApplication.translate("WireMenu", "Hide le&vels")
    return QCoreApplication.translate("WireMenu", "Show le&vels")
