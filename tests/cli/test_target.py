# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig target` against a real sshd: what it finds, what it puts there, what it fetches."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rig.errors import BenchError, InputError
from rig.instruments import LOG_RECORD
from rig.target.deploy import archive, build_there, check_machine, put
from rig.target.ssh import SshHost
from tests.cli.command import rig
from tests.target.real_agent import PORT, agent_program
from tests.target.sshd import HOST, Sshd, running_sshd

TARGET = f"ssh:{HOST}"
POSIX = ("--agent-arguments", " ".join(PORT))


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    agent_program()
    with running_sshd(tmp_path / "ssh") as server:
        yield server


def target(sshd: Sshd, action: str, *words: object) -> subprocess.CompletedProcess[str]:
    return rig("target", action, TARGET, "--ssh-config", sshd.config, *words)


def test_deploy_probe_and_log(sshd: Sshd, tmp_path: Path) -> None:
    before = target(sshd, "probe", *POSIX)
    assert before.returncode == 3
    assert f"rig target deploy {TARGET}" in before.stdout

    deployed = target(sshd, "deploy")
    assert deployed.returncode == 0, deployed.stderr
    agent = sshd.home / ".local/bin/rig-agent"
    assert agent.read_bytes() == agent_program().read_bytes()
    assert agent.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in agent.parent.iterdir()] == ["rig-agent"]

    after = target(sshd, "probe", *POSIX)
    assert after.returncode == 0, after.stdout
    for word in ("kernel", "preemption", "clock source", "counter", "governor", "C-states",
                 "isolated CPUs", "IRQ affinity"):  # fmt: skip
        assert f" {word} " in after.stdout

    out = tmp_path / "log.csv"
    arm = "measurement=period period_ns=1000000 count=50 priority=0"
    logged = target(sshd, "log", *POSIX, "--out", out, "--arm", arm, "--wait", "300 ms")
    assert logged.returncode == 0, logged.stderr
    table = np.loadtxt(out, delimiter=",", skiprows=1, dtype=np.uint64)
    assert out.read_text().splitlines()[0] == ",".join(LOG_RECORD.names)
    assert table[:, 0].tolist() == list(range(len(table)))
    assert f"records:    {len(table)}\n" in logged.stdout
    assert np.all(np.diff(table[:, 2].astype(np.int64)) > 0)

    again = target(sshd, "log", *POSIX, "--out", out, "--arm", arm)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)


def test_a_full_log_is_data_lost(sshd: Sshd, tmp_path: Path) -> None:
    assert target(sshd, "deploy", "--to", "~/a/rig-agent").returncode == 0
    where = ("--agent", "~/a/rig-agent", *POSIX)
    arm = "measurement=period period_ns=1000000 priority=0"
    words = ("--arm", arm, "--capacity", 3, "--wait", "100 ms", "--out", tmp_path / "x.csv")
    logged = target(sshd, "log", *where, *words)
    assert logged.returncode == 4, logged.stderr
    assert "records:    3\n" in logged.stdout


def test_build_there(sshd: Sshd) -> None:
    deployed = target(sshd, "deploy", "--build-there", "--to", "~/built/rig-agent")
    assert deployed.returncode == 0, deployed.stderr
    version = subprocess.run([sshd.home / "built/rig-agent", "--version"], capture_output=True)
    shipped = subprocess.run([agent_program(), "--version"], capture_output=True)
    assert version.stdout == shipped.stdout


def test_what_does_not_compile_there_says_why(sshd: Sshd, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\tcc -c wrong.c -o wrong.o\n")
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")
    files = [(tmp_path / name, name) for name in ("Makefile", "wrong.c")]
    host = SshHost(HOST, str(sshd.config))
    with pytest.raises(BenchError, match=r"wrong.o cannot be built there: .*error.*nothing"):
        build_there(host, files, ".", "wrong.o", "~/wrong.o")
    assert not (sshd.home / "wrong.o").exists()


@pytest.mark.parametrize("words", [("--module",), ("--module-port", "serial")])
def test_the_module_needs_the_kernels_headers(sshd: Sshd, words: tuple[str, ...]) -> None:
    deployed = target(sshd, "deploy", *words)
    release = subprocess.run(["uname", "-r"], capture_output=True, text=True, check=True)
    if Path(f"/lib/modules/{release.stdout.strip()}/build/Makefile").exists():
        assert deployed.returncode == 0, deployed.stderr
        assert (sshd.home / ".local/lib/latency-rig/latency_rig.ko").stat().st_size > 0
    else:
        assert deployed.returncode == 3
        mend = f"headers missing there; as root: apt-get install linux-headers-{release.stdout}"
        assert mend in deployed.stderr


def test_a_file_is_put_whole_or_not_at_all(sshd: Sshd) -> None:
    host = SshHost(HOST, str(sshd.config))
    put(host, b"old", "~/place/file", "644")
    file = sshd.home / "place/file"
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"old", 0o644)

    class Short(bytes):
        """Bytes of which some do not arrive."""

        def __len__(self) -> int:
            return 6

    with pytest.raises(BenchError, match="file cannot be written: came incomplete"):
        put(host, Short(b"short"), "~/place/file")
    assert [path.name for path in file.parent.iterdir()] == ["file"]
    assert file.read_bytes() == b"old"
    put(host, b"new", "~/place/file")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o755)
    with pytest.raises(BenchError, match=r"/proc/x/y cannot be written: .*/proc/x"):
        put(host, b"", "/proc/x/y")


def test_a_program_for_another_processor_is_refused() -> None:
    program = agent_program().read_bytes()
    machine = {62: "x86_64", 183: "aarch64"}[program[18]]
    check_machine(program, machine, "agent")
    with pytest.raises(InputError, match=r"the target is riscv64; .*--cc riscv64-linux-gnu-gcc"):
        check_machine(program, "riscv64", "agent")
    with pytest.raises(InputError, match="no program for Linux"):
        check_machine(b"#!/bin/sh", machine, "agent")


def test_an_archive_has_no_owner(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    data = archive([(tmp_path / "a", "b/c")])
    listed = subprocess.run(["tar", "-tvf", "-"], input=data, capture_output=True, check=True)
    assert listed.stdout.split()[:3] == [b"-rw-r--r--", b"0/0", b"4"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("probe",), "name one target"),
        (("probe", "ssh:h", "--fixture", "virtual"), "name one target"),
        (("probe", "ssh:-oProxyCommand=x"), "is no target"),
        (("probe", "ssh:h", "--agent", "a;b"), '"a;b" is not allowed'),
        (("probe", "ssh:h", "--agent-arguments=--stdio"), '"--stdio" is not allowed'),
        (("probe", "tcp:h:1", "--agent", "x"), "are for targets behind ssh"),
        (("deploy", "tcp:h:1"), "needs a target behind ssh"),
        (("deploy", "ssh:h", "--cc", "cc", "--build-there"), "give one of them"),
        (("log", "ssh:h", "--out", "x.csv"), "give --arm"),
        (("log", "ssh:h", "--out", "x.csv", "--arm", "period"), "not of the form name=value"),
        (("log", "ssh:h", "--out", "x.csv", "--arm", "a=b"), "measurement is missing"),
        (("log", "tcp:h:1", "--out", "x.csv", "--wait", "10"), "--wait: "),
        (("log", "tcp:h:1", "--out", "/no/x.csv"), "there is no folder"),
    ],
)
def test_wrong_words_start_nothing(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ended = rig("target", *words, folder=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_target_that_is_not_there() -> None:
    ended = rig("target", "probe", "tcp:127.0.0.1:1")
    assert ended.returncode == 3
    assert "Connection refused" in ended.stdout


def test_the_virtual_bench_has_a_target_too() -> None:
    ended = rig("target", "probe", "--fixture", "virtual")
    assert ended.returncode == 0, ended.stdout
    assert "rig-virtual-agent" in ended.stdout
