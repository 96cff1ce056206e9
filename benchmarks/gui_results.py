# SPDX-License-Identifier: GPL-3.0-or-later
"""The Results page with a long run: time until it is seen, time of a picture while one moves.

`python -m benchmarks.gui_results [EVENTS]`; 10^7 events unless told otherwise, 10^8 take a quarter
gigabyte of disk and minutes to be made. Needs PySide6, no screen.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, sleep

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings

from benchmarks.long_run import slowest, write_long_run
from gui.app import application
from gui.models.runs.entry import read_entry, stamp_of
from gui.models.runs.opened import OpenedRun
from gui.pages.results.events_view import EventsView

EVENTS = 10**7
PICTURES = 30
PATIENCE_S = 900


def lines(folder: Path, events: int = EVENTS) -> Iterator[str]:
    """A line for each figure."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    app = application()
    path = folder / "long.h5"
    write_long_run(path, events)
    start = perf_counter()
    entry = read_entry(path, stamp_of(path))
    yield f"gui results      {_ms(start)} until a run of {events:,} events is in the table"
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    view = EventsView(settings)
    view.resize(1200, 600)
    view.show()
    app.processEvents()
    for which in ("first", "second"):
        start = perf_counter()
        run = OpenedRun(path, vetted=entry.stamp == stamp_of(path))
        view.show_run(run)
        view.grab()
        yield f"gui results      {_ms(start)} from a click to its events, {which} time"
        if which == "first":
            start = perf_counter()
            _wait(view, app.processEvents)
            yield f"gui results      {_ms(start)} until its summaries are made, beside the window"
            view.clear()
            run.close()
    view.go_to_worst()
    assert view.event_number == slowest(events)
    yield from _movement(view)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"gui results      {peak:.0f} MiB at most, window and all"
    view.clear()
    run.close()


def _movement(view: EventsView) -> Iterator[str]:
    strip, canvas = view.strip, view.waveform.canvas
    count = strip.shown[1]
    yield _pictures("overview, zoom", lambda: strip.zoom(0.7, 0.7), strip.grab)
    strip.set_range(count / 2, count / 2 + 200_000)
    yield _pictures(
        "overview, 200,000 events, scroll",
        lambda: strip.set_range(*(at + 20_000 for at in strip.shown)),
        strip.grab,
    )
    yield _pictures("waveform, zoom out to all", lambda: canvas.zoom(2.0), canvas.grab)
    yield _pictures("waveform, zoom in", lambda: canvas.zoom(0.5), canvas.grab)
    yield _pictures("waveform, scroll", lambda: canvas.move_by(0.1), canvas.grab)


def _pictures(name: str, move: Callable[[], object], paint: Callable[[], object]) -> str:
    took = []
    for _ in range(PICTURES):
        start = perf_counter()
        move()
        paint()
        took.append((perf_counter() - start) * 1e3)
    median = statistics.median(took)
    return f"gui results      {median:.0f} ms a picture, {max(took):.0f} at most: {name}"


def _wait(view: EventsView, turn: Callable[[], object]) -> None:
    end = perf_counter() + PATIENCE_S
    while not view.summaries_complete:
        turn()
        sleep(0.02)
        assert perf_counter() < end


def _ms(start: float) -> str:
    return f"{(perf_counter() - start) * 1e3:.0f} ms"


def main() -> int:
    """Print every figure; nothing is judged, machines differ."""
    events = int(sys.argv[1]) if sys.argv[1:] else EVENTS
    with tempfile.TemporaryDirectory(prefix="rig-bench-") as folder:
        for line in lines(Path(folder), events):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
