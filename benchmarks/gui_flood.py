# SPDX-License-Identifier: GPL-3.0-or-later
"""A window that is dragged, resized, repainted and paged through without a pause, while the engine
measures at 24 MS/s: what the engine lost, and how far it fell behind.

`flooded`: by itself, faster than anybody could; `dragged`: by the mouse, through a window manager.

In an X server of its own (xvfb-run), without one by Qt's offscreen platform. The virtual bench
sends as many samples as are taken; what an analyzer would have lost shows in the backlog, and
becomes a sign of loss where it is longer than analyzers keep samples.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.pages.run.page import RunPage
    from gui.window import MainWindow

STIMULI = 8000
"""Some eight seconds."""
STALL_S = 0.5
"""Now and then the window does nothing at all for so long."""
STALL_EACH = 150
DRAGS = 2000
PAGES = ("run", "results", "run", "wire")


def lines(folder: Path) -> Iterator[str]:
    """With the window left alone, flooded, and dragged."""
    command = [sys.executable, "-m", "benchmarks.gui_flood", str(folder)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ways = ["alone", "flooded"]
    if shutil.which("xvfb-run"):
        command = ["xvfb-run", "-a", "-s", "-screen 0 1920x1080x24", *command]
        environment["QT_QPA_PLATFORM"] = "xcb"
        if shutil.which("openbox") and shutil.which("xdotool"):
            ways.append("dragged")
    for way in ways:
        done = subprocess.run(
            [*command, way], env=environment, capture_output=True, text=True, check=False
        )
        told = [line for line in done.stdout.splitlines() if line.startswith("window")]
        yield from told or [f"window           {way}: failed: {done.stderr[-300:]}"]


def measure(folder: Path, way: str) -> str:
    """One run in a window; the line that tells of it."""
    from PySide6.QtCore import QSettings, QThread

    from gui.app import application
    from gui.pages.run.page import RunPage
    from gui.theme import theme
    from gui.window import MainWindow

    app = application()
    settings = QSettings(str(folder / "flood.ini"), QSettings.Format.IniFormat)
    settings.clear()
    theme().begin(settings)
    window = MainWindow(folder / "runs", settings)
    window.show()
    window.enter("run")
    page = window.page("run")
    assert isinstance(page, RunPage)
    page.load()
    page.chooser.count.setValue(STIMULI)
    start = perf_counter()
    page.start()
    steps, places = 0, set()
    hands = drag(int(window.winId())) if way == "dragged" else []
    while page.engine.is_running:
        if way == "flooded":
            flood(window, steps)
        else:
            QThread.msleep(10)
        app.processEvents()
        places.add(window.geometry().getRect())
        steps += 1
    took_s = perf_counter() - start
    for hand in hands:
        hand.kill()
        hand.wait()
    line = f"{told(page, way, steps, took_s)}; {len(places)} places and sizes"
    page.engine.close()
    release = getattr(window.page("results"), "release", None)
    if release is not None:
        release()
    return line


def flood(window: MainWindow, step: int) -> None:
    """Move, resize, page, paint everything anew; stall now and then."""
    from PySide6.QtCore import QThread

    window.setGeometry(
        step * 7 % 300, step * 5 % 200, 1110 + step * 13 % 600, 650 + step * 11 % 380
    )
    if step % 10 == 0:
        window.enter(PAGES[step // 10 % len(PAGES)])
    window.repaint()
    if step % STALL_EACH == STALL_EACH - 1:
        QThread.msleep(round(STALL_S * 1e3))


def drag(window: int) -> list[subprocess.Popen[bytes]]:
    """A window manager, and a mouse that moves and resizes through it until it is killed."""
    manager = subprocess.Popen(["openbox"])
    mouse = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE)
    assert mouse.stdin is not None
    script = [f"sleep 1 windowactivate {window}"]
    for turn in range(DRAGS):
        button, sign = 1 + 2 * (turn // 2 % 2), 1 - 2 * (turn % 2)  # left moves, right resizes
        script.append(f"mousemove --window {window} 600 400 keydown alt mousedown {button}")
        script += [f"mousemove_relative --sync -- {9 * sign} {5 * sign} sleep 0.01"] * 25
        script.append(f"mouseup {button} keyup alt")
    Thread(target=mouse.communicate, args=("\n".join(script).encode(),), daemon=True).start()
    return [manager, mouse]


def told(page: RunPage, way: str, steps: int, took_s: float) -> str:
    """Losses, backlog and rate."""
    if page.outcome is None:
        return f"window           {way}: {page.failure}"
    snapshot, document = page.snapshot, page.outcome.document
    sampled_s = document["samples"] / snapshot.sample_rate_hz
    return (
        f"window           {way}: {snapshot.losses} signs of loss, {len(document['gaps'])} gaps, "
        f"{document['counts']['answered']:,} of {STIMULI:,} answered, {page.outcome.verdict}; "
        f"backlog at most {snapshot.backlog_max_ns / 1e6:.0f} ms; "
        f"{sampled_s:.1f} s at {snapshot.sample_rate_hz / 1e6:g} MS/s in {took_s:.1f} s; "
        f"{steps / took_s:.0f} window steps a second"
    )


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for number in count():
        where = place / f"flood-{sys.argv[2]}-{number}"
        if not where.exists():
            where.mkdir(parents=True)
            break
    print(measure(where, sys.argv[2]), flush=True)
