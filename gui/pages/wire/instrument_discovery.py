# SPDX-License-Identifier: GPL-3.0-or-later
"""What this machine and the target have for a bench: looked for, shown, put into the fixture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.pages.wire.document import FixtureDocument
from gui.pages.wire.editing import set_text
from gui.pages.wire.editor import FixtureEditor
from gui.pages.wire.instruments import InstrumentList
from gui.pages.wire.probe_process import ProbeProcess
from rig.services.doctor import Finding


class InstrumentDiscovery(QObject):
    """Looks on this machine, and asks a target only when told to."""

    found = Signal(object)
    """A tuple of Finding, of this machine."""
    told = Signal(str)
    """What was done, one line."""
    trouble = Signal(str)

    def __init__(
        self,
        instruments: InstrumentList,
        document: FixtureDocument,
        editor: FixtureEditor,
        is_bench_free: Callable[[], bool],
        parent: QObject,
    ) -> None:
        """Analyzers are opened while looking only if `is_bench_free`."""
        super().__init__(parent)
        self._instruments, self._document, self._editor = instruments, document, editor
        self._is_bench_free = is_bench_free
        self.looker = ProbeProcess("gui.pages.wire.doctor_process", self)
        self.asker = ProbeProcess("gui.pages.wire.target_probe_process", self)
        self.looker.found.connect(self.show)
        self.looker.failed.connect(instruments.show_failure)
        self.asker.found.connect(instruments.show_answers)
        self.asker.failed.connect(instruments.show_failure)
        instruments.offered.connect(self._offered)
        instruments.again.connect(self.look)
        instruments.ask_wanted.connect(self.ask_host)

    def look(self) -> None:
        """On this machine."""
        self._instruments.show_looking()
        self.looker.start({"ask_drivers": self._is_bench_free()})

    def ask_host(self, name: str) -> None:
        """A host of the ssh configuration."""
        self._ask(name, {"host": name})

    def ask_target(self) -> None:
        """The target of the fixture as it is in the editor."""
        fixture = self._document.check().fixture
        if fixture is None:
            self.trouble.emit(self._document.state.message)
        elif fixture.is_virtual:
            self.trouble.emit(
                self.tr("The target of this bench is there only while a run goes on.")
            )
        elif not self._is_bench_free():
            self.trouble.emit(self.tr("A run is going on and has the target; wait for its end."))
        else:
            name = Path(fixture.source).name
            self._ask(name, {"text": fixture.text, "source": fixture.source})

    def stop(self) -> None:
        """The window goes."""
        self.looker.stop()
        self.asker.stop()

    def show(self, findings: tuple[Finding, ...]) -> None:
        """These were found on this machine."""
        self._instruments.show_findings(findings)
        self.found.emit(findings)

    def _ask(self, name: str, request: dict[str, str]) -> None:
        self._instruments.show_asking(name)
        self.asker.start(request)

    def _offered(self, table: str, values: dict[str, str]) -> None:
        changed = self._editor.text
        try:
            for key, value in values.items():
                changed = set_text(changed, table, key, value)
        except ValueError as error:
            lines = ", ".join(f'{key} = "{value}"' for key, value in values.items())
            self.trouble.emit(
                self.tr("{0}; write {1} into [{2}] by hand").format(error, lines, table)
            )
            return
        if changed != self._editor.text:
            self._editor.replace(changed)
            self._document.check()
        lines = ", ".join(f'{key} = "{value}"' for key, value in values.items())
        self.told.emit(f"[{table}] {lines}")
