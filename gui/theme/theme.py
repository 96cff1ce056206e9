# SPDX-License-Identifier: GPL-3.0-or-later
"""Which palette is in force: as the system says, or as chosen. Tells whoever draws."""

from __future__ import annotations

from functools import cache
from typing import Final

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.theme.palette import DARK, LIGHT, Palette
from gui.theme.style import style_sheet

CHOICES: Final = ("system", "light", "dark")
_KEY: Final = "window/theme"


class Theme(QObject):
    """The palette in force. Widgets that draw for themselves redraw on `changed`."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice = "system"
        self._palette = LIGHT

    @property
    def palette(self) -> Palette:
        """The colors to draw with."""
        return self._palette

    @property
    def choice(self) -> str:
        """One of CHOICES."""
        return self._choice

    def begin(self, settings: QSettings) -> None:
        """Take the choice of last time and follow the system from now on."""
        QGuiApplication.styleHints().colorSchemeChanged.connect(
            self._follow, Qt.ConnectionType.UniqueConnection
        )
        stored = str(settings.value(_KEY, "system"))
        self.choose(stored if stored in CHOICES else "system")

    def choose(self, choice: str, settings: QSettings | None = None) -> None:
        """Use one of CHOICES, and remember it if `settings` are given."""
        self._choice = choice
        if settings is not None:
            settings.setValue(_KEY, choice)
        self._follow()

    def _follow(self) -> None:
        system_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        dark = self._choice == "dark" or (self._choice == "system" and system_dark)
        self._palette = DARK if dark else LIGHT
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(_qt_palette(self._palette))
            app.setStyleSheet(style_sheet(self._palette))
        self.changed.emit()


@cache
def theme() -> Theme:
    """The one theme of this process."""
    return Theme()


def figures_font(points: float, *, bold: bool = False) -> QFont:
    """A font whose digits are all as wide as each other: changing figures do not dance."""
    font = QFont(QApplication.font())
    font.setPointSizeF(points)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def _qt_palette(colors: Palette) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, color in (
        (role.Window, colors.window),
        (role.WindowText, colors.ink),
        (role.Base, colors.panel),
        (role.AlternateBase, colors.window),
        (role.Text, colors.ink),
        (role.Button, colors.raised),
        (role.ButtonText, colors.ink),
        (role.BrightText, colors.bad),
        (role.ToolTipBase, colors.panel),
        (role.ToolTipText, colors.ink),
        (role.PlaceholderText, colors.dim),
        (role.Highlight, colors.accent),
        (role.HighlightedText, colors.accent_ink),
        (role.Link, colors.accent),
        (role.Mid, colors.line),
    ):
        palette.setColor(which, QColor(color))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colors.dim))
    return palette
