# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's end of the process that listens to the wires."""

from __future__ import annotations

from PySide6.QtCore import Signal

from gui.pages.wire.levels import ChannelLevels, levels_of
from gui.processes.child import ChildProcess, Ending
from gui.processes.messages import FAILED, Message
from rig.config.fixture import Fixture


class LevelMonitor(ChildProcess):
    """A monitor that listens to one bench at a time, or to none."""

    measured = Signal(ChannelLevels)
    failed = Signal(str)
    changed = Signal(bool)
    """Listening began, or ended."""

    end_ms = 3_000

    @property
    def is_listening(self) -> bool:
        """Whether it listens: from `start` until `stop` or `failed`."""
        return self.is_alive

    def start(self, fixture: Fixture) -> None:
        """Listen to this bench, and to no other."""
        self.stop()
        self._start("gui.pages.wire.levels_process")
        self._send({"text": fixture.text, "source": fixture.source})
        self.changed.emit(True)

    def stop(self) -> None:
        """End listening in order; the window does not wait for it."""
        if self.is_alive:
            self._let_go()
            self.changed.emit(False)

    def close(self) -> None:
        """Reap every process: the window closes."""
        self.stop()
        super().close()

    def _name(self) -> str:
        return self.tr("The listening process")

    def _newest(self, messages: list[Message]) -> list[Message]:
        """Return the newest moment, the only one worth drawing; a failure is always the last."""
        return messages[-1:]

    def _on_message(self, message: Message) -> None:
        if message.kind == FAILED:
            self._fail(str(message.fields["text"]))
        else:
            self.measured.emit(levels_of(message))

    def _on_ended(self, ending: Ending) -> None:
        self.changed.emit(False)
        self.failed.emit(" ".join([ending.text, *ending.details.splitlines()[-1:]]))

    def _fail(self, text: str) -> None:
        self.stop()
        self.failed.emit(text)
