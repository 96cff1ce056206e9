# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench as a process of its own, and its cable ends.

The host has nothing else of it: from here on the same drivers are opened as for hardware.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass

from rig.closing import Closing
from rig.config.fixture import Fixture
from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError, InputError

CLOSE_TIMEOUT_S = 10.0
LOOK_S = 0.1
"""The interval at which the wish to stop is looked at while the bench is set up."""
PROGRAM = (sys.executable, "-P", "-m", "rig.virtual")  # -P: no module of the current folder
DYING_S = 2.0
"""The time by which its cable ends may go dead before it does."""


@dataclass(frozen=True)
class CableEnds:
    """The addresses of the virtual instruments."""

    analyzer: str
    """The value of libsigrok's conn option."""
    stimulus: str
    """The serial port."""
    target: tuple[str, int]
    """The host and port of the agent."""


def _request(fixture: Fixture) -> dict[str, object]:
    """Return the fixture's text, and what of it depends on the plan."""
    guest = None if fixture.virtual is None else fixture.virtual.target
    return {
        "fixture": fixture.text,
        "source": fixture.source,
        "driver_irq": not isinstance(guest, VirtualGuest) or guest.driver_irq,
    }


class VirtualProcess(Closing):
    """The running virtual bench. It ends when this end of its standard input closes."""

    ends: CableEnds

    def __init__(
        self,
        fixture: Fixture,
        stop: threading.Event | None = None,
        on_progress: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Start it and wait for its cable ends; `on_progress` gets what takes long.

        Raises InputError or BenchError in its words, BenchError if `stop` is set first.
        """
        self._heard = b""
        self._end: BenchError | None = None
        self._errors = tempfile.TemporaryFile(prefix="rig-virtual-")  # noqa: SIM115
        # A session of its own: Ctrl-C at the terminal is for the host, which ends things in order.
        self._process = subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        try:
            self.ends = self._ends(fixture, stop, on_progress)
        except BaseException:
            self.close()
            raise

    def _ends(
        self,
        fixture: Fixture,
        stop: threading.Event | None,
        on_progress: Callable[[str], None],
    ) -> CableEnds:
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - it is a pipe
        request = json.dumps(_request(fixture))
        with contextlib.suppress(BrokenPipeError):
            stdin.write(request.encode() + b"\n")
            stdin.flush()
        while True:
            line = self._line(stop)
            if not line:
                raise BenchError(f"the virtual bench did not start: {self._last_words()}")
            reply = json.loads(line)
            if "progress" not in reply:
                break
            on_progress(reply["progress"])
        if "error" in reply:
            raise (InputError if reply["exit_code"] == 2 else BenchError)(reply["error"])
        host, port = reply["target"]
        return CableEnds(reply["analyzer"], reply["stimulus"], (host, port))

    def _line(self, stop: threading.Event | None = None) -> bytes:
        """Read the next line of output, b"" at its end. Raises BenchError once `stop` is set."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it is a pipe
        while b"\n" not in self._heard:
            if stop is not None and stop.is_set():
                raise BenchError("stopped while the virtual bench was being set up")
            if not select.select([stdout], [], [], LOOK_S)[0]:
                continue
            piece = os.read(stdout.fileno(), 1 << 16)
            if not piece:
                return b""
            self._heard += piece
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def check(self) -> None:
        """Check that it runs. Raises BenchError if it has ended."""
        if self._process.poll() is not None:
            raise self._ended()

    def last_error(self) -> BenchError | None:
        """Return why it ended, given a moment to do so; None if it runs on."""
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
        """Return its last output, or how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        if self._process.returncode is not None:
            with contextlib.suppress(ValueError):
                return str(json.loads(self._line())["error"])
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
