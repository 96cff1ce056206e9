# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads on this machine, started by the real agent: they run, and nothing of them stays."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import ClassVar

import psutil
import pytest

from rig.errors import BenchError, RefusedError
from rig.instruments import LoadTask
from rig.target.link import AgentLink
from rig.target.scenario import LOADS, load_on, loads_of
from tests.target.test_agent import BASIC, build, program, running  # noqa: F401 - fixtures

GONE_S = 10
"""More than a load is given to end by itself."""
GO = threading.Event()


STRESSORS = {
    "cpu": {"cpu": 2, "vm": 2},
    "io": {"io": 1, "hdd": 1},
    "cpu-io": {"cpu": 2, "vm": 2, "io": 1, "hdd": 1},
    "memory": {"stream": 1},
    "cache": {"cache": 1},
}
"""Workers of stress-ng for each load, so many a processor."""
STREAM_TIMES = 12
"""By so much --stream takes more than the size that it is told, with all its workers."""


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


def udp_received():
    """Datagrams that this machine has received."""
    lines = Path("/proc/net/snmp").read_text().splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith("Udp:"))
    return int(values[names.index("InDatagrams")])


@pytest.fixture
def agent(program, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    """One that finds no stress-ng: its loads are its own, whatever this machine has."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with running(program, tmp_path) as one:
        yield one


@pytest.fixture
def agent_with_stress(program, tmp_path):  # noqa: F811 - the fixture
    if shutil.which("stress-ng") is None:
        pytest.skip("stress-ng is missing: apt-get install stress-ng")
    with running(program, tmp_path) as one:
        yield one


@pytest.mark.parametrize("name", ["cpu", "half"])
def test_a_load_stays_on_the_processors_that_it_is_given(agent, name):
    """All of its processes, and as many workers as those processors want; the next one is free."""
    own = psutil.Process().cpu_affinity()
    with agent.connect() as link:
        with load_on(link, name, GO, cpus=str(own[0])) as load:
            assert load.measured["processors"] == str(own[0])
            assert load.measured["workers"] == {"cpu": 4, "half": 1}[name]
            assert {tuple(each.cpu_affinity()) for each in family(agent.process)} == {(own[0],)}
        with load_on(link, "half", GO) as load:
            assert load.measured["workers"] == len(own)
        for cpus, words in (("1023", "there"), ("1-0", "such as 0,2-3"), ("0,", "such as 0,2-3")):
            with pytest.raises(BenchError, match=words), load_on(link, name, GO, cpus=cpus):
                pass


@pytest.mark.parametrize(
    ("name", "a_cpu"),
    [
        ("cpu", 4), ("io", 2), ("cpu-io", 6), ("cpu-nice", 1), ("half", 1), ("network", 1),
        ("memory", 1), ("cache", 1),
    ],
)  # fmt: skip
def test_a_load_runs_while_it_is_wanted(agent, name, a_cpu):
    with agent.connect() as link:
        assert loads_of(link) == LOADS
        with load_on(link, name, GO) as load:
            workers = load.measured["workers"]
            assert workers == a_cpu * psutil.cpu_count()
            processes = family(agent.process)
            assert len(processes) == workers + 2
            assert load.check() == workers
            made = load.measured["program"], load.measured["version"]
            assert made == ("rig-agent", link.identity.version)
            assert load.measured["busy under load"] > (0.9 if name == "cpu" else 0)
            if name == "cpu-nice":
                assert sum(process.nice() == 10 for process in processes) >= workers
        assert gone(processes)
        assert link.load("STATE")["name"] == "idle"


def test_files_of_70_kb_are_copied_by_a_process_each(agent):
    with agent.connect() as link, load_on(link, "copy", GO) as load:
        assert load.measured["workers"] == load.check() == 1
        (worker,) = family(agent.process)[1].children()  # a keeper, its program, and that one's
        times = worker.cpu_times()
        assert times.children_user + times.children_system > 0, "copies are its children"


def test_no_disk_is_written_where_files_lie_in_memory(program, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("TMPDIR", "/dev/shm")  # noqa: S108 - a file system in memory
    with running(program, tmp_path) as agent, agent.connect() as link:  # noqa: SIM117
        with pytest.raises(RefusedError, match="LOAD refused: files lie in memory; start rig-ag"):
            with load_on(link, "disk", GO):
                raise AssertionError("nothing to write to")


@pytest.mark.parametrize("name", STRESSORS)
def test_stress_ng_makes_the_loads_where_it_is(agent_with_stress, name):
    version = subprocess.run(["stress-ng", "--version"], capture_output=True, text=True, check=True)
    with agent_with_stress.connect() as link:
        assert link.greeting["load_program"] == "stress-ng"
        with load_on(link, name, GO) as load:
            made = load.measured["program"], load.measured["version"]
            assert made == ("stress-ng", version.stdout.split()[2])
            workers = sum(STRESSORS[name].values()) * psutil.cpu_count()
            assert load.check() == load.measured["workers"] == workers
            processes = family(agent_with_stress.process)
            (main,) = (p for p in processes if p.name() == "stress-ng")
            folder = Path(main.cwd())
            assert folder.name.startswith("rig-load-")
            told = [int(word[:-1]) for word in main.cmdline() if re.fullmatch("[0-9]+k", word)]
            taken_kib = sum(told) * (STREAM_TIMES if name == "memory" else 1)
            assert (name != "cache") <= taken_kib <= 1 << 20
            names = [process.name().partition(" ")[0] for process in main.children()]
            found = {each: names.count(f"stress-ng-{each}") for each in STRESSORS[name]}
            cpus = psutil.cpu_count()
            assert found == {each: a_cpu * cpus for each, a_cpu in STRESSORS[name].items()}
        assert gone(processes)
        assert not folder.exists()


def test_a_stress_ng_that_loses_a_worker_is_told(agent_with_stress):
    with agent_with_stress.connect() as link, load_on(link, "cpu", GO) as load:
        (main,) = (p for p in family(agent_with_stress.process) if p.name() == "stress-ng")
        next(p for p in main.children() if p.name() == "stress-ng-cpu").kill()
        with pytest.raises(BenchError, match=r"load cpu did not last: \d+ of its \d+ workers"):
            until_noticed(load)


def test_the_network_load_does_send_and_receive(agent):
    with agent.connect() as link, load_on(link, "network", GO) as load:
        first = udp_received()
        while udp_received() < first + 10_000:
            load.check()


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


def running_raw(program, folder, *options):  # noqa: F811
    """An agent that may be killed, and a link to it."""
    import contextlib
    import socket

    @contextlib.contextmanager
    def started():
        path = folder / "line"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(1)
            words = [program, "--port", "posix", "--device", path, *BASIC, *options, "--tcp", "0"]
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


class SlowGuest:
    """A target on which a tenth of a second passes in each second of the host's."""

    greeting: ClassVar = {"loads": "rt-tasks"}

    def __init__(self):
        self.ticks = 0

    def load(self, words):
        self.ticks += 10 * (words == "STATE")
        own = max(0, self.ticks - 60) // 25  # it has not shown itself at once
        return {
            "workers": "15", "alive": "15", "busy_ticks": str(self.ticks),
            "total_ticks": str(self.ticks), "average_permille": "0", "load_ticks": str(own),
        }  # fmt: skip


def test_a_guest_whose_time_passes_slowly_is_watched_for_longer(monkeypatch):
    monkeypatch.setattr("rig.target.scenario.WATCH_S", 0.0)
    with load_on(SlowGuest(), "rt-tasks", GO) as load:
        assert load.measured["busy by the load"] > 0


class TellingGuest(SlowGuest):
    """A target whose load has two periodic tasks; `odd`: starts of the second one."""

    odd = "7"

    def load(self, words):
        if not words.startswith("TASK "):
            return {**super().load(words), "tasks": "2"}
        starts = self.odd if words == "TASK 1" else "5"
        return {
            "period_ns": "1000000", "work_ns": "40000", "priority": "15", "starts": starts,
            "overruns": "3", "late_ns": "500", "late_max_ns": "200",
        }  # fmt: skip


def test_each_periodic_task_of_a_load_is_told(monkeypatch):
    monkeypatch.setattr("rig.target.scenario.WATCH_S", 0.0)
    with load_on(TellingGuest(), "rt-tasks", GO) as load:
        assert load.tasks() == (
            LoadTask(1_000_000, 40_000, 15, 5, 3, 500, 200),
            LoadTask(1_000_000, 40_000, 15, 7, 3, 500, 200),
        )
    with load_on(SlowGuest(), "rt-tasks", GO) as load:  # an agent that does not tell
        assert load.tasks() == ()


@pytest.mark.parametrize("odd", ["", "-1", "x", str(2**63)])
def test_an_account_of_a_task_that_makes_no_sense_is_refused(monkeypatch, odd):
    monkeypatch.setattr("rig.target.scenario.WATCH_S", 0.0)
    monkeypatch.setattr(TellingGuest, "odd", odd)
    with (
        load_on(TellingGuest(), "rt-tasks", GO) as load,
        pytest.raises(BenchError, match="load rt-tasks: its task 1"),
    ):
        load.tasks()


def test_what_cannot_be_started_is_refused_in_words(agent):
    with agent.connect() as link:
        with pytest.raises(BenchError, match="LOAD refused: no such load; valid: cpu,io,cpu-io"):
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
