# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wizard needs done on bench and target, and does not do itself."""

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
    """A first measurement."""

    path: Path
    """Its run file."""
    lines: tuple[str, ...]
    """The result, as a terminal shows it."""
    failure: str = ""
    """Why it did not get to its end, or what its verdict complains of; "" if all is well."""


class WizardServices(Protocol):
    """All raise RigError: BenchError if something fails, StoppedError or an ordered end on stop."""

    def open_bench(
        self, fixture: Fixture, stop: threading.Event, progress: Progress
    ) -> AbstractContextManager[BenchInstruments]:
        """All three instruments, the analyzer with every channel."""
        ...

    def ask_account(self, fixture: Fixture) -> tuple[Finding, ...]:
        """What a target behind ssh has and what it lacks, before there is an agent."""
        ...

    def ask_agent(self, fixture: Fixture) -> tuple[Finding, ...]:
        """Who answers on the target, and what its system says."""
        ...

    def deploy(self, fixture: Fixture, *, there: bool) -> str:
        """Put the agent on a target behind ssh, compiled there if asked for; where it is now."""
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
        """Run a plan; a new run file in this folder, evaluated."""
        ...
