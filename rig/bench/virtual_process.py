# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the virtual bench as a process of its own and learns where its cable ends are.

This is all the host knows of it: from here on the same drivers are opened as for hardware.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from rig.closing import Closing
from rig.config.fixture import Fixture
from rig.errors import BenchError, InputError

CLOSE_TIMEOUT_S = 10.0
DYING_S = 2.0
"""Its cable ends may go dead this much before it does."""


@dataclass(frozen=True)
class CableEnds:
    """Where the virtual instruments are reached."""

    analyzer: str
    """libsigrok's conn option."""
    stimulus: str
    """Serial port."""
    target: tuple[str, int]
    """Host and port of the agent."""


class VirtualProcess(Closing):
    """The running virtual bench. It ends when this end of its standard input closes."""

    ends: CableEnds

    def __init__(self, fixture: Fixture) -> None:
        """Start it and wait for its cable ends. Raises InputError or BenchError in its words."""
        self._end: BenchError | None = None
        self._errors = tempfile.TemporaryFile(prefix="rig-virtual-")  # noqa: SIM115
        # A session of its own: Ctrl-C at the terminal is for the host, which ends things in order.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "rig.virtual"],  # -P: no module of the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        try:
            self.ends = self._ends(fixture)
        except BaseException:
            self.close()
            raise

    def _ends(self, fixture: Fixture) -> CableEnds:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018 - both are pipes
        request = json.dumps({"fixture": fixture.text, "source": fixture.source})
        with contextlib.suppress(BrokenPipeError):
            stdin.write(request.encode() + b"\n")
            stdin.flush()
        line = stdout.readline()
        if not line:
            raise BenchError(f"the virtual bench did not start: {self._last_words()}")
        reply = json.loads(line)
        if "error" in reply:
            raise (InputError if reply["exit_code"] == 2 else BenchError)(reply["error"])
        host, port = reply["target"]
        return CableEnds(reply["analyzer"], reply["stimulus"], (host, port))

    def check(self) -> None:
        """Raises BenchError if it has ended."""
        if self._process.poll() is not None:
            raise self._ended()

    def last_error(self) -> BenchError | None:
        """Why it ended, given a moment to do so; None if it runs on."""
        try:
            self._process.wait(DYING_S)
        except subprocess.TimeoutExpired:
            return None
        return self._ended()

    def _ended(self) -> BenchError:
        if self._end is None:
            self._end = BenchError(f"the virtual bench ended during the run: {self._last_words()}")
        return self._end

    def _last_words(self) -> str:
        """What it said last, or how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        stdout = self._process.stdout
        if stdout is not None and self._process.returncode is not None:
            with contextlib.suppress(ValueError):
                return str(json.loads(stdout.readline())["error"])
        code = self._process.returncode
        ended = (
            f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        )
        return lines[-1] if lines else ended

    def close(self) -> None:
        """End it in order, or kill it; may be called twice and never raises."""
        process = self._process
        if process.stdin and not process.stdin.closed:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        self._errors.close()
