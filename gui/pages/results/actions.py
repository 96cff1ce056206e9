# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done on the Results page, each with a shortcut."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.widgets.actions import SEPARATOR

CONTEXT: Final = "Results"
ACTIONS: Final = (
    # name, text, shortcut
    ("open_folder", QT_TRANSLATE_NOOP("Results", "Open &folder..."), "Ctrl+O"),
    ("open_file", QT_TRANSLATE_NOOP("Results", "Open &run file..."), "Ctrl+Shift+O"),
    ("search", QT_TRANSLATE_NOOP("Results", "&Search"), "Ctrl+F"),
    ("tags", QT_TRANSLATE_NOOP("Results", "Edit &tags and note"), "Ctrl+T"),
    SEPARATOR,
    ("report", QT_TRANSLATE_NOOP("Results", "Sho&w report"), "F6"),
    ("events", QT_TRANSLATE_NOOP("Results", "Show &events"), "F7"),
    ("compare", QT_TRANSLATE_NOOP("Results", "&Compare chosen runs"), "F8"),
    SEPARATOR,
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
    SEPARATOR,
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
