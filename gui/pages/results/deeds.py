# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's actions: every one in the menu, with a shortcut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

SEPARATOR: Final = ""
DEEDS: Final = (
    # name, words, shortcut
    ("open_folder", QT_TRANSLATE_NOOP("Results", "Open &folder..."), "Ctrl+O"),
    ("open_file", QT_TRANSLATE_NOOP("Results", "Open &run file..."), "Ctrl+Shift+O"),
    ("search", QT_TRANSLATE_NOOP("Results", "&Search"), "Ctrl+F"),
    ("tags", QT_TRANSLATE_NOOP("Results", "Edit &tags and note"), "Ctrl+T"),
    (SEPARATOR, "", ""),
    ("report", QT_TRANSLATE_NOOP("Results", "Sho&w report"), "F6"),
    ("events", QT_TRANSLATE_NOOP("Results", "Show &events"), "F7"),
    ("compare", QT_TRANSLATE_NOOP("Results", "&Compare chosen runs"), "F8"),
    (SEPARATOR, "", ""),
    ("previous_outlier", QT_TRANSLATE_NOOP("Results", "&Previous outlier"), "Shift+N"),
    ("next_outlier", QT_TRANSLATE_NOOP("Results", "&Next outlier"), "N"),
    ("worst", QT_TRANSLATE_NOOP("Results", "W&orst event"), "W"),
    ("previous_event", QT_TRANSLATE_NOOP("Results", "Previous event"), "Ctrl+Left"),
    ("next_event", QT_TRANSLATE_NOOP("Results", "Next event"), "Ctrl+Right"),
    ("go_to", QT_TRANSLATE_NOOP("Results", "&Go to event or time..."), "Ctrl+G"),
    ("cursors", QT_TRANSLATE_NOOP("Results", "C&ursors"), "C"),
    ("zoom_in", QT_TRANSLATE_NOOP("Results", "Zoom &in"), "Ctrl++"),
    ("zoom_out", QT_TRANSLATE_NOOP("Results", "&Zoom out"), "Ctrl+-"),
    ("whole_event", QT_TRANSLATE_NOOP("Results", "Whole e&vent"), "Ctrl+0"),
    ("all_events", QT_TRANSLATE_NOOP("Results", "&All events"), "Ctrl+Shift+0"),
    (SEPARATOR, "", ""),
    ("export_picture", QT_TRANSLATE_NOOP("Results", "E&xport picture..."), "Ctrl+E"),
    ("export_table", QT_TRANSLATE_NOOP("Results", "Export ta&ble..."), "Ctrl+Shift+T"),
    ("export_event", QT_TRANSLATE_NOOP("Results", "Export capture of event..."), "Ctrl+Shift+E"),
    ("export_capture", QT_TRANSLATE_NOOP("Results", "Export who&le capture..."), "Ctrl+Shift+W"),
    ("export_report", QT_TRANSLATE_NOOP("Results", "Export report..."), "Ctrl+Shift+R"),
)
CHECKABLE: Final = ("cursors",)
OF_A_RUN: Final = ("tags", "report", "export_picture", "export_capture", "export_report")
OF_EVENTS: Final = (
    "events", "previous_outlier", "next_outlier", "worst", "previous_event", "next_event", "go_to",
    "cursors", "zoom_in", "zoom_out", "whole_event", "all_events", "export_event",
)  # fmt: skip


def make_actions(page: QWidget, calls: dict[str, Callable[[], object]]) -> dict[str, QAction]:
    """All of them, added to the page; they work while it has the focus. By name."""
    made: dict[str, QAction] = {}
    for name, words, keys in DEEDS:
        action = QAction(page)
        page.addAction(action)
        if name == SEPARATOR:
            action.setSeparator(True)
            continue
        action.setText(QCoreApplication.translate("Results", str(words)))
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setCheckable(name in CHECKABLE)
        call = calls[name]
        action.triggered.connect(lambda _checked=False, call=call: call())
        plain = action.text().replace("&", "")
        action.setToolTip(f"{plain} ({action.shortcut().toString()})")
        made[name] = action
    return made
