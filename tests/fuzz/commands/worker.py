# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that tries case after case: a fork for each would cost more than the command."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from rig.cli import main as command_line
from rig.record import vetting
from tests.fuzz.commands.cases import WINDOW, Case, crafted
from tests.fuzz.commands.craft import is_direct
from tests.fuzz.commands.judge import LIMITS, digest, finding
from tests.fuzz.commands.sound import sound
from tests.fuzz.commands.window import read_as_the_window
from tests.fuzz.forked import OUTPUT_MAX, TRACEBACK_CODE, Ended, _take_descriptors, address_space

WRITING = ("analyze",)
"""Commands that may change the file that they are given, if they end well."""
_PEAK_RESET = "5"


def life(seed: str, folder: Path, findings: Path, numbers: Any, say: Callable[[Any], None]) -> None:
    """Try the cases whose numbers come, and say of each what came of it."""
    kept = [os.memfd_create(name) for name in ("out", "errors")]
    _take_descriptors(kept, ())
    if LIMITS.memory_bytes is not None:
        limit = address_space() + LIMITS.memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    command_line._parser = functools.cache(command_line._parser)
    for number in numbers:
        place = folder / f"case-{number}"
        place.mkdir()
        random = Random(f"{seed} {number}")  # noqa: S311 - the same cases again
        case = crafted(random, place, sound())
        say({"ended": list(_tried(case, f"{seed}-{number}", place, findings, kept))})
        os.chdir(folder)
        shutil.rmtree(place)
        gc.collect(0)


def _tried(
    case: Case, label: str, place: Path, findings: Path, kept: list[int]
) -> Iterator[dict[str, Any]]:
    for words in case.commands:
        before = {path: digest(path) for path in place.rglob("*.h5") if path.is_file()}
        copy = place.parent / "kept"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(place, copy, copy_function=os.link)
        ended = _ended(words, place, kept, direct=is_direct(case.made))
        wrong = finding(words, ended)
        may_write = words[0] in WRITING and ended.code in (0, 1, 4)
        if not wrong and any(digest(p) != d for p, d in before.items() if not may_write):
            wrong = "a file that was there is another one"
        line = ""
        if wrong:
            line = f"{label} {case.kind} ({case.made}): rig {' '.join(words)}: {wrong}"
            shutil.rmtree(findings / label, ignore_errors=True)
            shutil.copytree(copy, findings / label, ignore=shutil.ignore_patterns("*.fifo"))
            report = line.encode() + b"\n" + ended.errors + b"\n" + ended.out[:5000]
            (findings / label / "finding.txt").write_bytes(report)
        for left in place.glob("out*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        row = asdict(ended) | {"out": "", "errors": ""}
        yield {"words": words, "finding": line, **row}


def _ended(words: list[str], place: Path, kept: list[int], *, direct: bool) -> Ended:
    """A command in this process. `direct`: a file of sound structure needs no child to look."""
    for descriptor in kept:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
    os.chdir(place)
    Path("/proc/self/clear_refs").write_text(_PEAK_RESET, encoding="ascii")
    started_s, used_s = time.monotonic(), _processor_s()
    code = TRACEBACK_CODE
    with _in_place_of_children() if direct else contextlib.nullcontext():
        try:
            if words[0] == WINDOW:
                code = read_as_the_window(place / words[1])
            else:
                code = command_line.main(words)
        except BaseException:  # noqa: BLE001 - whatever it is, it is shown
            traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return Ended(
        code,
        *(os.pread(descriptor, OUTPUT_MAX, 0) for descriptor in kept),
        processor_s=_processor_s() - used_s,
        wall_s=time.monotonic() - started_s,
        peak_bytes=_peak_bytes(),
        is_late=False,
    )


@contextlib.contextmanager
def _in_place_of_children() -> Iterator[None]:
    def call(_path: Path, act: Callable[[], object], *_limits: object) -> None:
        act()

    with mock.patch.object(vetting, "in_child", call), contextlib.ExitStack() as stack:
        for name in ("analyze",):
            module = sys.modules.get(f"rig.cli.{name}")
            if module is not None:
                stack.enter_context(mock.patch.object(module, "in_child", call))
        yield


def _processor_s() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10
