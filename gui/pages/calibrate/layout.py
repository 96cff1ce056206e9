# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of the Calibrate page stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption

if TYPE_CHECKING:
    from gui.pages.calibrate.page import CalibratePage

SIZES: Final = (340, 220)


def lay_out(page: CalibratePage) -> None:
    """Bench and buttons above; records, and below them what the chosen step does and found."""
    page.text.setWordWrap(True)
    page.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    body = QSplitter(Qt.Orientation.Vertical)
    body.setChildrenCollapsible(False)
    body.addWidget(page.records)
    body.addWidget(_below(page))
    for at, size in enumerate(SIZES):
        body.setStretchFactor(at, size)
    body.setSizes(list(SIZES))
    whole = QVBoxLayout(page)
    whole.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    whole.setSpacing(GAP)
    whole.addLayout(_bar(page))
    whole.addWidget(page.banner)
    whole.addWidget(body, 1)


def _below(page: CalibratePage) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(GAP)
    column.addWidget(page.text)
    column.addWidget(page.found, 1)
    return part


def _bar(page: CalibratePage) -> QHBoxLayout:
    bar = QHBoxLayout()
    bar.setSpacing(GAP)
    bar.addLayout(_named(_tr("Bench"), page.benches))
    bar.addSpacing(GAP)
    bar.addWidget(page.heading, 1, Qt.AlignmentFlag.AlignBottom)
    bar.addLayout(_named(_tr("Clocks watched for"), page.seconds))
    for action in (page.menu.stop, page.menu.new, page.menu.all, page.menu.step):
        bar.addWidget(_button(action, primary=action is page.menu.step),
                      0, Qt.AlignmentFlag.AlignBottom)  # fmt: skip
    return bar


def _named(text: str, field: QWidget) -> QVBoxLayout:
    name = caption(text)
    name.setBuddy(field)
    column = QVBoxLayout()
    column.setSpacing(GAP_S // 2)
    column.addWidget(name)
    column.addWidget(field)
    return column


def _button(action: QAction, *, primary: bool) -> QPushButton:
    """It does what the action does, and is enabled when that is."""
    button = QPushButton(action.text().replace("&", ""))
    button.setToolTip(action.toolTip())
    button.setProperty("primary", primary)
    button.setMinimumHeight(32)
    button.clicked.connect(action.trigger)
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    return button


def _tr(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("layout", text)
