# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of one update of the Run page: everything set, and drawn, from one snapshot.

Drawn by Qt's raster engine without a screen, at the size that the page has in a window of
1280 x 720 and of 1920 x 1080.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

UPDATES = 200
EVENTS = 10_000_000
STRETCHES = 1024


def lines(folder: Path) -> Iterator[str]:
    """Median and 99th percentile of the update time, and time until the window is there."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from gui.app import application
    from gui.pages.run.page import RunPage
    from gui.theme import theme

    started = perf_counter()
    app = application()
    settings = QSettings(str(folder / "gui.ini"), QSettings.Format.IniFormat)
    theme().begin(settings)
    page = RunPage(folder, settings)
    page.resize(1190, 670)
    page.show()
    app.processEvents()
    opened_s = perf_counter() - started
    page.load()
    loaded_s = perf_counter() - started
    page.engine.close()
    yield f"window           Run page drawn after {opened_s:.2f} s, with plots {loaded_s:.2f} s"
    for width, height in ((1190, 670), (1830, 1030)):
        page.resize(width, height)
        yield line(page, f"{width} x {height}")
    page.close()
    QApplication.processEvents()


def line(page, size: str) -> str:  # type: ignore[no-untyped-def]
    """The figures at one size."""
    from PySide6.QtWidgets import QApplication

    snapshots = list(moments())
    took, busy = [], []
    for snapshot in snapshots:
        start, busy_s = perf_counter(), process_time()
        page.show_snapshot(snapshot)
        QApplication.sendPostedEvents()
        QApplication.processEvents()
        took.append((perf_counter() - start) * 1e3)
        busy.append((process_time() - busy_s) * 1e3)
    bins = len(snapshots[-1].bins)
    return (
        f"window           update {np.median(took):5.1f} ms median, "
        f"{np.percentile(took, 99):.1f} ms p99; {np.median(busy):.1f} and "
        f"{np.percentile(busy, 99):.1f} ms of processor time; "
        f"{bins:,} bins, {snapshots[-1].events:,} events, {size}"
    )


def moments():  # type: ignore[no-untyped-def]
    """Snapshots of a run at its end: as many bins as a histogram can have, a full timeline."""
    from gui.engine.snapshot import Snapshot
    from rig.services.event_query import NotableEvent
    from rig.streaming.histogram import bin_starts

    random = np.random.default_rng(1)
    bins = np.arange(2, 5600)  # beyond them lie years
    counts = 1 + (EVENTS * np.exp(-((np.arange(len(bins)) - 300.0) ** 2) / 2e4) / 250).astype(int)
    highest = int(bin_starts()[bins[-1]])
    base = Snapshot(
        phase="measuring",
        planned=2 * EVENTS,
        events=EVENTS,
        answers=EVENTS,
        sample_rate_hz=24_000_000,
        worst_ns=highest * 1e9 / 24e6,
        min_samples=2,
        latencies=int(counts.sum()),
        target="answering",
        bins=bins,
    )
    for number in range(UPDATES):
        grown = counts + number
        worst = highest + number
        yield replace(
            base,
            events=EVENTS + 1000 * number,
            samples=10**9 + number * 10**6,
            worst_ns=worst * 1e9 / 24e6,
            worst_event=EVENTS + number,
            total_samples=worst * 1000,
            bin_counts=grown,
            counts={"answered": EVENTS + number, "missed": number, "late": number},
            end_sample=np.arange(1, STRETCHES + 1) * 24_000_000 + number,
            max_samples=random.integers(80, 10**6, STRETCHES),
            missed=random.integers(0, 2, STRETCHES),
            late=random.integers(0, 2, STRETCHES),
            merged=np.zeros(STRETCHES, np.int64),
            lost=(random.random(STRETCHES) < 0.01).astype(np.int64),
            notable=tuple(
                NotableEvent(EVENTS + number + k, 10**9, 10**9 + 5000, "late") for k in range(64)
            ),
        )


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rig-bench-") as place:
        for text in lines(Path(place)):
            print(text, flush=True)
