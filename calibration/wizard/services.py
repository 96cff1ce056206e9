# SPDX-License-Identifier: GPL-3.0-or-later
"""The work on bench and target that the wizard needs done, and does not do itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from calibration.context import BenchInstruments, Progress
from calibration.findings import Finding
from rig.config.fixture import Fixture


@dataclass(frozen=True)
class Measured:
    """The outcome of a first measurement."""

    path: Path
    """The run file."""
    lines: tuple[str, ...]
    """The result, as a terminal shows it."""
    failure: str = ""
    """Why the run did not get to its end, or what its verdict complains of; "" if all is well."""


class WizardServices(Protocol):
    """The services. All raise RigError: BenchError if one fails, StoppedError or an end on stop."""

    def open_bench(
        self, fixture: Fixture, stop: threading.Event, progress: Progress
    ) -> AbstractContextManager[BenchInstruments]:
        """Open all three instruments, the analyzer with every channel."""
        ...

    def ask_account(self, fixture: Fixture) -> tuple[Finding, ...]:
        """Return what a target behind ssh has and lacks, before there is an agent."""
        ...

    def ask_agent(self, fixture: Fixture) -> tuple[Finding, ...]:
        """Return who answers on the target, and what its system reports."""
        ...

    def deploy(self, fixture: Fixture, *, there: bool) -> str:
        """Put the agent on a target behind ssh, compiled there if asked; return where it is."""
        ...

    def measure(
        self,
        fixture: Fixture,
        plan: str,
        count: int,
        folder: Path,
        stop: threading.Event,
        progress: Callable[[str], None],
    ) -> Measured:
        """Run a plan; return the new run file in this folder, evaluated."""
        ...
