# SPDX-License-Identifier: GPL-3.0-or-later
"""No word from outside is part of a shell's text, and nothing that fails leaves anything behind.

Against the real sshd, with names that every careless command line trips over.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.links import link_of_word
from rig.errors import BenchError, InputError
from rig.shell_words import command_text, quoted
from rig.target.deploy import build_there, cross_compile, put, put_words
from rig.target.permissions import DeviceFile, UnixAccount, account_findings
from rig.target.ssh import SshHost, run
from tests.cli.command import rig
from tests.target.sshd import HOST, Sshd, running_sshd

NAMES = (
    "x;touch INJECTED;",
    "with a space",
    "two  spaces ",
    "it's",
    'a "quote"',
    "$(touch INJECTED)",
    "`touch INJECTED`",
    "a\ntouch INJECTED\n",
    "ends in a line feed\n",
    "-rf",
    "--help",
    "*",
    "~",
    "back\\slash\\",
    "&touch INJECTED&",
    "|touch INJECTED",
    ">INJECTED",
    "#",
    "%s%n",
    "!!",
    "é",
    os.fsdecode(b"\xff\xfe no UTF-8"),
    "n" * 255,
)
FAILING = ("n" * 256, "/".join(["n" * 200] * 30))
BUILDS = "all:\n\tcp it made\n"


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with running_sshd(tmp_path_factory.mktemp("ssh") / "target") as server:
        yield server


@pytest.fixture
def host(sshd: Sshd) -> Iterator[SshHost]:
    """Its home directory is empty; nothing may be left in the folder above it either."""
    before = set(sshd.folder.iterdir())
    yield SshHost(HOST, str(sshd.config))
    for path in sshd.home.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert set(sshd.folder.iterdir()) == before


def content(folder: Path) -> set[str]:
    """Every file and folder below, relative."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_folders_of_any_name(sshd: Sshd, host: SshHost) -> None:
    for data, place in ((b"data", "~"), (b"more", str(sshd.home))):  # each in the one before
        put(host, data, "/".join((place, *NAMES)))
        assert sshd.home.joinpath(*NAMES).read_bytes() == data
    assert content(sshd.home) == {"/".join(NAMES[: n + 1]) for n in range(len(NAMES))}
    put(host, b"data", f"~/{NAMES[0]}/agent")  # as somebody found it
    assert [path.name for path in sshd.home.iterdir()] == [NAMES[0]]
    assert {path.name for path in (sshd.home / NAMES[0]).iterdir()} == {NAMES[1], "agent"}


def test_a_relative_folder_is_no_option(sshd: Sshd, host: SshHost) -> None:
    put(host, b"data", "-rf/agent")
    assert content(sshd.home) == {"-rf", "-rf/agent"}


def test_built_in_folders_of_any_name(sshd: Sshd, host: SshHost, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(BUILDS)
    (tmp_path / "it").write_text("made")
    files = [(tmp_path / name, f"source/{name}") for name in ("Makefile", "it")]
    name = "x;touch INJECTED; 'b' $(touch INJECTED)\n"
    build_there(host, files, "source", "made", f"~/{name}/agent")
    assert content(sshd.home) == {name, f"{name}/agent"}
    assert (sshd.home / name / "agent").stat().st_mode & 0o777 == 0o755


class Short(bytes):
    """Bytes of which some do not arrive."""

    def __len__(self) -> int:
        return 6


def test_nothing_is_left_of_what_came_incomplete(sshd: Sshd, host: SshHost) -> None:
    name = "a b;touch INJECTED;\n/-rf"
    (sshd.home / "was there").mkdir()
    for folder in (f"~/{name}/1/2", f"~/was there/{name}", f"~/{name}/../{name}/."):
        with pytest.raises(BenchError, match="came incomplete"):
            put(host, Short(b"short"), f"{folder}/agent")
        assert content(sshd.home) == {"was there"}


@pytest.mark.parametrize("path", FAILING, ids=("name", "path"))
def test_nothing_is_left_of_a_name_that_is_too_long(sshd: Sshd, host: SshHost, path: str) -> None:
    with pytest.raises(BenchError, match=r"cannot be written: .*File name too long"):
        put(host, b"data", f"~/a/b/{path}/agent")
    assert content(sshd.home) == set()
    with pytest.raises(BenchError, match="Argument list too long"):
        put(host, b"data", "~/" + "n" * 200_000)


def test_a_folder_is_not_written_over(sshd: Sshd, host: SshHost) -> None:
    (sshd.home / "agent").mkdir()
    with pytest.raises(BenchError, match="agent cannot be written: it is a folder"):
        put(host, b"data", "~/agent")
    assert content(sshd.home) == {"agent"}


@pytest.mark.skipif(os.geteuid() != 0, reason="a full file system is mounted by root alone")
def test_nothing_is_left_on_a_full_disk(sshd: Sshd, host: SshHost) -> None:
    full = sshd.home / "full disk"
    full.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", full], check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        with pytest.raises(BenchError, match="No space left"):
            put(host, bytes(200_000), "~/full disk/a b/agent")
        assert content(full) == set()
    finally:
        subprocess.run(["umount", full], check=True)


def test_nothing_is_left_of_a_build_that_fails(sshd: Sshd, host: SshHost, tmp_path: Path) -> None:
    where = tmp_path / "where"
    (tmp_path / "Makefile").write_text(f"all:\n\tpwd > {where}\n\tcp no-such-file made\n")
    files = [(tmp_path / "Makefile", "Makefile")]
    with pytest.raises(BenchError, match=r"agent cannot be built there: .*no-such-file"):
        build_there(host, files, ".", "made", "~/a b/agent")
    assert content(sshd.home) == set()
    assert not Path(where.read_text().removesuffix("\n")).exists()


@pytest.mark.parametrize("how", [signal.SIGHUP, None])
def test_nothing_is_left_of_a_command_that_is_ended(
    sshd: Sshd, host: SshHost, how: signal.Signals | None
) -> None:
    command = host.command(put_words("~/a b/c/agent", 100, "755"))
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ssh:
        assert ssh.stdin is not None
        ssh.stdin.write(b"some")
        ssh.stdin.flush()
        (shell,) = shells_that_read(sshd)
        if how is None:
            ssh.kill()
        else:
            shell.send_signal(how)
        ssh.stdin.close()
        assert psutil.wait_procs([shell], 20)[1] == []
    assert content(sshd.home) == set()


def shells_that_read(sshd: Sshd) -> list[psutil.Process]:
    """Shells that wait for `cat`, once there are any."""
    server = psutil.Process(sshd.process.pid)
    for _ in range(400):
        readers = [p for p in server.children(recursive=True) if p.name() == "cat"]
        if readers:
            return [reader.parent() for reader in readers]
        time.sleep(0.05)
    raise AssertionError("nothing reads")


# --- what ssh could take for an option ------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    [
        "-oProxyCommand=touch INJECTED",
        "-oProxyCommand=touch${IFS}INJECTED",
        "user@-oProxyCommand=x",
        "-l",
        "a b",
        "a;b",
        "$(touch INJECTED)",
        "`touch INJECTED`@host",
        "host\n",
        "",
        "@host",
        "%h",
        os.fsdecode(b"\xff"),
    ],
)
def test_no_host_is_an_option_or_a_shells_text(word: str) -> None:
    with pytest.raises(InputError, match="is no host for ssh"):
        SshHost(word)
    with pytest.raises(InputError, match="is no target"):
        link_of_word(f"ssh:{word}")


def test_a_command_that_looks_like_an_option_is_a_command(sshd: Sshd, host: SshHost) -> None:
    answer = run(host, ["-oProxyCommand=touch INJECTED"])
    assert answer.status == 127
    assert content(sshd.home) == set()


@pytest.mark.parametrize("path", ["x;touch INJECTED;/agent", "-rf"])
def test_the_command_line_refuses_such_paths(sshd: Sshd, host: SshHost, path: str) -> None:
    for option in ("--to", "--agent"):
        done = rig(
            "target", "deploy", f"ssh:{HOST}", "--ssh-config", sshd.config, f"{option}={path}"
        )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "is not allowed; valid: a path on the target" in done.stderr
    assert content(sshd.home) == set()


# --- texts that a shell reads --------------------------------------------------------------------


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1)
)
def test_a_text_of_words_is_read_as_these_words(words: list[str]) -> None:
    assert shlex.split(command_text(words)) == words


SHELLS = ("sh", "dash", "bash", "zsh", "tcsh", "fish", "busybox")


@pytest.mark.parametrize("shell", tuple(filter(shutil.which, SHELLS)))
def test_shells_read_the_words_as_they_are(shell: str, tmp_path: Path) -> None:
    names = [name for name in NAMES if shell != "tcsh" or "\n" not in name]
    text = command_text(["printf", "%s\\0", *names])
    command = [shell, *(["sh"] if shell == "busybox" else []), "-c", text]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=True)
    assert [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]] == names
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["agent", "/a/b-c_d.e", "user@host", "a,b+c:d"])
def test_a_plain_word_stays_as_it_is(word: str) -> None:
    assert quoted(word) == word


def test_a_compiler_is_no_shells_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for compiler in ("x; touch INJECTED", "$(shell touch INJECTED)", "`x`", "-x", "", "cc\n"):
        with pytest.raises(InputError, match="is not allowed; valid: a compiler"):
            cross_compile(compiler)
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_of_any_name_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x;touch INJECTED; $(touch INJECTED)"
    folder.mkdir()
    compiler = tmp_path / "compiler"
    compiler.write_text('for last; do :; done; echo made >"$last"\n')
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert cross_compile(f"sh {compiler}") == b"made\n"
    with pytest.raises(InputError, match="true left no agent"):
        cross_compile("true")
    assert content(tmp_path) == {folder.name, "compiler"}


def test_names_from_the_target_are_quoted_in_what_users_copy() -> None:
    devices = (DeviceFile("/dev/parport0", usable=False, group="$(reboot)"),)
    account = UnixAccount("x86_64", "6.1", "eve;reboot", False, devices, 0, frozenset())
    mends = [finding.mend for finding in account_findings(account, "ppdev")]
    assert any("usermod -aG '$(reboot)' 'eve;reboot'," in mend for mend in mends)
    assert any("echo 'eve;reboot - rtprio 99' >>" in mend for mend in mends)
