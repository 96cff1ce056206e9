# SPDX-License-Identifier: GPL-3.0-or-later
"""A strip that says how something ended: a headline, reasons, what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.widgets.labels import PlainLabel, RichLabel
from rig.printable import html_text

REASONS_MAX: Final = 2
"""What happened, and what is kept; others follow from it, and the page below needs the room."""
SHORT: Final = 40
"""Reasons that share a line."""
SHORT_MAX: Final = 4


class Banner(QFrame):
    """Hidden until `tell`; the user closes it, or the next run does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._headline = RichLabel(wordWrap=True)
        self._reasons = PlainLabel(wordWrap=True)
        self._reasons.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._headline, self._reasons):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts = QVBoxLayout()
        texts.setSpacing(GAP_S)
        texts.addWidget(self._headline)
        texts.addWidget(self._reasons)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(GAP_S)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP_L, GAP, GAP, GAP)
        row.addLayout(texts, 1)
        row.addLayout(self._buttons)
        self._kind, self._word, self._text = "good", "", ""
        self._all: tuple[str, ...] = ()
        theme().changed.connect(self._retell)
        self.hide()

    @property
    def text(self) -> str:
        """All that it has been told, also what it has no room for."""
        return "\n".join([f"{self._word} {self._text}", *self._all]).strip()

    def set_message(
        self,
        kind: str,
        word: str,
        text: str,
        reasons: Sequence[str],
        buttons: Sequence[QPushButton],
    ) -> None:
        """`kind` is good, warn or bad; `word` stands out, `text` follows it."""
        self._kind, self._word, self._text = kind, word, text
        self._all = tuple(reasons)
        short = all(len(reason) <= SHORT for reason in reasons)
        most = SHORT_MAX if short else REASONS_MAX
        shown = list(reasons[:most])
        if len(reasons) > most:
            more = self.tr("and {0} more, in Results").format(len(reasons) - most)
            shown[-1] = f"{shown[-1]}  ·  {more}"
        self._reasons.setText("  ·  ".join(shown) if short else "\n".join(shown))
        self._reasons.setVisible(bool(shown))
        while (item := self._buttons.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for button in buttons:
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.setProperty("kind", kind)
        self._retell()
        self.show()

    def _retell(self) -> None:
        color = getattr(theme().palette, self._kind)
        word, text = html_text(self._word), html_text(self._text)
        self._headline.setText(f'<b style="color:{color}">{word}</b>&nbsp; {text}')
        self.style().unpolish(self)
        self.style().polish(self)
