# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs whose guest fails, or that are ended: one clear line, the exit code, nothing left.

Slow: each test boots a kernel. The same failures piece by piece are in test_guest.py.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from rig.virtual.guest.cache import Cache
from tests.cli.command import GONE_S, RIG, Running, measuring, rig

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
HERE = Path(__file__).parent
GUEST = ("--fixture", "qemu-debian")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, plugin: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All temporary files of the run go here."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    agent = HERE.parents[1] / "targets" / "agent"
    subprocess.run(["make", "--silent", "-C", agent], check=True, timeout=120)
    return folder


@contextmanager
def nothing_left(scratch: Path) -> Iterator[None]:
    """Neither a process, and with it none of its sockets, nor a file, once it is over."""
    yield
    assert psutil.Process().children(recursive=True) == []
    assert list(scratch.iterdir()) == []


def only_report(errors: str) -> str:
    assert "Traceback" not in errors
    (report,) = [line for line in errors.splitlines() if line.startswith("rig: ")]
    return report


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        # Its own time or the host's, whichever is over first.
        (
            "HANG",
            r"the guest hangs: its agent has been silent for 20 s|no reply within 10 s; is the",
        ),
        ("PANIC", "the guest failed: Kernel panic - not syncing: sysrq triggered crash"),
        ("STORM", "interrupt storm in the guest: "),
        ("END", "the guest failed: the agent ended with exit status 6: enough of this"),
    ],
)
def test_a_guest_that_fails_in_a_run(
    trouble: str, words: str, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "agent"
    options = ["-static", "-Wall", "-Werror", f'-DTROUBLE="{trouble}"']
    subprocess.run(["cc", *options, "-o", agent, HERE / "bad_agent.c"], check=True)
    # Python's own hook: the bench is a process of its own, which takes this agent for the rig's.
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib, rig.resources\n"
        f"rig.resources.agent_binary = lambda: pathlib.Path({str(agent)!r})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    out = tmp_path / "run.h5"
    with nothing_left(scratch):
        ended = rig("run", "interrupt", *GUEST, "--count", 400, "--out", out)
    assert ended.returncode == 3
    assert re.search(words, only_report(ended.stderr))
    # What had been measured is kept, and says that it is not whole.
    document = json.loads(rig("show", out, "--json").stdout)
    assert document["state"] == "failed"
    assert document["verdict"] == "incomplete"


def test_a_run_that_passes_leaves_nothing(tmp_path: Path, scratch: Path) -> None:
    out = tmp_path / "run.h5"
    with nothing_left(scratch):
        assert rig("run", "interrupt", *GUEST, "--count", 50, "--out", out).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} <= {
        "run.h5", "run.html", "run.windows", "scratch"
    }  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_leaves_nothing(
    number: signal.Signals, tmp_path: Path, scratch: Path
) -> None:
    out = tmp_path / "run.h5"
    with nothing_left(scratch), measuring(out, *GUEST) as running:
        running.process.send_signal(number)
        running.end()
        assert running.process.returncode == 130
        assert running.orphans() == []
    document = json.loads(rig("show", out, "--json").stdout)
    assert document["verdict"] == "inconclusive"


def test_a_wait_for_the_cache_can_be_interrupted(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = Cache.of_user().folder
    folder.mkdir(parents=True)
    lock = folder / "lock"
    with nothing_left(scratch), lock.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [*RIG, "run", "interrupt", *GUEST, "--out", tmp_path / "run.h5"],
            stderr=subprocess.PIPE,
            text=True,
        )
        await_open(process, lock)
        running = Running(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=GONE_S)
        assert running.orphans() == []
    assert only_report(errors) == "rig: stopped while the virtual bench was being set up"
    assert process.returncode in (3, 130)
    assert os.listdir(folder) == ["lock"]  # noqa: PTH208 - names are what matters


def await_open(process: subprocess.Popen[str], file: Path) -> None:
    """Until a descendant has the file open: it waits for its lock then."""
    while process.poll() is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            try:
                if any(opened.path == str(file) for opened in child.open_files()):
                    return
            except psutil.NoSuchProcess:
                continue
