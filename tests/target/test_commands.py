# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads that are the user's own programs, run by the real agent: words, permission, their end."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from pathlib import Path

import psutil
import pytest

from rig.bench.target import open_target
from rig.config.links import SshLink
from rig.errors import BenchError, RefusedError
from rig.instruments import LoadCommand
from rig.target.scenario import Load, load_on, nobody_starts, runs_commands
from tests.target.real_agent import PORT, agent_program
from tests.target.sshd import HOST, running_sshd
from tests.target.test_agent import build, program, running, started  # noqa: F401 - fixtures
from tests.target.test_scenario import GO, family, gone, until_noticed

WORDS = ("a b", " ", "%41", "%", "\N{LATIN SMALL LETTER U WITH DIAERESIS}", '--x="y"', "'; exit 1")
"""What a shell, or this protocol, could take for something else."""
WRITER = """
import json, os, sys, time
with open("said.new", "w") as file:
    json.dump(sys.argv[1:], file)
os.rename("said.new", "said")
time.sleep(3600)
"""
RUNAWAY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
os.wait()
open("away", "w").close()
time.sleep(3600)
"""
"""It does not end when asked, and has a grandchild of another session, whose parent has ended."""


@pytest.fixture(autouse=True)
def _look_quickly(monkeypatch):
    """What a load does to the system is no matter here."""
    monkeypatch.setattr("rig.target.scenario.WATCH_S", 0.1)


@pytest.fixture
def agent(program, tmp_path):  # noqa: F811 - the fixture
    with started(program, tmp_path, "--tcp", "0", "--allow-commands") as one:
        one.port = int(one.process.stderr.readline().rsplit(":", 1)[1])
        yield one


def python(folder, text, *words):
    """A command that runs this program."""
    path = folder / "program.py"
    path.write_text(text)
    return {"mine": LoadCommand((sys.executable, str(path), *words))}


def folder_of(agent):
    """Where the command of a load runs."""
    (keeper,) = psutil.Process(agent.process.pid).children()
    return Path(keeper.cwd())


def until_there(path, load):
    while not path.exists():
        load.check()


def test_the_program_gets_its_words_exactly(agent, tmp_path):
    commands = python(tmp_path, WRITER, *WORDS)
    with agent.connect() as link:
        assert runs_commands(link.greeting)
        with load_on(link, "mine", GO, commands) as load:
            folder = folder_of(agent)
            until_there(folder / "said", load)
            assert json.loads((folder / "said").read_text()) == list(WORDS)
            assert load.measured["workers"] == 1
            assert load.measured["program"] == " ".join(commands["mine"].words)
        assert not folder.exists()
        assert link.load("STATE")["name"] == "idle"


def test_over_ssh_it_ends_with_the_connection(tmp_path):
    with running_sshd(tmp_path / "ssh") as server:
        shutil.copy(agent_program(), server.home)
        words = (*PORT, "--allow-commands")
        link = open_target(SshLink(HOST, "~/rig-agent", words, str(server.config)))
        with link, load_on(link, "mine", GO, python(tmp_path, WRITER, *WORDS)) as load:
            (keeper,) = (
                p
                for p in psutil.Process(server.process.pid).children(recursive=True)
                if p.name() == "rig-load"
            )
            processes, folder = [keeper, *keeper.children()], Path(keeper.cwd())
            until_there(folder / "said", load)
            assert json.loads((folder / "said").read_text()) == list(WORDS)
            link.close()
            assert gone(processes)
            assert not folder.exists()


@pytest.mark.parametrize("how", ["stop", "link", "keeper"])
def test_all_that_came_of_it_ends(program, tmp_path, agent, how):  # noqa: F811
    commands = python(tmp_path, RUNAWAY)
    with agent.connect() as link, load_on(link, "mine", GO, commands) as load:
        folder = folder_of(agent)
        until_there(folder / "away", load)
        processes = family(agent.process)
        keeper = next(p for p in processes if p.name() == "rig-load")
        # The one that went away has become the keeper's child.
        assert len(processes) == 3
        assert len(keeper.children()) == 2
        if how == "link":
            link._wire.stream.close()
        elif how == "keeper":
            keeper.send_signal(signal.SIGTERM)  # as the kernel does if the agent dies
            with pytest.raises(BenchError, match="load mine did not last"):
                until_noticed(load)
        else:
            link.load("STOP")
        assert gone(processes)
        assert not folder.exists()


def test_it_ends_with_an_agent_that_is_killed(program, tmp_path):  # noqa: F811
    from tests.target.test_scenario import running_raw

    commands = python(tmp_path, RUNAWAY)
    with (
        running_raw(program, tmp_path, "--allow-commands") as (process, link),
        load_on(link, "mine", GO, commands) as load,
    ):
        (keeper,) = psutil.Process(process.pid).children()
        until_there(Path(keeper.cwd()) / "away", load)
        processes = family(process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert gone(processes)


def test_none_is_run_unless_the_agent_was_started_so(program, tmp_path):  # noqa: F811
    with running(program, tmp_path) as agent, agent.connect() as link:
        assert not runs_commands(link.greeting)
        match = "scenario mine is a command of the fixture: .*rig-agent with --allow-commands"
        with (
            pytest.raises(RefusedError, match=match),
            load_on(link, "mine", GO, python(tmp_path, WRITER)),
        ):
            pytest.fail("it was run")
        for words in ("WORD 0 4 true", "RUN mine 1"):
            with pytest.raises(BenchError, match="commands are not allowed; start rig-agent with"):
                link.load(words)
        assert link.load("STATE")["name"] == "idle"
        assert not family(agent.process)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("no-such-program",), "no-such-program is no program there; install it"),
        (("/etc/passwd",), "/etc/passwd cannot be run there; make it executable"),
        (("sh", "-c", "exit 3"), "it ended with exit code 3; try its command there"),
        (("sh", "-c", "kill -SEGV $$"), "signal 11 ended it; try its command there"),
    ],
)
def test_a_program_that_does_not_go_on_is_told(agent, words, why):
    with (
        agent.connect() as link,
        pytest.raises(BenchError, match=f"load mine did not last: 0 of its 1 workers.*{why}"),
        load_on(link, "mine", GO, {"mine": LoadCommand(words)}) as load,
    ):
        until_noticed(load)


def test_one_that_ends_later_is_told(agent):
    with (
        agent.connect() as link,
        load_on(link, "nap", GO, {"nap": LoadCommand(("sleep", "99"))}) as it,
    ):
        family(agent.process)[-1].kill()
        with pytest.raises(BenchError, match=r"load nap did not last.*signal 9 ended it"):
            until_noticed(it)


def test_a_load_that_does_too_little_is_told():
    load = Load("mine", None, LoadCommand(("true",), busy_min=0.5))
    load.check_share(0.5)
    load.check_share(None)
    with pytest.raises(BenchError, match=r"busy for 49% of the time, its busy_min .* asks for 50%"):
        load.check_share(0.49)
    Load("cpu", None).check_share(0.0)


NEARLY_FULL = [f"WORD {n} 450 {'a' * 450}" for n in range(9)]
"""Of 4096 bytes 37 are left, for a word of 36 and the zero byte behind it."""


def test_words_fill_the_room_to_its_last_byte(agent):
    with agent.connect() as link:
        for line in NEARLY_FULL:
            link.load(line)
        assert int(link.load(f"WORD 9 36 {'a' * 36}")["words"]) == 10


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["WORD 0 5 true"], "not as long as it says"),
        (["WORD 0 3 true"], "not as long as it says"),
        (["WORD 0 1 %4"], "not as long as it says"),
        (["WORD 0 1 %00"], "not as long as it says"),
        (["WORD 0 1 %g1"], "not as long as it says"),
        (["WORD 0 18446744073709551615 true"], "not as long as it says"),
        (["WORD 0"], "needs its number, its length and the word"),
        (["WORD 1 4 true"], "another number than the next one"),
        (["WORD 0 4 true", "WORD 2 4 true"], "another number than the next one"),
        ([f"WORD {n} 1 a" for n in range(33)], "there are over 32"),
        ([f"WORD {n} 450 {'a' * 450}" for n in range(10)], "or all are too long"),
        ([*NEARLY_FULL, f"WORD 9 37 {'a' * 37}"], "or all are too long"),
        ([*NEARLY_FULL, f"WORD 9 35 {'a' * 37}"], "not as long as it says"),
        ([*NEARLY_FULL, "WORD 9 35 %zz"], "not as long as it says"),
        (["RUN mine 1"], "another count than words were sent"),
        (["WORD 0 4 true", "RUN mine 2"], "another count than words were sent"),
        (["WORD 0 4 true", "STOP", "RUN mine 1"], "another count than words were sent"),
        (["WORD 0 4 true", "RUN mine"], "needs a name and how many words"),
        (["WORD 0 4 true", "RUN a=b 1"], "needs a name and how many words"),
        (["WORD 0 4 true", f"RUN {'a' * 32} 1"], "needs a name and how many words"),
    ],
)
def test_words_that_are_not_whole_run_nothing(agent, lines, why):
    with agent.connect() as link:
        for line in lines[:-1]:
            link.load(line)
        with pytest.raises(BenchError, match=why):
            link.load(lines[-1])
        assert link.load("STATE")["name"] == "idle"
        assert not family(agent.process)


def test_a_load_that_nobody_starts_is_refused():
    class Target:
        greeting = {"loads": "cpu,io"}  # noqa: RUF012 - a fake's

        def load(self, words):
            raise AssertionError(words)

    text = str(nobody_starts(Target(), "mine"))
    assert text.startswith("no load mine: the agent starts cpu, io; ")
    assert "the agent starts no loads" in str(nobody_starts(object(), "mine"))
    with load_on(Target(), "mine", threading.Event()) as load:
        assert load is None
