# SPDX-License-Identifier: GPL-3.0-or-later
"""What only this page has, in the window's colors."""

from __future__ import annotations

from string import Template

from gui.theme.palette import Palette

_SHEET = Template(
    """
QTabWidget::pane { border: none; border-top: 1px solid $line; padding-top: 8px; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $dim; border: none; padding: 6px 2px;
  margin-right: 20px; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $ink; }
QTabBar::tab:selected { color: $ink; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; }
QToolButton { background: $panel; border: 1px solid $line; border-radius: 6px; color: $ink;
  padding: 5px 10px; }
QToolButton:hover { background: $raised; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { background: $raised; border-color: $accent; color: $accent; }
QToolButton:disabled { color: $dim; background: $window; }
QTableView::item { padding: 0 8px; border: none; }
QTableView::item:selected { background: $accent; color: $accent_ink; }
QTextBrowser { background: $panel; border: none; border-radius: 8px; }
"""
)


def page_sheet(colors: Palette) -> str:
    """The style sheet of the page, on top of the window's."""
    return _SHEET.substitute({name: getattr(colors, name) for name in colors.__dataclass_fields__})
