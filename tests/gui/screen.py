# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen of its own with a window manager, and the window on it, used by mouse and keyboard."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

TOOLS = ("Xvfb", "openbox", "xprop", "xwininfo", "xdotool", "import")
WAIT_S = 60
EVERY_S = 0.05
TITLE = "Latency Rig"


def missing_tools() -> list[str]:
    """What this machine lacks for a screen."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def wait_until(true: Callable[[], object], what: str) -> None:
    """Look again and again. Raises TimeoutError, with `what`, if it does not come."""
    end_s = time.monotonic() + WAIT_S
    while not true():
        if time.monotonic() > end_s:
            raise TimeoutError(what)
        time.sleep(EVERY_S)


@contextmanager
def screen(width: int, height: int) -> Iterator[dict[str, str]]:
    """An X server with openbox; gives the environment of a program that shall appear there."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24",
         "-nolisten", "tcp"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as display:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("QT_", "WAYLAND"))}
        environment["DISPLAY"] = f":{display.readline().strip()}"
    manager = subprocess.Popen(
        ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: "#" in _text(environment, "xprop", "-root", "_NET_SUPPORTING_WM_CHECK"),
                   "a window manager")  # fmt: skip
        yield environment
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait(WAIT_S)


class OpenWindow:
    """`rig gui` as a user starts it."""

    def __init__(self, environment: dict[str, str], folder: Path, *words: str) -> None:
        """`folder` is where run files go; settings are kept in `XDG_CONFIG_HOME`."""
        self._environment = environment
        self.clicks = 0
        """Of the mouse, so far."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rig.cli.main", "gui", "--folder", str(folder), *words],
            env=environment, cwd=folder.parent, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(self._found, "the window")
        self._do("windowfocus", "--sync", self.name)
        self.rest()

    @property
    def name(self) -> str:
        """Its number on the screen."""
        return self._found().splitlines()[-1]

    @property
    def title(self) -> str:
        """What stands in its frame."""
        return _text(self._environment, "xdotool", "getwindowname", self.name).strip()

    def click(self, x: float, y: float) -> None:
        """The left button, once, at a place within the window, in pixels of the screen."""
        self.clicks += 1
        left, top = self._origin()
        self._do("mousemove", str(round(left + x)), str(round(top + y)), "click", "1")

    def point(self, x: float, y: float) -> None:
        """The pointer only."""
        left, top = self._origin()
        self._do("mousemove", str(round(left + x)), str(round(top + y)))

    def key(self, *keys: str) -> None:
        """Press keys, as xdotool names them: ctrl+1, space."""
        self._do("key", "--clearmodifiers", *keys)

    def write(self, text: str) -> None:
        """Type this."""
        self._do("type", "--delay", "5", text)

    def picture(self, file: Path) -> None:
        """All of the window, without its frame, to a PNG file."""
        left, top, width, height = self._geometry()
        area = f"{width}x{height}+{left}+{top}"
        subprocess.run(["import", "-window", "root", "-crop", area, "+repage", "-strip", str(file)],
                       env=self._environment, check=True, timeout=WAIT_S)  # fmt: skip

    def rest(self) -> None:
        """Wait until nothing moves: three looks in a row that are the same."""
        seen: list[bytes] = []

        def rests() -> bool:
            time.sleep(0.15)
            seen.append(self.look())
            return len(seen) >= 3 and seen[-1] == seen[-2] == seen[-3]

        wait_until(rests, "a window that rests")

    def children(self) -> list[psutil.Process]:
        """All processes below it."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def close(self) -> int:
        """As a session manager does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(WAIT_S)
        finally:
            self.process.kill()

    def look(self) -> bytes:
        """All of the screen, as raw pixels."""
        shown = subprocess.run(
            ["import", "-window", "root", "rgb:-"],
            env=self._environment, capture_output=True, check=True, timeout=WAIT_S,
        )  # fmt: skip
        return shown.stdout

    def _found(self) -> str:
        if self.process.poll() is not None:
            raise ChildProcessError(f"rig gui ended with {self.process.returncode}")
        pid = str(self.process.pid)
        words = ("xdotool", "search", "--all", "--onlyvisible", "--pid", pid, "--name", TITLE)
        return _text(self._environment, *words).strip()

    def _origin(self) -> tuple[int, int]:
        return self._geometry()[:2]

    def _geometry(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of what is within the frame."""
        told = _text(self._environment, "xwininfo", "-id", self.name)
        names = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        values = dict(line.split(":") for line in told.splitlines() if line.count(":") == 1)
        left, top, width, height = (
            int(value) for name, value in _stripped(values).items() if name in names
        )
        return left, top, width, height

    def _do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._environment, check=True, timeout=WAIT_S)


def _stripped(values: dict[str, str]) -> dict[str, str]:
    return {name.strip(): value.strip() for name, value in values.items()}


def _text(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False,
                          timeout=WAIT_S)  # fmt: skip
    return done.stdout
