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
other threads do. docs/how-to/fuzz.md has what HDF5 was found to do, and figures.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import select
import signal
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from rig.errors import BenchError, InputError, RigError
from rig.record.digest_check import hashing_s, remember, stamp_of
from rig.record.reader import RunFile
from rig.record.stored import damaged

PATIENCE_S = 8.0
MEMORY_BYTES = 400 << 20
"""The memory that the child that looks may ask for beyond what it has."""
_GRACE_S = 2.0
_TEXT_MAX = 4096
FILES_A_CHILD = 256
"""The number of files that one child looks at; what HDF5 does not give back goes with it."""
_ANSWER = struct.Struct("<BI")
"""The head of the answer for one of many files: its kind, and its length in bytes."""
_ANSWER_MAX = 1 << 24
_GOOD = "good"
"""The child's answer when all went well; else the kind of an error, a line break, and its text."""
_KINDS: dict[str, type[RigError]] = {kind.__name__: kind for kind in (InputError, BenchError)}
_FATAL = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


def vet(
    path: Path, patience_s: float = PATIENCE_S, *, figures: bool = True, checked: bool = True
) -> None:
    """Check that a run file can be read, in this time. Raises InputError if not.

    It also does if the file was changed after it was closed; `figures` False: in its raw data;
    `checked` False: no digest is compared.
    """
    if checked:
        patience_s += hashing_s(path)
    stamp = stamp_of(path)

    def look() -> None:
        with RunFile(path, figures=figures, checked=checked) as run:
            run.look_through()

    in_child(path, look, patience_s)
    if figures and checked:
        remember(path, stamp)


def in_child(path: Path, act: Callable[[], object], patience_s: float | None = None) -> None:
    """Have a child do something with a run file; what it computes is gone, what it writes stays.

    Raises what `act` raises of InputError and BenchError, and InputError if the child dies or takes
    longer than `patience_s`.
    """
    answer, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answer)
        _live(path, act, told, patience_s)
    os.close(told)
    try:
        text = _heard(answer, patience_s)
    finally:
        os.close(answer)
        status = _ended(child, 0 if patience_s is not None else _GRACE_S)
    if text is None:
        raise damaged(str(path), f"HDF5 has not read it within {patience_s:.2g} s")
    if not text:
        raise damaged(str(path), f"HDF5 fails on it ({_end(status)})")
    if text != _GOOD:
        kind, _, message = text.partition("\n")
        raise _KINDS[kind](message)


def each_in_child(
    paths: Sequence[Path], act: Callable[[Path], bytes], patience_s: float = PATIENCE_S
) -> Iterator[bytes]:
    """Yield what `act` returns for each run file, in order, in a child: one child for many files.

    Raises what it raises of InputError and BenchError, and InputError if the child dies of a file
    or takes longer for it than `patience_s` and its digests need; the files behind that one are not
    looked at.
    """
    for first in range(0, len(paths), FILES_A_CHILD):
        part = paths[first : first + FILES_A_CHILD]
        answer, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(answer)
            _live(part[0], partial(_tell_each, part, act, told, patience_s), told, patience_s)
        os.close(told)
        status: int | None = None
        try:
            for path in part:
                answered = _answered(answer, path, patience_s)
                if answered is None:
                    status = _ended(child, _GRACE_S)
                    raise damaged(str(path), f"HDF5 fails on it ({_end(status)})")
                yield answered
        finally:
            os.close(answer)
            if status is None:
                _ended(child, 0)


def _tell_each(
    paths: Sequence[Path], act: Callable[[Path], bytes], told: int, patience_s: float
) -> None:
    for path in paths:
        longest_s = patience_s + hashing_s(path)
        signal.alarm(round(longest_s + 2 * _GRACE_S))  # should the parent be gone by then
        kind, text = 0, b""
        try:
            text = act(path)
        except MemoryError:
            kind, text = 1, str(_too_large(path)).encode(errors="replace")
        except tuple(_KINDS.values()) as error:
            kind = 1 + list(_KINDS).index(type(error).__name__)
            text = str(error).encode(errors="replace")[:_TEXT_MAX]
        except OSError as error:
            problem = InputError(f"{path}: cannot be used ({error.strerror or error})")
            kind, text = 1, str(problem).encode(errors="replace")
        left = memoryview(_ANSWER.pack(kind, len(text)) + text)
        while left:
            left = left[os.write(told, left) :]


def _answered(answer: int, path: Path, patience_s: float) -> bytes | None:
    """Return the answer for one of many files; None if the child has died."""
    until_s = time.monotonic() + patience_s + hashing_s(path)
    head = _read_bytes(answer, _ANSWER.size, path, until_s)
    if head is None:
        return None
    kind, length = _ANSWER.unpack(head)
    if kind > len(_KINDS) or length > _ANSWER_MAX:
        return None
    text = _read_bytes(answer, length, path, until_s)
    if kind and text is not None:
        raise list(_KINDS.values())[kind - 1](text.decode(errors="replace"))
    return text


def _read_bytes(answer: int, count: int, path: Path, until_s: float) -> bytes | None:
    data = b""
    while len(data) < count:
        if not select.select([answer], [], [], max(0.0, until_s - time.monotonic()))[0]:
            raise damaged(str(path), "HDF5 has not read it in time")
        more = os.read(answer, count - len(data))
        if not more:
            return None
        data += more
    return data


def _too_large(path: Path) -> InputError:
    return damaged(str(path), f"it asks for over {MEMORY_BYTES >> 20} MiB of memory")


def _heard(answer: int, patience_s: float | None) -> str | None:
    """Return the child's answer, "" if it died without one; None if none came in time."""
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
    """Return the child's status, once it has ended: by force, if it does not do so by itself.

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


def _live(path: Path, act: Callable[[], object], told: int, patience_s: float | None) -> NoReturn:
    """Run the child to its end; nothing of the parent's may run in it, at its end least of all."""
    try:
        faulthandler.disable()
        for number in _FATAL:
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if patience_s is not None:
            signal.alarm(round(patience_s + 2 * _GRACE_S))  # should the parent be gone by then
            _limit_memory()
        text = _GOOD
        try:
            act()
        except MemoryError:
            text = f"{InputError.__name__}\n{_too_large(path)}"
        except tuple(_KINDS.values()) as error:
            text = f"{type(error).__name__}\n{error}"
        except OSError as error:
            text = f"{InputError.__name__}\n{path}: cannot be used ({error.strerror or error})"
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
