# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of the system that make the guest, run so that none outlives the bench."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from rig.errors import BenchError, InputError

Say = Callable[[str], None]
"""The function that tells the user what is being done."""

_LOOK_S = 0.1
_LAST_LINES = 3


class ProgramRunner:
    """Runs programs one after the other, until told to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def run(self, command: Sequence[str], package: str, folder: Path | None = None) -> str:
        """Run a program; return what it printed. `package` is the Debian package that has it.

        Raises InputError if the program is missing, BenchError if it fails or the bench ends.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    env={**os.environ, "LC_ALL": "C"},
                    start_new_session=True,
                )
            except FileNotFoundError:
                raise missing_program(command[0], package) from None
            with process:
                self._wait(process)
            output.seek(0)
            errors.seek(0)
            text = output.read().decode(errors="replace")
            if process.returncode:
                said = (errors.read().decode(errors="replace") or text).strip().splitlines()
                words = "; ".join(line.strip() for line in said[-_LAST_LINES:])
                raise BenchError(
                    f"`{' '.join(command[:2])}` failed with exit status {process.returncode}: "
                    f"{words[:400]}"
                )
            return text

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_S)
                return
            if self._stop.is_set():
                # The whole session: a compiler or a download method is a child of the program.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise BenchError("the virtual bench was ended while its guest was being made")


def missing_program(program: str, package: str) -> InputError:
    """Return the error for a program that the guest cannot do without."""
    return InputError(
        f"{program} not found, a guest needs it; install it with `apt-get install {package}`"
    )
