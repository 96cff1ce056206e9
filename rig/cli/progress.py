# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a run on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from rig.cli.streams import say
from rig.recording.live import LiveSummary
from rig.report.console import SafeConsole
from rig.session.run import OnProgress

BEHIND_MS = 200
LINE_S = 5.0
"""Plain lines come this often at most."""


@contextmanager
def progress_for(*, quiet: bool) -> Iterator[OnProgress]:
    """A function that shows a live summary."""
    if quiet:
        yield lambda _live: None
    elif sys.stderr.isatty():
        with _bar() as on_progress:
            yield on_progress
    else:
        yield _Lines()


def counts_text(live: LiveSummary, rate_hz: float) -> str:
    """Counts in one line; how far the host is behind only when that can be seen."""
    behind_ms = live.backlog.now_ns // 10**6
    behind = f", {behind_ms} ms behind" if behind_ms >= BEHIND_MS else ""
    hold = f"{live.hold}: " if live.hold else ""
    counts = "" if live.figures is None else f"{live.figures.counts_text(live.planned)}, "
    return f"{hold}{counts}{live.losses} lost, {rate_hz:,.0f}/s{behind}"


class _Rate:
    """Events per second of waiting."""

    def __init__(self) -> None:
        self._start: tuple[float, int] | None = None

    def of(self, live: LiveSummary) -> float:
        now = monotonic()
        events = live.events
        if self._start is None and events:
            self._start = now, events
        if self._start is None or now <= self._start[0]:
            return 0.0
        return (events - self._start[1]) / (now - self._start[0])


@contextmanager
def _bar() -> Iterator[OnProgress]:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.fields[phase]}"),
        BarColumn(24),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    rate = _Rate()
    with Progress(*columns, console=SafeConsole(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None, phase="opening")

        def show(live: LiveSummary) -> None:
            progress.update(
                task,
                total=live.planned,
                completed=min(live.events, live.planned),
                description=counts_text(live, rate.of(live)),
                phase=live.phase,
            )

        yield show


class _Lines:
    """A line at each change of phase, and every few seconds."""

    def __init__(self) -> None:
        self._part = ("", "")
        self._next = 0.0
        self._rate = _Rate()

    def __call__(self, live: LiveSummary) -> None:
        now = monotonic()
        rate_hz = self._rate.of(live)
        part = live.phase, live.hold
        if part != self._part or now >= self._next:
            self._part, self._next = part, now + LINE_S
            text = counts_text(live, rate_hz) if live.events else ""
            say(f"{live.phase} {text}".rstrip(), error=True, flush=True)
