# SPDX-License-Identifier: GPL-3.0-or-later
"""The work that the wizard for a new board has done on bench and target, by the rig's commands."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from calibration.context import Progress, StoppedError
from calibration.findings import Finding
from calibration.wizard.services import Measured
from rig.bench.open import Bench, open_bench
from rig.cli.progress import counts_text
from rig.config.fixture import Fixture
from rig.config.links import SshLink
from rig.config.plan import load_plan
from rig.errors import BenchError, InputError
from rig.recording.live import LiveSummary
from rig.report.console import SafeConsole
from rig.services.deploy import deploy_agent
from rig.services.measure import finish, measure, new_run_file, request_of
from rig.services.probe import TargetPlace, probe
from rig.target import findings as target_findings
from rig.target.permissions import account_findings, account_of
from rig.target.ssh import SshHost

WIDTH: Final = 100
_TELL_S: Final = 0.5


class RigWizardServices:
    """The wizard's services, done with the code of `rig target` and `rig run`."""

    @contextmanager
    def open_bench(
        self, fixture: Fixture, stop: threading.Event, progress: Progress
    ) -> Iterator[Bench]:
        """Open the bench with every channel of the analyzer."""
        with open_bench(fixture, stop, progress, every_channel=True) as bench:
            yield bench

    def ask_account(self, fixture: Fixture) -> tuple[Finding, ...]:
        """Probe the account. Raises BenchError if ssh fails, InputError for another link."""
        host, _ = _ssh(fixture)
        port = _option(fixture, "--port")
        return _findings(account_findings(account_of(host), port))

    def ask_agent(self, fixture: Fixture) -> tuple[Finding, ...]:
        """Probe the agent; one that does not answer is a finding."""
        return _findings(probe(TargetPlace(fixture.target.link, fixture)))

    def deploy(self, fixture: Fixture, *, there: bool) -> str:
        """Deploy the agent. Raises BenchError, InputError."""
        host, link = _ssh(fixture)
        deploy_agent(host, account_of(host), link.agent, compiler=None, there=there)
        return f"{link.host}:{link.agent}"

    def measure(
        self,
        fixture: Fixture,
        plan: str,
        count: int,
        folder: Path,
        stop: threading.Event,
        progress: Callable[[str], None],
    ) -> Measured:
        """Run a plan. Raises RigError if nothing was measured, StoppedError if ordered."""
        asked = request_of(load_plan(plan).with_overrides(count), fixture.source)
        path = new_run_file(folder.absolute(), asked.plan, "name another folder")
        failure = measure(asked, path, _Teller(progress), stop, progress)
        if stop.is_set():
            raise StoppedError
        progress("evaluating")
        result = finish(path).result
        from rig.report.run_report import run_report  # loaded by now
        from rig.report.terminal import print_report

        text = io.StringIO()
        console = SafeConsole(file=text, width=WIDTH, color_system=None)
        print_report(console, run_report(result))
        lines = tuple(line.rstrip() for line in text.getvalue().splitlines())
        said = str(failure) if failure is not None else ""
        if not said and result.exit_code:
            said = f"the verdict is {result.evaluation.verdict}"
        return Measured(path, lines, said)


class _Teller:
    """A reporter of a run's progress, a line now and then."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._next_s = 0.0
        self._start_s = time.monotonic()

    def __call__(self, live: LiveSummary) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _TELL_S
            rate_hz = live.events / max(now_s - self._start_s, 0.1)
            words = counts_text(live, rate_hz) if live.events else ""
            self._progress(f"{live.phase} {words}".rstrip())


def _findings(found: Iterable[target_findings.ProbeFinding]) -> tuple[Finding, ...]:
    """Return what the target's probe found, as findings of a calibration."""
    return tuple(
        Finding(each.what, f"{each.what}: {each.state}", each.mend, each.needed and bool(each.mend))
        for each in found
    )


def _ssh(fixture: Fixture) -> tuple[SshHost, SshLink]:
    link = fixture.target.link
    if not isinstance(link, SshLink):
        raise InputError("the target is not behind ssh; valid: ssh:[USER@]HOST")
    return SshHost(link.host, link.config), link


def _option(fixture: Fixture, name: str) -> str:
    """Return the value of an option of the agent, or ""."""
    link = fixture.target.link
    if not isinstance(link, SshLink):
        raise BenchError("the target is not behind ssh")
    words = " ".join(link.arguments).replace("=", " ").split()
    return words[words.index(name) + 1] if name in words[:-1] else ""
