# SPDX-License-Identifier: GPL-3.0-or-later
"""A stranger's run file, handled first by a process that may die of it.

HDF5 trusts the structures in a file: made-up or damaged ones end the process that reads them, keep
it waiting for ever (each block that fails its checksum is read a hundred times in SWMR mode, the
pauses doubling), or have it ask for any amount of memory. So a forked child reads first all that
opening the file and every pass over it will read, except the rows themselves, and for each chunk of
rows it looks at what its index says. What kills the child becomes one line.

Whatever changes such a file is done by a child altogether: HDF5 may also find out later, when it
closes the file, and dies of it at the latest when the process ends.

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
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from rig.errors import BenchError, InputError, RigError
from rig.record.reader import RunFile
from rig.record.stored import damaged

PATIENCE_S = 20.0
MEMORY_BYTES = 1 << 30
"""What the child that looks may ask for beyond what it has."""
_GRACE_S = 2.0
_TEXT_MAX = 4096
_GOOD = "good"
"""What a child says when all went well; else the kind of an error, a line break, and its text."""
_KINDS: dict[str, type[RigError]] = {kind.__name__: kind for kind in (InputError, BenchError)}
_FATAL = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


def vet(path: Path, patience_s: float = PATIENCE_S) -> None:
    """Raises InputError for a run file that cannot be read, or not in this time."""

    def look() -> None:
        signal.alarm(round(patience_s + 2 * _GRACE_S))  # should the parent be gone by then
        _limit_memory()
        try:
            with RunFile(path) as run:
                run.look_through()
        except MemoryError:
            raise damaged(
                str(path), f"it asks for over {MEMORY_BYTES >> 20} MiB of memory"
            ) from None

    in_child(path, look, patience_s)


def in_child(path: Path, act: Callable[[], object], patience_s: float | None = None) -> None:
    """Have a child do something with a run file; what it computes is gone, what it writes stays.

    Raises what `act` raises of InputError and BenchError, and InputError if the child dies or takes
    longer than `patience_s`.
    """
    answer, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answer)
        _live(act, told)
    os.close(told)
    try:
        text = _heard(answer, patience_s)
    finally:
        os.close(answer)
        status = _ended(child, 0 if patience_s is not None else _GRACE_S)
    if text is None:
        raise damaged(str(path), f"HDF5 has not read it within {patience_s:g} s")
    if not text:
        raise damaged(str(path), f"HDF5 fails on it ({_end(status)})")
    if text != _GOOD:
        kind, _, message = text.partition("\n")
        raise _KINDS[kind](message)


def _heard(answer: int, patience_s: float | None) -> str | None:
    """What the child said, "" if it died without a word; None if it does not say anything."""
    deadline_s = None if patience_s is None else time.monotonic() + patience_s
    text = b""
    while True:
        left_s = None if deadline_s is None else max(0.0, deadline_s - time.monotonic())
        if not select.select([answer], [], [], left_s)[0]:
            return None
        data = os.read(answer, _TEXT_MAX)
        if not data:
            return text.decode(errors="replace")
        text += data


def _ended(child: int, grace_s: float) -> int:
    """Its status, once it has ended: by force, if it does not do so by itself.

    Ctrl-C reaches it too; it then has a little time to tidy up.
    """
    deadline_s = time.monotonic() + grace_s
    while time.monotonic() < deadline_s:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)  # done, dead or hanging: its answer is all that counts
    return os.waitpid(child, 0)[1]


def _end(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.waitstatus_to_exitcode(status)}"


def _live(act: Callable[[], object], told: int) -> NoReturn:
    """The child's whole life; nothing of the parent's may run in it, at its end least of all."""
    try:
        faulthandler.disable()
        for number in _FATAL:
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        text = _GOOD
        try:
            act()
        except tuple(_KINDS.values()) as error:
            text = f"{type(error).__name__}\n{error}"
        os.write(told, text.encode(errors="replace")[:_TEXT_MAX])
    finally:
        os._exit(1)


def _limit_memory() -> None:
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY_BYTES
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
