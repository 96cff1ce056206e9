# SPDX-License-Identifier: GPL-3.0-or-later
"""A first look at a stranger's run file, by a process that may die of it.

HDF5 trusts the structures in a file: made-up or damaged ones end the process that reads them, keep
it waiting for ever (each block that fails its checksum is read a hundred times in SWMR mode, the
pauses doubling), or have it ask for any amount of memory. So a forked child reads first all that
opening the file and every pass over it will read, except the rows themselves, and for each chunk of
rows it looks at what its index says. What kills the child becomes one line.

A child shares its parent's memory until one of them writes, so this costs no start of Python but
hundredths of a second; what it uses, h5py and its lock, works in a child whatever the parent's
other threads do. docs/fuzzing.md has what HDF5 was found to do, and figures.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import select
import signal
import time
from pathlib import Path
from typing import NoReturn

from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.stored import damaged

PATIENCE_S = 20.0
MEMORY_BYTES = 1 << 30
"""What the child may ask for beyond what it has."""
_TEXT_MAX = 4096
_GOOD = "good"
"""What the child says of a file that it could read; anything else is the text of an error."""
_FATAL = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


def vet(path: Path, patience_s: float = PATIENCE_S) -> None:
    """Raises InputError for a run file that cannot be read, or not in this time."""
    answer, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answer)
        _look(path, told)
    os.close(told)
    try:
        text = _heard(answer, patience_s)
    finally:
        os.close(answer)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # done, dead or hanging: its answer is all that counts
        _, status = os.waitpid(child, 0)
    if text is None:
        raise damaged(str(path), f"HDF5 has not read it within {patience_s:g} s")
    if not text:
        raise damaged(str(path), f"HDF5 fails on it ({_end(status)})")
    if text != _GOOD:
        raise InputError(text)


def _heard(answer: int, patience_s: float) -> str | None:
    """What the child said, "" if it died without a word; None if it does not say anything."""
    deadline_s = time.monotonic() + patience_s
    text = b""
    while True:
        left_s = deadline_s - time.monotonic()
        if left_s <= 0 or not select.select([answer], [], [], left_s)[0]:
            return None
        data = os.read(answer, _TEXT_MAX)
        if not data:
            return text.decode(errors="replace")
        text += data


def _end(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.waitstatus_to_exitcode(status)}"


def _look(path: Path, told: int) -> NoReturn:
    """The child's whole life; nothing of the parent's may run in it."""
    try:
        _restrain()
        try:
            with RunFile(path) as run:
                run.look_through()
            text = _GOOD
        except InputError as error:
            text = str(error)
        except MemoryError:
            text = str(damaged(str(path), f"it asks for over {MEMORY_BYTES >> 20} MiB of memory"))
        os.write(told, text.encode(errors="replace")[:_TEXT_MAX])
    finally:
        os._exit(1)


def _restrain() -> None:
    faulthandler.disable()
    for number in _FATAL:
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY_BYTES
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
