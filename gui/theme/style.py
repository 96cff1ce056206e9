# SPDX-License-Identifier: GPL-3.0-or-later
"""The style sheet of the whole window, from a palette."""

from __future__ import annotations

from string import Template

from gui.theme.palette import Palette

_SHEET = Template(
    """
QMainWindow, QDialog { background: $window; }
QToolTip { background: $panel; color: $ink; border: 1px solid $line; padding: 4px; }

QMenuBar { background: $window; border-bottom: 1px solid $line; padding: 1px 8px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $raised; }
QMenu { background: $panel; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: $accent; color: $accent_ink; }
QMenu::item:disabled { color: $dim; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QStatusBar { background: $window; border-top: 1px solid $line; color: $dim; }
QStatusBar::item { border: none; }
QStatusBar QLabel { padding: 2px 14px; }

#navigation { background: $window; border-right: 1px solid $line; }
#navigation QToolButton { border: none; border-radius: 8px; color: $dim; padding: 8px 4px;
  min-width: 64px; }
#navigation QToolButton:hover { background: $raised; color: $ink; }
#navigation QToolButton:checked { background: $raised; color: $accent; font-weight: 600; }
#navigation QToolButton:focus { border: 1px solid $accent; }

QPushButton { background: $panel; border: 1px solid $line; border-radius: 6px;
  padding: 6px 14px; color: $ink; }
QPushButton:hover { background: $raised; }
QPushButton:pressed { background: $line; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $dim; background: $window; }
QPushButton[primary="true"] { background: $accent; color: $accent_ink; border-color: $accent;
  font-weight: 600; }
QPushButton[primary="true"]:focus { border: 2px solid $ink; }
QPushButton[primary="true"]:disabled { background: $raised; color: $dim; border-color: $line; }
QPushButton[link="true"] { background: transparent; border: none; color: $accent;
  padding: 4px 6px; }
QPushButton[link="true"]:hover, QPushButton[link="true"]:focus { text-decoration: underline; }

QComboBox, QSpinBox, QLineEdit, QPlainTextEdit { min-height: 18px; background: $panel;
  border: 1px solid $line; border-radius: 6px; padding: 5px 8px; color: $ink;
  selection-background-color: $accent;
  selection-color: $accent_ink; }
QSpinBox QLineEdit, QComboBox QLineEdit { border: none; padding: 0 8px; min-height: 0;
  background: transparent; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; border: none; }
QComboBox:focus, QSpinBox:focus, QLineEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QComboBox:disabled, QSpinBox:disabled { color: $dim; background: $window; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { width: 0; height: 0; margin-right: 8px; border-top: 5px solid $dim;
  border-left: 4px solid $panel; border-right: 4px solid $panel; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $line; outline: none;
  selection-background-color: $accent; selection-color: $accent_ink; }

QTableView, QTreeView, QListView { background: $panel; border: 1px solid $line;
  border-radius: 6px; alternate-background-color: $window; gridline-color: $grid;
  selection-background-color: $accent; selection-color: $accent_ink; outline: none; }
QHeaderView::section { background: $window; color: $dim; border: none;
  border-bottom: 1px solid $line; padding: 4px 8px; }

#card { background: $panel; border: 1px solid $line; border-radius: 8px; }
#caption { color: $dim; }
#dim { color: $dim; }
#banner { border-radius: 8px; border: 1px solid $line; background: $panel; }
#banner[kind="good"] { border-color: $good; }
#banner[kind="warn"] { border-color: $warn; }
#banner[kind="bad"] { border-color: $bad; }

QProgressBar { border: none; border-radius: 2px; background: $raised; max-height: 4px;
  min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QSplitter::handle { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; }
QScrollBar:horizontal { background: transparent; height: 10px; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 2px; min-height: 24px;
  min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
"""
)


def style_sheet(colors: Palette) -> str:
    """The whole sheet."""
    return _SHEET.substitute({name: getattr(colors, name) for name in colors.__dataclass_fields__})
