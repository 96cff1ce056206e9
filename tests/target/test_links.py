# SPDX-License-Identifier: GPL-3.0-or-later
"""Links to the real agent: through a real sshd, over a serial line with strangers on it, by TCP."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.bench.serial_stream import SerialStream
from rig.bench.target import open_target
from rig.config.links import SerialLink, SshLink, TcpLink
from rig.errors import BenchError, InputError
from rig.instruments import ArmOptions
from rig.target import wire
from rig.target.child import Child, ChildEnded
from rig.target.link import AgentLink
from rig.target.ssh import SshHost, SshStream, run
from tests.target.console import Console
from tests.target.real_agent import PERIOD_NS, PORT, agent_program
from tests.target.sshd import HOST, Sshd, running_sshd

COUNT = 200


@pytest.fixture(scope="module")
def sshd(tmp_path_factory) -> Iterator[Sshd]:
    """A target with an agent at ~/bin."""
    with running_sshd(tmp_path_factory.mktemp("ssh") / "target") as server:
        (server.home / "bin").mkdir()
        shutil.copy(agent_program(), server.home / "bin")
        yield server


@pytest.fixture(autouse=True)
def reaped() -> Iterator[None]:
    """No child is left behind, not even a dead one."""
    before = set(psutil.Process().children())
    yield
    left = [child for child in psutil.Process().children() if child not in before]
    assert [child.name() for child in left if "agent" not in child.name()] == []


def ssh_link(sshd: Sshd, agent: str = "~/bin/rig-agent", arguments=PORT) -> SshLink:
    return SshLink(HOST, agent, tuple(arguments), str(sshd.config))


def script(sshd: Sshd, name: str, text: str) -> str:
    """A program on the target; its path there."""
    path = sshd.home / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"~/{name}"


def measure(agent: AgentLink) -> None:
    """A period measurement that ends by itself, and its whole log."""
    assert agent.identity.agent == "rig-agent"
    assert agent.greeting["port"] == "posix"
    assert agent.environment()["system"] == os.uname().sysname
    options = {"period_ns": str(PERIOD_NS), "count": str(COUNT), "priority": "0"}
    agent.arm(ArmOptions("period", capacity=COUNT, options=options))
    with pytest.raises(BenchError, match="refused: armed"):
        agent.arm(ArmOptions("period", capacity=COUNT, options=options))
    summary = agent.stop()
    records = agent.log(0, 10**9)
    assert summary.records == len(records) <= COUNT
    assert records["sequence"].tolist() == list(range(len(records)))
    assert np.all(records["before_ticks"] <= records["after_ticks"])
    assert len(agent.log(len(records), 10)) == 0
    assert int(agent.account["records"]) == summary.records


# --- ssh -----------------------------------------------------------------------------------------


def test_ssh(sshd: Sshd) -> None:
    with open_target(ssh_link(sshd)) as agent:
        assert agent.name == f"ssh:{HOST}"
        measure(agent)


def test_what_a_login_shell_says_before_the_agent_is_skipped(sshd: Sshd) -> None:
    text = 'echo "Welcome to board 7"; echo OK; printf "no newline"; exec ~/bin/rig-agent "$@"'
    with open_target(ssh_link(sshd, script(sshd, "talkative", f"{text}"))) as agent:
        # The agent's answer begins where the shell's words end: it is not at a line's start.
        measure(agent)


def test_the_agents_own_complaint_is_passed_on(sshd: Sshd) -> None:
    link = ssh_link(sshd, arguments=("--port", "ppdev", "--device", "/dev/no-parport"))
    with pytest.raises(BenchError, match=r"exit status 3: .*/dev/no-parport: No such file"):
        open_target(link)


def test_no_agent_there(sshd: Sshd) -> None:
    words = f"no agent is there: .*not found; rig target deploy ssh:{HOST} puts it there"
    with pytest.raises(BenchError, match=words):
        open_target(ssh_link(sshd, "~/bin/nothing"))


def test_ssh_tells_in_its_own_words_why_not(sshd: Sshd, tmp_path: Path) -> None:
    config = sshd.config.read_text()
    for change, words in (
        ((f"{sshd.folder}/user", "/dev/null"), "Permission denied"),
        ((f"Port {sshd.port}", "Port 1"), "Connection refused"),
        ((f"{sshd.folder}/known_hosts", "/dev/null"), "Host key verification failed"),
    ):
        (tmp_path / "config").write_text(config.replace(*change))
        with pytest.raises(BenchError, match=f"the connection failed: .*{words}.*true"):
            open_target(SshLink(HOST, config=str(tmp_path / "config")))


def test_a_connection_lost_in_the_middle(sshd: Sshd) -> None:
    with open_target(ssh_link(sshd)) as agent:
        agent.arm(ArmOptions("period", 10, options={"period_ns": "1000000", "priority": "0"}))
        for session in psutil.Process(sshd.process.pid).children():
            session.kill()
        with pytest.raises(BenchError, match=r"connection failed: .*(closed|pipe)") as error:
            agent.stop()
    assert str(error.value).isprintable()


def test_an_agent_that_dies(sshd: Sshd) -> None:
    with open_target(ssh_link(sshd)) as agent:
        # Nobody else runs an agent from this home directory.
        (process,) = [
            p for p in psutil.Process(sshd.process.pid).children(recursive=True)
            if p.name() == "rig-agent"
        ]  # fmt: skip
        process.kill()
        with pytest.raises(BenchError, match=r"ended with exit status|closed its output"):
            agent.environment()


def test_the_agent_ends_with_the_link(sshd: Sshd) -> None:
    with open_target(ssh_link(sshd)):
        family = psutil.Process(sshd.process.pid).children(recursive=True)
        assert "rig-agent" in {process.name() for process in family}
    _, alive = psutil.wait_procs(family, 20)
    assert alive == []


@pytest.mark.parametrize("host", ["-oProxyCommand=touch /tmp/x", "-v", "", "a\nb"])
def test_a_host_that_ssh_could_take_for_an_option_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="is no host for ssh"):
        SshHost(host)


NASTY = ["a b", "$HOME", "`id`", "$(id)", ";id", "|id", "'", '"', "\\", "*", "~", "-n", "", "é\n!"]


def test_words_reach_the_target_as_they_are(sshd: Sshd) -> None:
    host = SshHost(HOST, str(sshd.config))
    answer = run(host, ["printf", "%s\\0", *NASTY])
    assert (answer.status, answer.out.split("\0")[:-1]) == (0, NASTY)


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=20), min_size=1))
def test_one_word_for_ssh_and_it_is_quoted(words: list[str]) -> None:
    *options, host, command = SshHost("user@host").command(words)
    assert (options[0], options[-1], host) == ("ssh", "--", "user@host")
    assert shlex.split(command) == words


def test_output_of_a_command_is_bounded(sshd: Sshd) -> None:
    host = SshHost(HOST, str(sshd.config))
    with pytest.raises(BenchError, match="more than 1000 bytes of output"):
        run(host, ["yes"], output_max=1000)


SUM = ["sh", "-c", "cksum; echo done >&2; exit 7"]


def test_input_of_a_command_arrives_whole(sshd: Sshd) -> None:
    data = os.urandom(3_000_000)
    answer = run(
        SshHost(HOST, str(sshd.config)), ["sh", "-c", "cksum; echo done >&2; exit 7"], data
    )
    expected = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout
    assert (answer.status, answer.out, answer.err) == (7, expected.decode(), "done\n")


# --- child processes -----------------------------------------------------------------------------


def test_complaints_do_not_hold_a_child_up() -> None:
    noise = "import sys; sys.stderr.write('x' * 10**6 + '\\nlast'); print('answer')"
    with Child([sys.executable, "-c", noise]) as child:
        said = b""
        with contextlib.suppress(ChildEnded):
            while True:
                said += child.read(60)
        assert (said, child.end(60)) == (b"answer\n", 0)
        assert child.last_words.startswith("...x")
        assert child.last_words.endswith("x; last")


def test_a_child_that_does_not_want_to_end_is_ended(monkeypatch) -> None:
    monkeypatch.setattr("rig.target.child._END_S", 0.2)
    with Child(["sh", "-c", "trap '' TERM; echo on; while :; do sleep 0.05; done"]) as child:
        assert child.read(60) == b"on\n"
    assert child.end() == -9


def test_what_holds_standard_error_open_is_not_waited_for() -> None:
    with Child(["sh", "-c", "sleep 30 >/dev/null & echo $!; exit 5"]) as child:
        background = int(child.read(60))
        with pytest.raises(ChildEnded):
            child.read(60)
        assert child.end(20) == 5
    psutil.Process(background).kill()


def test_ctrl_c_at_the_terminal_is_not_for_a_child() -> None:
    with Child(["sh", "-c", "ps -o sid= -p $$"]) as child:
        assert int(child.read(60)) != os.getsid(0)


def test_silence_is_a_timeout() -> None:
    with Child(["cat"]) as child:
        with pytest.raises(TimeoutError):
            child.read(0.01)
        child.write(b"x", 60)
        assert child.read(60) == b"x"


def test_a_child_that_reads_nothing() -> None:
    with Child(["sleep", "60"]) as child, pytest.raises(TimeoutError):
        child.write(b"x" * 10**6, 0.05)


def test_no_such_program() -> None:
    with pytest.raises(BenchError, match=r"no-such-ssh: cannot be started \(No such file"):
        Child(["no-such-ssh"])


# --- serial --------------------------------------------------------------------------------------


@pytest.fixture
def console() -> Iterator[Console]:
    with Console() as line:
        yield line


@contextlib.contextmanager
def agent_on(console: Console) -> Iterator[None]:
    words = [agent_program(), *PORT, "--serial", console.target_device]
    process = subprocess.Popen(words)
    console.has_agent = True
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


BOOT = b"".join(b"[%5d.0] OK log=1 driver %d\r\n\xff\x00\x1b[2J" % (n, n) for n in range(3000))


def test_serial(console: Console) -> None:
    with agent_on(console), open_target(SerialLink(console.host_device)) as agent:
        measure(agent)


def test_boot_messages_before_the_greeting(console: Console) -> None:
    link = SerialStream(console.host_device, 115_200)
    console.say(BOOT[:2000])  # while nobody reads: a pty holds 4 KiB
    with agent_on(console), AgentLink.over(link) as agent:
        measure(agent)


def test_an_agent_that_starts_late_is_asked_again(console: Console) -> None:
    with contextlib.ExitStack() as agents:

        class Late(SerialStream):
            greeting_timeout_s = 60.0

            def read(self, timeout_s: float) -> bytes:
                if console.heard.count(b"HELLO") >= 2 and not console.has_agent:
                    agents.enter_context(agent_on(console))
                return super().read(timeout_s)

        with AgentLink.over(Late(console.host_device, 115_200)) as agent:
            assert console.heard.count(b"HELLO") >= 2
            measure(agent)


def test_a_slow_line_answers_each_greeting_and_only_the_last_counts(console: Console) -> None:
    console.hold_until = 3
    with agent_on(console), open_target(SerialLink(console.host_device)) as agent:
        measure(agent)


def test_a_terminal_that_echoes(console: Console) -> None:
    console.echo = True
    with agent_on(console), open_target(SerialLink(console.host_device)) as agent:
        measure(agent)


class _Hasty(SerialStream):
    greeting_timeout_s = 1.5


def test_a_line_without_an_agent_says_what_is_there_instead(console: Console) -> None:
    line = _Hasty(console.host_device, 115_200)
    console.say(b"\r\nDebian GNU/Linux 12\r\nboard login: ")
    words = r'no agent answered within 1.5 s, only "Debian GNU/Linux 12 board login:"'
    with pytest.raises(BenchError, match=words):
        AgentLink.over(line)


def test_what_never_ends_is_given_up(console: Console, monkeypatch) -> None:
    monkeypatch.setattr(wire, "STRANGERS_MAX", 50_000)
    for separator in (b"\n", b" "):

        class Endless(_Hasty):
            greeting_timeout_s = 100.0

            def read(self, _timeout_s: float, text: bytes = b"panic" * 99 + separator) -> bytes:
                return text

        with pytest.raises(BenchError, match=r"5\d{4} bytes came and none were an agent's"):
            AgentLink.over(Endless(console.host_device, 115_200))


def test_a_line_that_is_pulled_out(console: Console) -> None:
    with agent_on(console), open_target(SerialLink(console.host_device)) as agent:
        console.unplug()
        with pytest.raises(BenchError, match="the serial line is gone"):
            agent.environment()


def test_no_such_serial_port() -> None:
    words = "serial:/dev/no-such-port: cannot be opened at 9600 baud: there is no such port"
    with pytest.raises(BenchError, match=words):
        open_target(SerialLink("/dev/no-such-port", 9600))


def test_a_port_in_use(console: Console) -> None:
    taken = "another program uses it"
    with SerialStream(console.host_device, 115_200), pytest.raises(BenchError, match=taken):
        SerialStream(console.host_device, 115_200)


# --- tcp -----------------------------------------------------------------------------------------


def test_tcp() -> None:
    words = [agent_program(), *PORT, "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            heard = re.search(r"listening on 127.0.0.1:(\d+)", process.stderr.readline())
            assert heard is not None
            with open_target(TcpLink("127.0.0.1", int(heard[1]))) as agent:
                measure(agent)
        finally:
            process.terminate()


def test_ssh_itself_may_be_missing(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BenchError, match="ssh: cannot be started"):
        SshStream(SshHost("host"), ["rig-agent"])
