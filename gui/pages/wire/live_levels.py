# SPDX-License-Identifier: GPL-3.0-or-later
"""The levels of the wires in the picture, when they may be had."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gui.pages.wire.document import FixtureDocument
from gui.pages.wire.level_monitor import LevelMonitor
from gui.pages.wire.levels import ChannelLevels
from gui.pages.wire.picture import BenchPicture
from rig.config.fixture import Fixture
from rig.config.virtual.bench import VirtualGuest


class LiveLevels(QObject):
    """The levels, read until the wiring changes, the page is left, or a run needs the analyzer."""

    changed = Signal(bool)
    """Listening began, or ended."""
    status_message = Signal(str)
    error_message = Signal(str)

    def __init__(
        self,
        picture: BenchPicture,
        document: FixtureDocument,
        is_bench_free: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._picture, self._document = picture, document
        self._is_bench_free = is_bench_free
        self._fixture: Fixture | None = None
        self.monitor = LevelMonitor(self)
        self.monitor.measured.connect(self._heard)
        self.monitor.failed.connect(self.error_message)
        self.monitor.changed.connect(self._changed)

    def toggle(self) -> None:
        """Show levels and activity of the wires, or no longer; never while a run goes on."""
        fixture = self._document.check().fixture
        if self.monitor.is_listening:
            self.monitor.stop()
        elif fixture is None:
            self.error_message.emit(self._document.state.message)
        elif fixture.virtual is not None and isinstance(fixture.virtual.target, VirtualGuest):
            self.error_message.emit(
                self.tr("The analyzer of this bench is there only while a run goes on.")
            )
        elif not self._is_bench_free():
            self.error_message.emit(
                self.tr("A run is going on and has the analyzer; wait for its end.")
            )
        else:
            self.status_message.emit(self.tr("Opening the analyzer …"))
            self.monitor.start(fixture)

    def follow(self, fixture: Fixture | None) -> None:
        """Follow the checked text: levels of another wiring are no longer true."""
        if fixture is None or not _same_wiring(fixture, self._fixture):
            self.monitor.stop()
        if fixture is not None:
            self._fixture = fixture

    def _changed(self, listening: bool) -> None:
        if not listening:
            self._picture.show_levels(None)
        self.changed.emit(listening)

    def _heard(self, levels: ChannelLevels) -> None:
        if self._picture.levels is None:
            self.status_message.emit(self.tr("Levels and edges as the analyzer sees them now."))
        self._picture.show_levels(levels)


def _same_wiring(one: Fixture, other: Fixture | None) -> bool:
    """Return whether the levels of one fixture are true of the other."""
    return other is not None and (one.analyzer, one.wires) == (other.analyzer, other.wires)
