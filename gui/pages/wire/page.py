# SPDX-License-Identifier: GPL-3.0-or-later
"""The Wire page: the bench as a picture, its fixture as text, and what this machine has for it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from gui.pages.page import Page
from gui.pages.wire.actions import ACTIONS, CONTEXT, levels_text
from gui.pages.wire.benches import FIRST, BenchCombo, chosen_bench
from gui.pages.wire.checking import Checked
from gui.pages.wire.document import FixtureDocument
from gui.pages.wire.editor import FixtureEditor
from gui.pages.wire.instrument_discovery import InstrumentDiscovery
from gui.pages.wire.instruments import InstrumentList
from gui.pages.wire.layout import WireWidgets, layout
from gui.pages.wire.live_levels import LiveLevels
from gui.pages.wire.picture import BenchPicture
from gui.theme import theme
from gui.widgets.actions import action_button, add_actions
from gui.widgets.labels import PlainLabel, dim


class WirePage(Page):
    """One fixture at a time: seen, checked, edited, saved."""

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        """Opens the Run page's bench when it is entered."""
        super().__init__(parent)
        self.title = self.tr("Wire")
        self._settings = settings
        self._followed = ""
        self._looked = False
        self.benches = BenchCombo(settings)
        self.heading = dim()
        self.picture = BenchPicture()
        self.instruments = InstrumentList()
        self.editor = FixtureEditor()
        self.message = PlainLabel(wordWrap=True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.document = FixtureDocument(self.editor, settings, self)
        free = self.is_bench_free
        self.discovery = InstrumentDiscovery(
            self.instruments, self.document, self.editor, free, self
        )
        self.live_levels = LiveLevels(self.picture, self.document, free, self)
        self.menu = add_actions(self, CONTEXT, ACTIONS, self._calls())
        parts = WireWidgets(
            benches=self.benches,
            heading=self.heading,
            picture=self.picture,
            instruments=self.instruments,
            editor=self.editor,
            message=self.message,
        )
        buttons = [action_button(self.menu[name]) for name in ("listen", "open", "save", "use")]
        self.setLayout(layout(parts, buttons))
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
            self.discovery.discover()

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
        self.discovery.stop()
        self.live_levels.monitor.close()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """A run that is started elsewhere needs the analyzer."""
        self.live_levels.monitor.stop()
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

    def go_to_error(self) -> None:
        """The line that is marked."""
        if self.editor.error_line is not None:
            self.editor.go_to(self.editor.error_line)
        self.editor.setFocus()

    # --- what the parts say ---------------------------------------------------------------------

    def _opened(self) -> None:
        self.live_levels.monitor.stop()
        self.picture.clear()
        self._refresh()

    def _checked(self, checked: Checked) -> None:
        self.picture.show_fixture(checked.fixture)
        self.live_levels.follow(checked.fixture)
        if checked.fixture is not None:
            self.picture.choose(checked.wire_at(self.editor.textCursor().blockNumber() + 1))
        self._refresh()

    def _saved(self) -> None:
        name = self.document.file.name
        self.status.emit(self.tr("Saved to {0}").format(name))
        self._refresh()

    def _show_error(self, text: str) -> None:
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

    # --- set up ---------------------------------------------------------------------------------

    def _calls(self) -> dict[str, Callable[[], object]]:
        document, discovery = self.document, self.discovery
        return {
            "open": document.choose_file,
            "save": document.save,
            "save_as": document.save_as,
            "again": document.read_again,
            "use": self.use_for_runs,
            "listen": self.live_levels.toggle,
            "look": discovery.discover,
            "ask": discovery.probe_target,
            "error": self.go_to_error,
            "picture": self.picture.setFocus,
            "text": self.editor.setFocus,
        }

    def _connect(self) -> None:
        document, picture = self.document, self.picture
        self.benches.wanted.connect(document.ask_open)
        document.opened.connect(self._opened)
        document.checked.connect(self._checked)
        document.saved.connect(self._saved)
        document.state_changed.connect(self._refresh)
        document.error_message.connect(self._show_error)
        picture.wire_chosen.connect(self._wire_chosen)
        picture.wire_entered.connect(self._wire_entered)
        self.editor.line_entered.connect(self._line_entered)
        self.discovery.found.connect(picture.show_findings)
        self.live_levels.changed.connect(
            lambda shown: self.menu["listen"].setText(levels_text(shown=shown))
        )
        for part in (self.discovery, self.live_levels):
            part.status_message.connect(self.status)
            part.error_message.connect(self._show_error)
        theme().changed.connect(self._refresh)

    def _refresh(self) -> None:
        """Bar, menu and message say what is open and how it stands."""
        document, state = self.document, self.document.state
        self.benches.show_bench(document.file.name)
        parts = [state.fixture.title] if state.fixture is not None else []
        parts.append(self._standing())
        self.heading.setText("\n".join(part for part in parts if part))
        self.menu["save"].setEnabled(document.is_modified and not self.editor.isReadOnly())
        self.menu["error"].setEnabled(state.line is not None)
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
