# SPDX-License-Identifier: GPL-3.0-or-later
"""The Wire page: the bench as a picture, its fixture as text, and what this machine has for it."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction, QHideEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.pages.page import Page
from gui.pages.wire.benches import FIRST, BenchCombo, chosen_bench
from gui.pages.wire.checking import Checked
from gui.pages.wire.document import FixtureDocument
from gui.pages.wire.editing import set_text
from gui.pages.wire.editor import FixtureEditor
from gui.pages.wire.instruments import InstrumentList
from gui.pages.wire.levels import Levels
from gui.pages.wire.listener import Listener
from gui.pages.wire.looker import Looker
from gui.pages.wire.menu import WireMenu
from gui.pages.wire.picture import BenchPicture
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.widgets.labels import caption, dim
from rig.cli.doctor import Finding
from rig.config.fixture import Fixture
from rig.config.virtual import VirtualGuest

SPLITTER_KEY = "wire/splitter"
SIZES = (680, 480)
SIZES_LEFT = (430, 170)


class WirePage(Page):
    """One fixture at a time: seen, checked, edited, saved."""

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        """Opens the Run page's bench when it is entered."""
        super().__init__(parent)
        self.title = self.tr("Wire")
        self._settings = settings
        self._followed = ""
        self._looked = False
        self._heard_fixture: Fixture | None = None
        self.benches = BenchCombo(settings)
        self.heading = dim()
        self.picture = BenchPicture()
        self.instruments = InstrumentList()
        self.editor = FixtureEditor()
        self.message = QLabel(wordWrap=True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.document = FixtureDocument(self.editor, settings, self)
        self.looker = Looker(self)
        self.listener = Listener(self)
        self.menu = WireMenu(self)
        self._lay_out()
        self._connect()

    # --- what the window asks -------------------------------------------------------------------

    def entered(self) -> None:
        """Show the Run page's bench, unless another one was opened here since it was chosen."""
        chosen = chosen_bench(self._settings)
        if chosen != self._followed and not self.document.is_modified:
            self._followed = chosen
            if chosen != self.document.file.name and not self.document.open(chosen):
                self._open_first()
        else:
            self.document.follow_disk()
        if not self._looked:
            self._looked = True
            self.looker.start()
            self.instruments.show_looking()

    def _open_first(self) -> None:
        """The chosen one is gone, and an empty page helps nobody."""
        if not self.document.file.name:
            self.document.open(FIRST)

    def may_close(self) -> bool:
        """Asks if there are changes; `closable` comes once they are saved or given up."""
        if not self.document.is_modified:
            self.release()
            return True
        self.document.settle(self._close)
        return False

    def release(self) -> None:
        """Let go of all processes."""
        self.looker.stop()
        self.listener.close()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """A run that is started elsewhere needs the analyzer."""
        self.listener.stop()
        super().hideEvent(event)

    def _close(self) -> None:
        self.editor.document().setModified(False)
        self.closable.emit()

    # --- what the menu asks ---------------------------------------------------------------------

    def use_for_runs(self) -> None:
        """The Run page takes this bench; changes are saved first, since runs read the file."""
        self.document.settle(self._use)

    def _use(self) -> None:
        self._followed = self.document.file.name
        if self.document.is_modified:  # given up
            self.document.open(self.document.file.name)
        self.bench_wanted.emit(self.document.file.name)

    def toggle_listening(self) -> None:
        """Show levels and activity of the wires, or no longer; never while a run goes on."""
        fixture = self.document.check().fixture
        if self.listener.is_listening:
            self.listener.stop()
        elif fixture is None:
            self._trouble(self.document.state.message)
        elif fixture.virtual is not None and isinstance(fixture.virtual.target, VirtualGuest):
            self._trouble(self.tr("The analyzer of this bench is there only while a run goes on."))
        elif not self.is_bench_free():
            self._trouble(self.tr("A run is going on and has the analyzer; wait for its end."))
        else:
            self.status.emit(self.tr("Opening the analyzer …"))
            self.listener.start(fixture)

    def go_to_error(self) -> None:
        """The line that is marked."""
        if self.editor.error_line is not None:
            self.editor.go_to(self.editor.error_line)
        self.editor.setFocus()

    # --- what the parts say ---------------------------------------------------------------------

    def _opened(self) -> None:
        self.listener.stop()
        self.picture.clear()
        self._refresh()

    def _checked(self, checked: Checked) -> None:
        self.picture.show_fixture(checked.fixture)
        if checked.fixture is None or not _same_wiring(checked.fixture, self._heard_fixture):
            self.listener.stop()
        if checked.fixture is not None:
            self._heard_fixture = checked.fixture
            self.picture.choose(checked.wire_at(self.editor.textCursor().blockNumber() + 1))
        self._refresh()

    def _saved(self) -> None:
        name = self.document.file.name
        self.status.emit(self.tr("Saved to {0}").format(name))
        self._refresh()

    def _trouble(self, text: str) -> None:
        self.status.emit(text)
        self._say(text, "bad")

    def _wire_chosen(self, wire: int) -> None:
        lines = self.document.state.wire_lines
        if wire < len(lines):
            self.editor.go_to(lines[wire])

    def _wire_entered(self, wire: int) -> None:
        self._wire_chosen(wire)
        self.editor.setFocus()

    def _line_entered(self, line: int) -> None:
        if self.document.state.fixture is not None:
            self.picture.choose(self.document.state.wire_at(line))

    def _listening_changed(self, listening: bool) -> None:
        self.menu.show_listening(listening)
        if not listening:
            self.picture.show_levels(None)

    def _heard(self, levels: Levels) -> None:
        if self.picture.levels is None:
            self.status.emit(self.tr("Levels and edges as the analyzer sees them now."))
        self.picture.show_levels(levels)

    def _found(self, findings: tuple[Finding, ...]) -> None:
        self.instruments.show_findings(findings)
        self.picture.show_findings(findings)

    def _offered(self, table: str, key: str, value: str) -> None:
        try:
            changed = set_text(self.editor.text, table, key, value)
        except ValueError as error:
            self._trouble(
                self.tr('{0}; write {1} = "{2}" into [{3}] by hand').format(
                    error, key, value, table
                )
            )
            return
        if changed != self.editor.text:
            self.editor.replace(changed)
            self.document.check()
        self.status.emit(self.tr('[{0}] {1} = "{2}"').format(table, key, value))

    # --- set up ---------------------------------------------------------------------------------

    def _connect(self) -> None:
        document, picture = self.document, self.picture
        self.benches.wanted.connect(document.ask_open)
        document.opened.connect(self._opened)
        document.checked.connect(self._checked)
        document.saved.connect(self._saved)
        document.state_changed.connect(self._refresh)
        document.trouble.connect(self._trouble)
        picture.wire_chosen.connect(self._wire_chosen)
        picture.wire_entered.connect(self._wire_entered)
        self.editor.line_entered.connect(self._line_entered)
        self.looker.found.connect(self._found)
        self.looker.failed.connect(self.instruments.show_failure)
        self.listener.heard.connect(self._heard)
        self.listener.failed.connect(self._trouble)
        self.listener.changed.connect(self._listening_changed)
        self.instruments.offered.connect(self._offered)
        self.instruments.again.connect(self.menu.look.trigger)
        self.menu.look.triggered.connect(self.instruments.show_looking)
        theme().changed.connect(self._refresh)

    def _lay_out(self) -> None:
        left = QSplitter(Qt.Orientation.Vertical)
        left.addWidget(_card(self.picture))
        left.addWidget(self.instruments)
        left.setSizes(list(SIZES_LEFT))
        left.setStretchFactor(0, 1)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.editor, 1)
        column.addWidget(self.message)
        body = QSplitter(Qt.Orientation.Horizontal)
        for part, size in ((left, SIZES[0]), (right, SIZES[1])):
            body.addWidget(part)
            body.setStretchFactor(body.count() - 1, size)
        body.setSizes(list(SIZES))
        for splitter in (left, body):
            splitter.setHandleWidth(GAP)
            splitter.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
        whole.setSpacing(GAP)
        whole.addLayout(self._bar())
        whole.addWidget(body, 1)

    def _bar(self) -> QHBoxLayout:
        name = caption(self.tr("Bench"))
        name.setBuddy(self.benches)
        choice = QVBoxLayout()
        choice.setSpacing(GAP_S // 2)
        choice.addWidget(name)
        choice.addWidget(self.benches)
        bar = QHBoxLayout()
        bar.setSpacing(GAP)
        bar.addLayout(choice)
        bar.addSpacing(GAP)
        bar.addWidget(self.heading, 1, Qt.AlignmentFlag.AlignBottom)
        for action in (self.menu.listen, self.menu.open, self.menu.save, self.menu.use):
            bar.addWidget(_button(action), 0, Qt.AlignmentFlag.AlignBottom)
        return bar

    def _refresh(self) -> None:
        """Bar, menu and message say what is open and how it stands."""
        document, state = self.document, self.document.state
        self.benches.show_bench(document.file.name)
        parts = [state.fixture.title] if state.fixture is not None else []
        parts.append(self._standing())
        self.heading.setText("\n".join(part for part in parts if part))
        self.menu.save.setEnabled(document.is_modified and not self.editor.isReadOnly())
        self.menu.error.setEnabled(state.line is not None)
        if state.message:
            self._say(state.message, "bad")
        else:
            self._say(self.tr("No errors: {0} wires").format(len(self.picture.fixture.wires))
                      if self.picture.fixture is not None else "", "good")  # fmt: skip

    def _standing(self) -> str:
        document = self.document
        if document.is_modified:
            if document.file.is_built_in:
                return self.tr("changed; built in, Save makes a file of your own")
            return self.tr("changed, not saved")
        return self.tr("built in") if document.file.is_built_in else document.file.name

    def _say(self, text: str, tone: str) -> None:
        self.message.setText(text)
        self.message.setStyleSheet(f"color: {getattr(theme().palette, tone)}")


def _same_wiring(one: Fixture, other: Fixture | None) -> bool:
    """What was heard of one is true of the other."""
    return other is not None and (one.analyzer, one.wires) == (other.analyzer, other.wires)


def _card(widget: QWidget) -> QFrame:
    card = QFrame()
    card.setObjectName("card")
    column = QVBoxLayout(card)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(widget)
    return card


def _button(action: QAction) -> QPushButton:
    """A button that does what the action does, and can be pressed when it can."""
    button = QPushButton(action.text().replace("&", ""))
    button.setToolTip(action.toolTip())
    button.clicked.connect(lambda _checked=False: action.trigger())
    action.enabledChanged.connect(button.setEnabled)
    action.changed.connect(lambda: button.setText(action.text().replace("&", "")))
    return button
