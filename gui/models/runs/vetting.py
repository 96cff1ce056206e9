# SPDX-License-Identifier: GPL-3.0-or-later
"""A stranger's run file, vetted by a process of its own.

`rig.record.vetting` forks, which is cheap but wants a process with one thread, and the window has
many. So a helper, `python -m gui.models.runs.vetting`, is started once and does the forking.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Final, cast

from rig.errors import InputError
from rig.record.digest_check import hashing_s, remember, stamp_of
from rig.record.stored import damaged
from rig.record.vetting import PATIENCE_S, vet

STARTS_S: Final = 20.0
"""The time of the helper's start on a busy machine, added to that of each file."""
IDLE_MAX: Final = 2
COMMAND: Final = [sys.executable, "-P", "-m", "gui.models.runs.vetting"]
LINE_MAX: Final = 1 << 16


class _Lost(Exception):  # noqa: N818 - the helper is; what that means for the file is told by others
    pass


class _Helper:
    """A helper process; at most one question at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)

    @property
    def is_alive(self) -> bool:
        """Whether the helper can be asked."""
        return self._process.poll() is None

    def ask(self, path: Path, patience_s: float) -> str:
        """Return what is wrong with the file, "" if nothing is. Raises _Lost."""
        question = json.dumps([str(path), patience_s]).encode() + b"\n"
        answer, until_s = b"", time.monotonic() + patience_s + STARTS_S + hashing_s(path)
        try:
            self._questions.write(question)
            while not answer.endswith(b"\n"):
                left_s = max(0.0, until_s - time.monotonic())
                if not select.select([self._answers], [], [], left_s)[0]:
                    raise _Lost
                more = os.read(self._answers.fileno(), LINE_MAX)
                if not more or len(answer) > LINE_MAX:
                    raise _Lost
                answer += more
        except OSError:
            raise _Lost from None
        return str(json.loads(answer))

    def end(self) -> None:
        """End the helper's process."""
        self._process.kill()
        self._process.wait()
        self._questions.close()
        self._answers.close()


_idle: list[_Helper] = []
_lock = threading.Lock()


def vet_in_subprocess(path: Path, patience_s: float = PATIENCE_S) -> None:
    """Vet as rig.record.vetting.vet, in any thread of any process. Raises InputError."""
    stamp = stamp_of(path)
    try:
        problem = _asked(path.absolute(), patience_s)
    except _Lost:
        raise damaged(str(path), "the process that looks at it has died") from None
    if problem:
        raise InputError(problem)
    remember(path, stamp)


def _asked(path: Path, patience_s: float) -> str:
    """Return a helper's answer; a helper that somebody ended while it was idle is replaced."""
    with _lock:
        helper = _idle.pop() if _idle else None
    if helper is not None and not helper.is_alive:
        helper.end()
        helper = None
    helper = helper or _Helper()
    try:
        problem = helper.ask(path, patience_s)
    except _Lost:
        helper.end()
        raise
    with _lock:
        is_wanted = len(_idle) < IDLE_MAX
        if is_wanted:
            _idle.append(helper)
    if not is_wanted:
        helper.end()
    return problem


@atexit.register
def end_helpers() -> None:
    """End all helpers that wait; may be called at any time."""
    with _lock:
        while _idle:
            _idle.pop().end()


def _main() -> None:
    """Answer questions from standard input, until its end: whoever asked is gone then."""
    with contextlib.suppress(KeyboardInterrupt):  # meant for the window
        for line in sys.stdin:
            path, patience_s = json.loads(line)
            problem = ""
            try:
                vet(Path(path), patience_s)
            except InputError as error:
                problem = str(error)
            sys.stdout.write(json.dumps(problem) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    _main()
