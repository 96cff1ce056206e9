# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of the Calibrate page stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import PlainLabel, caption

SIZES: Final = (340, 220)


@dataclass(frozen=True)
class CalibrateWidgets:
    """The parts of the page, from top to bottom."""

    benches: QWidget
    heading: QWidget
    seconds: QWidget
    banner: QWidget
    records: QWidget
    text: PlainLabel
    """What the chosen step does."""
    found: QWidget
    """What it found."""


def layout(parts: CalibrateWidgets, buttons: Sequence[QPushButton]) -> QLayout:
    """Bench and buttons above; records, and below them what the chosen step does and found."""
    parts.text.setWordWrap(True)
    parts.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    body = QSplitter(Qt.Orientation.Vertical)
    body.setChildrenCollapsible(False)
    body.addWidget(parts.records)
    body.addWidget(_below(parts))
    for at, size in enumerate(SIZES):
        body.setStretchFactor(at, size)
    body.setSizes(list(SIZES))
    whole = QVBoxLayout()
    whole.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    whole.setSpacing(GAP)
    whole.addLayout(_bar(parts, buttons))
    whole.addWidget(parts.banner)
    whole.addWidget(body, 1)
    return whole


def _below(parts: CalibrateWidgets) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(GAP)
    column.addWidget(parts.text)
    column.addWidget(parts.found, 1)
    return part


def _bar(parts: CalibrateWidgets, buttons: Sequence[QPushButton]) -> QHBoxLayout:
    bar = QHBoxLayout()
    bar.setSpacing(GAP)
    bar.addLayout(_named(_tr("Bench"), parts.benches))
    bar.addSpacing(GAP)
    bar.addWidget(parts.heading, 1, Qt.AlignmentFlag.AlignBottom)
    bar.addLayout(_named(_tr("Clocks watched for"), parts.seconds))
    for button in buttons:
        bar.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
    return bar


def _named(text: str, field: QWidget) -> QVBoxLayout:
    name = caption(text)
    name.setBuddy(field)
    column = QVBoxLayout()
    column.setSpacing(GAP_S // 2)
    column.addWidget(name)
    column.addWidget(field)
    return column


def _tr(text: str) -> str:
    """A text of this file in the language in force."""
    return QCoreApplication.translate("layout", text)
