# SPDX-License-Identifier: GPL-3.0-or-later
"""The instruments of this machine, what is missing, how to mend it; found ones are offered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.pages.wire.labels import tr
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.tool_tips import tool_tip
from gui.widgets.labels import PlainLabel, caption, dim
from rig.services.finding import DoctorFinding


class InstrumentList(QFrame):
    """A row for each finding of `rig doctor`, those that need doing first."""

    offered = Signal(str, object)
    """The table, and values by key, that a found instrument would have in the fixture."""
    ask_wanted = Signal(str)
    """The host that is to be asked what it has and lacks."""
    again = Signal()
    """The user asks for another look."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.findings: tuple[DoctorFinding, ...] = ()
        """Of this machine, as shown."""
        self.answers: tuple[DoctorFinding, ...] = ()
        """Of a target that was asked; above the others."""
        self._looking, self._asking = "", ""
        self.uses: list[QPushButton] = []
        """Buttons that put an instrument into the fixture."""
        self._colored: list[tuple[PlainLabel, str]] = []
        self._told = dim()
        self._told.setWordWrap(True)
        self.look = QPushButton(self.tr("Look again"))
        self.look.setProperty("link", True)
        self.look.clicked.connect(lambda _checked=False: self.again.emit())
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.viewport().setAutoFillBackground(False)
        self._area.setStyleSheet("QScrollArea { background: transparent; }")
        self._lay_out()
        theme().changed.connect(self._recolor)

    def show_looking(self) -> None:
        """Show that a look goes on; the rows of the last one stay."""
        self._looking = self.tr("looking …")
        self._tell()

    def show_asking(self, name: str) -> None:
        """Show that a target is being asked."""
        self._asking = self.tr("asking {0} …").format(name)
        self._tell()

    def show_answers(self, findings: Sequence[DoctorFinding]) -> None:
        """Show the findings that a target reports of itself."""
        self.answers, self._asking = tuple(findings), ""
        self._refill()

    def show_failure(self, text: str) -> None:
        """Show that a look, or an asking, ended without a finding."""
        self._looking = self._asking = ""
        self._tell()
        self._told.setText(text)

    def _tell(self) -> None:
        """Show what goes on; else how much is missing."""
        self.look.setEnabled(not self._looking)
        every = (*self.answers, *self.findings)
        missing = sum(bool(f.mend) and f.needed for f in every)
        words = self.tr("{0} missing").format(missing) if missing else ""
        self._told.setText(self._asking or self._looking or words)

    def show_findings(self, findings: Sequence[DoctorFinding]) -> None:
        """Show rows for these findings."""
        self.findings, self._looking = tuple(findings), ""
        self._refill()

    def _refill(self) -> None:
        had_focus = self.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        findings = [*sorted(self.answers, key=_order), *sorted(self.findings, key=_order)]
        self._tell()
        self.uses, self._colored = [], []
        rows = QWidget()
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, GAP, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP_S)
        grid.setColumnStretch(2, 1)
        for at, finding in enumerate(findings):
            self._add_row(grid, at, finding)
        grid.setRowStretch(len(findings), 1)
        self._area.setWidget(rows)
        rows.setAutoFillBackground(False)  # which setWidget() had set
        self._recolor()
        if had_focus:
            self.look.setFocus()

    @property
    def text(self) -> str:
        """All that is shown, a line a row."""
        labels = self._area.findChildren(PlainLabel)
        return "\n".join([self._told.text(), *(label.text() for label in labels)]).strip()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GAP_L)
        head.addWidget(caption(self.tr("Found on this machine")))
        head.addWidget(self._told, 1)
        head.addWidget(self.look)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP_S, GAP, GAP)
        column.setSpacing(GAP_S)
        column.addLayout(head)
        column.addWidget(self._area, 1)

    def _add_row(self, grid: QGridLayout, at: int, finding: DoctorFinding) -> None:
        word, tone = _mark(finding)
        mark = PlainLabel(word)
        self._colored.append((mark, tone))
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(mark, at, 0, top)
        grid.addWidget(_plain(finding.what), at, 1, top)
        text = QVBoxLayout()
        text.setSpacing(0)
        text.addWidget(_wrapped(finding.state))
        if finding.mend:
            text.addWidget(self._remedy(finding.mend))
        grid.addLayout(text, at, 2)
        offer = _offer(finding)
        if finding.host:
            grid.addWidget(self._ask(finding), at, 3, top)
        if offer is not None:
            grid.addWidget(self._use(finding, *offer), at, 4, top)

    def _remedy(self, mend: str) -> PlainLabel:
        """Return a label of what to do, to be copied: often a command."""
        label = _wrapped(mend)
        label.setObjectName("")
        if mend.startswith(("apt-get", "sudo", "make")):
            label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        return label

    def _use(self, finding: DoctorFinding, table: str, values: dict[str, str]) -> QPushButton:
        lines = ", ".join(f'{key} = "{value}"' for key, value in values.items())
        button = _link(
            self.tr("Use"),
            self.tr("[{0}] {1} in the fixture").format(table, lines),
            self.tr("Use {0}").format(finding.what),
        )
        button.clicked.connect(lambda _checked=False: self.offered.emit(table, values))
        self.uses.append(button)
        return button

    def _ask(self, finding: DoctorFinding) -> QPushButton:
        button = _link(
            self.tr("Ask"),
            self.tr("What it has and what it lacks, over ssh"),
            self.tr("Ask {0}").format(finding.what),
        )
        button.clicked.connect(lambda _checked=False: self.ask_wanted.emit(finding.host))
        return button

    def _recolor(self) -> None:
        for label, tone in self._colored:
            label.setStyleSheet(f"color: {getattr(theme().palette, tone)}; font-weight: 600")


def _mark(finding: DoctorFinding) -> tuple[str, str]:
    if not finding.mend:
        return tr("ok"), "good"
    return (tr("missing"), "bad") if finding.needed else (tr("note"), "warn")


def _order(finding: DoctorFinding) -> int:
    """Return the rank: what is missing, then instruments, notes, what is in order, hosts."""
    if finding.mend and finding.needed:
        return 0
    if finding.host:
        return 4
    if _offer(finding) is not None:
        return 1
    return 2 if finding.mend else 3


def _offer(finding: DoctorFinding) -> tuple[str, dict[str, str]] | None:
    if finding.driver:
        return "analyzer", {"driver": finding.driver}
    if finding.host:
        return "target", {"link": "ssh", "host": finding.host}
    return ("stimulus", {"port": finding.port}) if finding.port else None


def _link(text: str, hint: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("link", True)
    button.setStyleSheet("padding: 0 6px")
    button.setToolTip(tool_tip(hint))
    button.setAccessibleName(name)
    return button


def _plain(text: str) -> PlainLabel:
    label = PlainLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _wrapped(text: str) -> PlainLabel:
    label = dim(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
