# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads on this machine, started by the real agent: they run, and nothing of them stays."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path

import psutil
import pytest

from rig.errors import BenchError
from rig.target.link import AgentLink
from rig.target.scenario import LOADS, load_on, loads_of
from tests.target.test_agent import BASIC, build, program, running  # noqa: F401 - fixtures

GONE_S = 10
GO = threading.Event()


def family(process):
    """The processes below an agent."""
    return psutil.Process(process.pid).children(recursive=True)


def until_noticed(load):
    """Until a worker's end is seen, or the test's time is over."""
    while True:
        load.check()


def gone(processes):
    """Whether all have ended in a fair time."""
    _, alive = psutil.wait_procs(processes, GONE_S)
    return not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def agent(program, tmp_path):  # noqa: F811 - the fixture
    with running(program, tmp_path) as one:
        yield one


@pytest.mark.parametrize(
    ("name", "a_cpu"), [("cpu", 4), ("io", 2), ("half", 1), ("copy", 1), ("network", 1)]
)
def test_a_load_runs_while_it_is_wanted(agent, name, a_cpu):
    with agent.connect() as link:
        assert loads_of(link) == LOADS
        with load_on(link, name, GO) as load:
            workers = load.measured["workers"]
            assert workers == a_cpu * psutil.cpu_count()
            processes = family(agent.process)
            assert len(processes) == workers + 1
            assert load.check() == workers
            assert load.measured["busy under load"] > (0.9 if name == "cpu" else 0)
        assert gone(processes)
        assert link.load("STATE")["name"] == "idle"


def test_a_load_is_no_real_time_task_and_has_no_files_of_the_agent(agent):
    with agent.connect() as link, load_on(link, "half", GO):
        for process in family(agent.process):
            files = {path.readlink() for path in Path(f"/proc/{process.pid}/fd").iterdir()}
            assert files == {Path("/dev/null")}
            assert "VmLck:\t       0 kB" in Path(f"/proc/{process.pid}/status").read_text()


def test_a_load_ends_with_its_link(agent):
    link = agent.connect()
    link.load("START half")
    processes = family(agent.process)
    assert processes
    link._wire.stream.close()
    assert gone(processes)


def test_a_greeting_ends_the_load_of_an_earlier_host(agent):
    with agent.connect() as link:
        link.load("START half")
        processes = family(agent.process)
        link._hello()
        assert gone(processes)


def test_a_load_ends_with_an_agent_that_is_killed(program, tmp_path):  # noqa: F811
    with running_raw(program, tmp_path) as (process, link), load_on(link, "cpu", GO):
        processes = family(process)
        assert len(processes) > 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert gone(processes)


def running_raw(program, folder):  # noqa: F811
    """An agent that may be killed, and a link to it."""
    import contextlib
    import socket

    @contextlib.contextmanager
    def started():
        path = folder / "line"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(1)
            words = [program, "--port", "posix", "--device", path, *BASIC, "--tcp", "0"]
            with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
                line, _ = listener.accept()
                port = int(process.stderr.readline().split(":")[-1])
                with line, AgentLink.open("127.0.0.1", port) as link:
                    yield process, link

    return started()


def test_a_load_that_does_not_last_is_told(agent):
    with agent.connect() as link, load_on(link, "half", GO) as load:
        family(agent.process)[-1].kill()
        with pytest.raises(BenchError, match=r"load half did not last: \d of its \d workers"):
            until_noticed(load)


def test_what_cannot_be_started_is_refused_in_words(agent):
    with agent.connect() as link:
        with pytest.raises(BenchError, match="LOAD refused: no such load; valid: cpu,io,half"):
            link.load("START everything")
        with pytest.raises(BenchError, match="LOAD needs START and a name, STATE or STOP"):
            link.load("BEGIN cpu")
        with load_on(link, "everything", GO) as load:
            assert load is None
        with load_on(link, "idle", GO) as load:
            assert load is None


def test_no_load_is_changed_while_armed(agent):
    from tests.target.test_agent import task

    with agent.connect() as link:
        link.arm(task(5))
        for words in ("START cpu", "STOP", "STATE"):
            with pytest.raises(BenchError, match="armed; send STOP first"):
                link.load(words)
        link.stop()
