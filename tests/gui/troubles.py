# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.gui.troubles FOLDER --bench DIR`: troubles from real causes, in pictures.

Each trouble is made on the virtual bench below a real window: a fixture with a mistake, a
microcontroller or an analyzer that goes in mid-run, a target that is silent or not there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from rig.resources import find_fixture, find_plan
from tests.gui.bench import kill, part
from tests.gui.clickthrough import FRAME, HEIGHT, WIDTH, environment_of, places
from tests.gui.screen import OpenWindow, screen, wait_until

LONG = 300_000
"""Stimuli of a run that does not end by itself while somebody looks."""


class Bench:
    """A folder of a user, with a fixture and a plan of their own."""

    def __init__(self, folder: Path, config: Path) -> None:
        self.folder, self._config = folder, config
        self.runs = folder / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)

    def choose(self, fixture: str, count: int, page: str = "run") -> None:
        """What is chosen when the window opens."""
        plan = self.folder / "long.toml"
        text = find_plan("interrupt").read_text()
        lines = [f"count = {count}" if line.startswith("count") else line
                 for line in text.splitlines()]  # fmt: skip
        plan.write_text("\n".join(lines) + "\n")
        file = self.folder / "bench.toml"
        file.write_text(fixture)
        ini = self._config / "latency-rig" / "latency-rig.ini"
        ini.parent.mkdir(parents=True, exist_ok=True)
        ini.write_text(
            f"[run]\nfixtures={file}\nplans={plan}\nrecent_fixtures={file}\nrecent_plans={plan}\n"
            f"[window]\npage={page}\n"
        )


def virtual(old: str = "", new: str = "") -> str:
    """The virtual bench's fixture, with one thing in it replaced."""
    text = find_fixture("virtual").read_text()
    assert old in text
    return text.replace(old, new, 1)


def far_away() -> str:
    """A bench whose target's port nobody listens on."""
    return find_fixture("parallel-port-fx2").read_text().replace("192.0.2.1:7411", "127.0.0.1:9")


def measuring(window: OpenWindow) -> list[psutil.Process]:
    """Press Run by the mouse; all processes once stimuli go out."""
    window.click(*places()["run"])
    wait_until(lambda: window.title.startswith("Measuring"), "a measurement")
    wait_until(lambda: _is_emulating(window.children()), "the microcontroller")
    family = window.children()
    (engine,) = [p for p in family if "gui.engine" in _words(p)]
    enough_s = engine.cpu_times().user + 0.4
    wait_until(lambda: engine.cpu_times().user > enough_s, "some measuring")
    return window.children()


def ended(window: OpenWindow) -> None:
    """The run came to its end, whatever it is."""
    wait_until(lambda: window.title.startswith("Run"), "the end of the run")
    window.rest()


def microcontroller_unplugged(window: OpenWindow) -> None:
    """Its serial port is gone in mid-run."""
    kill(part(measuring(window), "rig-emulator"))
    ended(window)


def analyzer_vanished(window: OpenWindow) -> None:
    """The analyzer's process is gone in mid-run, and its connection with it."""
    family = measuring(window)
    (worker,) = [p for p in family if "rig.capture.worker" in _words(p)]
    (link,) = [c for c in worker.net_connections("tcp") if c.status == psutil.CONN_ESTABLISHED]
    _reset(link.laddr.port)
    ended(window)


def target_silent(window: OpenWindow) -> None:
    """No stimulus is ever answered; the user stops."""
    measuring(window)
    window.key("space")
    wait_until(lambda: window.title.startswith("Run"), "the end of the run")
    before = window.look()
    wait_until(lambda: window.look() != before, "the waveform of a missed stimulus")
    window.rest()


def shown(window: OpenWindow) -> None:
    """Nothing to be done: the window says it as it opens."""
    window.rest()


def refused(window: OpenWindow) -> None:
    """Run is pressed, and nothing can be begun."""
    before = window.look()
    window.click(*places()["run"])
    wait_until(lambda: window.look() != before, "anything")
    ended(window)


def asked(window: OpenWindow) -> None:
    """The target is asked from the Wire page."""
    wait_until(lambda: not _has(window, "doctor_process"), "a look at this machine")
    window.key("ctrl+t")
    wait_until(lambda: _has(window, "target_probe_process"), "a question")
    wait_until(lambda: not _has(window, "target_probe_process"), "an answer")
    window.rest()


def _reset(port: int) -> None:
    """The kernel ends a connection of this port, as when a cable is pulled."""
    subprocess.run(["ss", "-K", "src", "127.0.0.1", "sport", "=", str(port)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip


def _has(window: OpenWindow, word: str) -> bool:
    return any(word in _words(p) for p in window.children())


def _is_emulating(family: list[psutil.Process]) -> bool:
    return any("rig-emulator" in _words(p) for p in family)


def _words(process: psutil.Process) -> str:
    """Its command line; "" for one that has just gone."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@dataclass(frozen=True)
class Trouble:
    """One thing amiss."""

    name: str
    fixture: str
    happens: Callable[[OpenWindow], None]
    words: str
    """What the command line says of it, in the reasons of the run or on standard error."""
    page: str = "run"


SILENT = """
[virtual.wiring]
interrupt_open = true
"""
TROUBLES = (
    Trouble("fixture", virtual('"D1"', '"D17"'), shown, "no channel D17", "wire"),
    Trouble("fixture-run", virtual('"D1"', '"D17"'), shown, "no channel D17"),
    Trouble("microcontroller", virtual(), microcontroller_unplugged, "microcontroller"),
    Trouble("analyzer", virtual(), analyzer_vanished, "analyzer"),
    Trouble("silent", virtual() + SILENT, target_silent, "missed"),
    Trouble("port", find_fixture("parallel-port-fx2").read_text(), refused, "plug the board in"),
    Trouble("target", far_away(), asked, "does not answer", "wire"),
)


def picture(trouble: Trouble, bench: Path, file: Path) -> None:
    """Let it happen in a window of its own, and keep what is seen."""
    with (
        tempfile.TemporaryDirectory() as home,
        screen(WIDTH + FRAME, HEIGHT + 2 * FRAME) as shown_on,
    ):
        config = Path(home) / "config"
        place = Bench(bench, config)
        place.choose(trouble.fixture, LONG, trouble.page)
        window = OpenWindow(environment_of(shown_on, Path(home)), place.runs)
        try:
            trouble.happens(window)
            window.picture(file)
        finally:
            window.close()


def main() -> None:
    """All, or those named."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    for trouble in TROUBLES:
        if not options.only or trouble.name in options.only:
            picture(trouble, options.bench, options.pictures / f"gui-trouble-{trouble.name}.png")
            print(trouble.name)


if __name__ == "__main__":
    main()
