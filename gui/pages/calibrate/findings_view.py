# SPDX-License-Identifier: GPL-3.0-or-later
"""A view of findings, with what to do about each; what a step drew, in even columns."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from calibration.findings import Finding
from calibration.wizard import StageReport
from gui.theme import GAP, theme
from rig.printable import html_text


class FindingsView(QTextBrowser):
    """A text that grows at its end; written again in other colors when the theme changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[StageReport | str] = []
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.setObjectName("card")
        self.setAccessibleName(self.tr("Findings"))
        self.document().setDocumentMargin(GAP)
        self.setPlaceholderText(self.tr("What a step finds is said here."))
        theme().changed.connect(self._retell)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is shown."""
        return not self._parts

    def clear_all(self) -> None:
        """Show nothing."""
        self._parts = []
        self.clear()

    def show_progress(self, text: str) -> None:
        """Show a line of progress."""
        self._add(text)

    def show_report(self, report: StageReport) -> None:
        """Show what a step found."""
        self._add(report)

    def _add(self, part: StageReport | str) -> None:
        self._parts.append(part)
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.append(_html(part))
        self.moveCursor(QTextCursor.MoveOperation.End)

    def _retell(self) -> None:
        self.clear()
        for part in self._parts:
            self.append(_html(part))


def _html(part: StageReport | str) -> str:
    colors = theme().palette
    if isinstance(part, str):
        return f'<span style="color:{colors.dim}">{html_text(part)}</span>'
    text = "\n".join(part.lines)
    lines = f'<pre style="color:{colors.ink}">{html_text(text)}</pre>' if text else ""
    return lines + "".join(map(finding_html, part.findings))


def finding_html(finding: Finding) -> str:
    """Return a paragraph: the finding in the color of its weight, below it what to do."""
    colors = theme().palette
    tone = colors.bad if finding.fault else colors.warn
    remedy = f'<br><span style="color:{colors.ink}">{html_text(finding.remedy)}</span>'
    return (
        f'<p><span style="color:{tone};font-weight:600">{html_text(finding.text)}</span>'
        f"{remedy if finding.remedy else ''}</p>"
    )
