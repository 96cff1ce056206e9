# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent that lies of the load on its target: the real agent with a line changed, on this
machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from rig.errors import BenchError
from rig.target.link import AgentLink
from rig.target.scenario import load_on
from tests.lies.lie import Told
from tests.lies.runs import REFUSED, Outcome
from tests.target.test_agent import running

ROOT = Path(__file__).parents[2] / "targets"
_LOADS, _WORKERS = "agent/ports/linux_loads.c", "agent/ports/linux_load_workers.c"
_ALIVE = "    int child = 0, count;\n"
_BEGIN = "    if (getppid() == parent)\n        run(number);"
_SLEEP = "(void)(run ? number : 0), pause();"
_TICKS = "add_time(leader, 0, &state->load_ticks);"

_KEPT = tempfile.TemporaryDirectory()
"""Until the process ends."""
Change = tuple[str, str, str]
LIES: dict[str, tuple[Change, ...]] = {
    # Their processes are there, and sleep.
    "load_asleep": ((_WORKERS, _BEGIN, _BEGIN.replace("run(number);", _SLEEP)),),
    # So many of them are never started, and counted all the same.
    "load_short": (
        (_LOADS, _ALIVE, _ALIVE + "    if (kind != COMMAND)\n        return workers;\n"),
        (_WORKERS, "pid_t parent = getpid(), child = fork();",
         "static int left_out;\n    if (left_out++ < SIZE)\n        return true;\n"
         "    pid_t parent = getpid(), child = fork();"),
        (_WORKERS, "        wait(NULL); /* none ends by itself */",
         "        for (;;)\n            pause();"),
    ),
    # The same, with processor time that nobody used.
    "load_invented": (
        (_WORKERS, _BEGIN, _BEGIN.replace("run(number);", _SLEEP)),
        (_LOADS, _TICKS, _TICKS + "\n        static uint64_t more;\n"
         "        state->load_ticks += more += 100;"),
    ),
}  # fmt: skip


@cache
def built(name: str, size: int) -> Path:
    """The agent's program, built once a process. Raises ValueError if the sources have changed."""
    source = Path(_KEPT.name) / f"{name}-{size}"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", "tests", "qemu"))
    for file, there, instead in LIES.get(name, ()):
        text = (source / file).read_text(encoding="utf-8")
        if text.count(there) != 1:
            raise ValueError(f"{file}: {there!r} is there {text.count(there)} times")
        (source / file).write_text(text.replace(there, instead.replace("SIZE", str(size))))
    subprocess.run(["make", "--silent", "-C", source / "agent"], check=True, capture_output=True)
    return source / "agent" / "build" / "rig-agent"


@contextmanager
def lying_agent(told: Told, folder: Path) -> Iterator[AgentLink]:
    """A host's link to it."""
    program = built(told.name, told.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder))  # no stress-ng: the agent's own loads
        with running(program, folder) as agent, agent.connect() as link:
            yield link


def run(load: str, told: Told) -> Outcome:
    """Start the load, as before a run, and end it."""
    with tempfile.TemporaryDirectory() as folder, lying_agent(told, Path(folder)) as link:
        try:
            with load_on(link, load, threading.Event()):
                return Outcome("pass", "")
        except BenchError as error:
            return Outcome(REFUSED, str(error))
