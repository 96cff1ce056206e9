# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the Run page with a real engine on the virtual bench."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil

ENDS_MS = 60_000
"""An engine, a bench and a few hundred stimuli, on a machine that is busy."""
GONE_S = 15
"""Every child of an engine that is gone must be gone by then."""


def finish(qtbot, page, count: int):
    """Run so many stimuli to the end; the outcome."""
    page.chooser.count.setValue(count)
    page.toggle()
    return ending(qtbot, page)


def ending(qtbot, page):
    """Wait for the end of a run; its outcome. A failure is told at once, with all it says."""
    qtbot.waitUntil(lambda: not page.engine.is_running, timeout=ENDS_MS)
    assert page.outcome is not None, (page.failure.message, page.failure.details)
    return page.outcome


def begin(qtbot, page, count: int = 500_000) -> list[psutil.Process]:
    """Start a long run and wait until stimuli are answered; all processes that belong to it."""
    page.chooser.count.setValue(count)
    page.toggle()
    qtbot.waitUntil(
        lambda: page.snapshot.answers > 20 or not page.engine.is_running, timeout=ENDS_MS
    )
    assert page.engine.is_running, (page.failure, page.outcome)
    engine = psutil.Process(page.engine.process_id)
    return [engine, *engine.children(recursive=True)]


def part(family: list[psutil.Process], word: str) -> psutil.Process:
    """The one process of a run that has this word in its command line."""
    (found,) = [p for p in family if word in " ".join(p.cmdline())]
    return found


def kill(process: psutil.Process) -> None:
    """As a crash does: without a word."""
    os.kill(process.pid, signal.SIGKILL)


def orphans(family: list[psutil.Process]) -> list[psutil.Process]:
    """What is still there after a fair time."""
    _, alive = psutil.wait_procs(family, GONE_S)
    return [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


def run_files(folder: Path) -> list[Path]:
    """All run files there."""
    return sorted(folder.glob("*.h5"))
