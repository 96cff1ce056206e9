# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of `rig` in forked processes: real descriptors and limits without a start of Python."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn

TRACEBACK_CODE = 70
"""Exit code of a process that an exception ended."""
OUTPUT_MAX = 1 << 20
STANDARD = (1, 2)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    """Exit code; of a signal its negative number; -9 also for one that took too long."""
    out: bytes
    """Standard output, its first OUTPUT_MAX bytes."""
    errors: bytes
    """Standard error, the same."""
    processor_s: float
    """Processor time of the command and its own children."""
    wall_s: float
    peak_bytes: int
    """Largest resident memory of it or of one of its children."""
    is_late: bool
    """It took longer than it was allowed, and was killed."""


@dataclass(frozen=True)
class Limits:
    """What one command may take."""

    wall_s: float = 60.0
    processor_s: int = 60
    memory_bytes: int | None = None
    """Address space beyond what the forking process has."""
    file_bytes: int | None = None
    """Largest file it may write, as `ulimit -f`."""
    files: int | None = None
    """Open files, as `ulimit -n`."""


def forked(
    act: Callable[[], int],
    limits: Limits = Limits(),
    *,
    out: str | int | None = None,
    errors: str | int | None = None,
    closed: Sequence[int] = (),
) -> Ended:
    """Call `act` in a child whose exit code is what it returns.

    out, errors: files or descriptors that take standard output and error, None: they are kept.
    closed: standard descriptors that the child begins without.
    """
    kept = [os.memfd_create(name) for name in ("out", "errors")]
    targets = [
        memory if name is None else os.dup(name) if isinstance(name, int) else os.open(name, 1)
        for memory, name in zip(kept, (out, errors), strict=True)
    ]
    sys.stdout.flush()
    sys.stderr.flush()
    started_s = time.monotonic()
    child = os.fork()
    if child == 0:
        _live(act, limits, targets, closed)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    late = not _ended_within(child, limits.wall_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it may have left behind, too
    _, status, used = os.wait4(child, 0)
    texts = [os.pread(memory, OUTPUT_MAX, 0) for memory in kept]
    for descriptor in {*kept, *targets}:
        os.close(descriptor)
    return Ended(
        os.waitstatus_to_exitcode(status),
        *texts,
        processor_s=used.ru_utime + used.ru_stime,
        wall_s=time.monotonic() - started_s,
        peak_bytes=used.ru_maxrss << 10,
        is_late=late,
    )


def _ended_within(child: int, wall_s: float) -> bool:
    descriptor = os.pidfd_open(child)
    try:
        return bool(select.select([descriptor], [], [], wall_s)[0])
    finally:
        os.close(descriptor)


def _live(
    act: Callable[[], int], limits: Limits, targets: Sequence[int], closed: Sequence[int]
) -> NoReturn:
    """The child's whole life."""
    code = TRACEBACK_CODE
    try:
        os.setpgid(0, 0)
        gc.disable()
        sys.dont_write_bytecode = True  # a limit on files would cut bytecode that others import
        _take_descriptors(targets, closed)
        _limit(limits)
        try:
            code = act()
        except BaseException:  # noqa: BLE001 - whatever it is, it is shown
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
    finally:
        os._exit(code)


def _take_descriptors(targets: Sequence[int], closed: Sequence[int]) -> None:
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((nowhere, *targets)):
        os.dup2(descriptor, number)
    for number in closed:
        os.close(number)
    sys.stdin = None if 0 in closed else open(0, closefd=False)  # noqa: SIM115
    streams = [
        None if number in closed else open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        for number in STANDARD
    ]
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = streams


def _limit(limits: Limits) -> None:
    asked = [
        (resource.RLIMIT_CPU, limits.processor_s),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_CORE, 0),
    ]
    if limits.memory_bytes is not None:
        asked.append((resource.RLIMIT_AS, address_space() + limits.memory_bytes))
    for kind, value in asked:
        if value is not None:
            resource.setrlimit(kind, (value, value))


def address_space() -> int:
    """Bytes of address space that this process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def rig(
    *words: object,
    limits: Limits = Limits(),
    folder: Path | None = None,
    **ways: object,
) -> Ended:
    """The `rig` command with these words, in `folder`; `ways` as of `forked`."""
    from rig.cli.main import main

    def act() -> int:
        if folder is not None:
            os.chdir(folder)
        return main([os.fsdecode(w) if isinstance(w, bytes) else str(w) for w in words])

    return forked(act, limits, **ways)  # type: ignore[arg-type]


@contextlib.contextmanager
def loaded() -> Iterator[None]:
    """All that commands import, imported once; what is there by then is left out of collection."""
    from rig.cli.commands import COMMANDS

    for each in COMMANDS:
        import_module(each.module)
    import matplotlib.backends.backend_svg  # noqa: F401

    import rig.report.tables.history  # noqa: F401

    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
