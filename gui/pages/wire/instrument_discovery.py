# SPDX-License-Identifier: GPL-3.0-or-later
"""The discovery of instruments on this machine and the target, and their way into the fixture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.pages.wire.document import FixtureDocument
from gui.pages.wire.editing import set_text
from gui.pages.wire.editor import FixtureEditor
from gui.pages.wire.instruments import InstrumentList
from gui.pages.wire.probe_process import ProbeProcess
from rig.services.finding import DoctorFinding


class InstrumentDiscovery(QObject):
    """A search on this machine, and of a target only when asked to."""

    found = Signal(object)
    """A tuple of findings of this machine."""
    status_message = Signal(str)
    """A line on what was done."""
    error_message = Signal(str)

    def __init__(
        self,
        instruments: InstrumentList,
        document: FixtureDocument,
        editor: FixtureEditor,
        is_bench_free: Callable[[], bool],
        parent: QObject,
    ) -> None:
        """Connect the parts; analyzers are opened while looking only if `is_bench_free`."""
        super().__init__(parent)
        self._instruments, self._document, self._editor = instruments, document, editor
        self._is_bench_free = is_bench_free
        self.doctor = ProbeProcess("gui.pages.wire.doctor_process", self)
        self.target_probe = ProbeProcess("gui.pages.wire.target_probe_process", self)
        self.doctor.found.connect(self.show)
        self.doctor.failed.connect(instruments.show_failure)
        self.target_probe.found.connect(instruments.show_answers)
        self.target_probe.failed.connect(instruments.show_failure)
        instruments.offered.connect(self._offered)
        instruments.again.connect(self.discover)
        instruments.ask_wanted.connect(self.probe_host)

    def discover(self) -> None:
        """Look on this machine."""
        self._instruments.show_looking()
        self.doctor.start({"ask_drivers": self._is_bench_free()})

    def probe_host(self, name: str) -> None:
        """Probe a host of the ssh configuration."""
        self._ask(name, {"host": name})

    def probe_target(self) -> None:
        """Probe the target of the fixture as it is in the editor."""
        fixture = self._document.check().fixture
        if fixture is None:
            self.error_message.emit(self._document.state.message)
        elif fixture.is_virtual:
            self.error_message.emit(
                self.tr("The target of this bench is there only while a run goes on.")
            )
        elif not self._is_bench_free():
            self.error_message.emit(
                self.tr("A run is going on and has the target; wait for its end.")
            )
        else:
            name = Path(fixture.source).name
            self._ask(name, {"text": fixture.text, "source": fixture.source})

    def stop(self) -> None:
        """End all looking: the window closes."""
        self.doctor.stop()
        self.target_probe.stop()

    def show(self, findings: tuple[DoctorFinding, ...]) -> None:
        """Show what was found on this machine."""
        self._instruments.show_findings(findings)
        self.found.emit(findings)

    def _ask(self, name: str, request: dict[str, str]) -> None:
        self._instruments.show_asking(name)
        self.target_probe.start(request)

    def _offered(self, table: str, values: dict[str, str]) -> None:
        changed = self._editor.text
        try:
            for key, value in values.items():
                changed = set_text(changed, table, key, value)
        except ValueError as error:
            lines = ", ".join(f'{key} = "{value}"' for key, value in values.items())
            self.error_message.emit(
                self.tr("{0}; write {1} into [{2}] by hand").format(error, lines, table)
            )
            return
        if changed != self._editor.text:
            self._editor.replace(changed)
            self._document.check()
        lines = ", ".join(f'{key} = "{value}"' for key, value in values.items())
        self.status_message.emit(f"[{table}] {lines}")
