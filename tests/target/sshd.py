# SPDX-License-Identifier: GPL-3.0-or-later
"""A real sshd on loopback, for this user: own keys, own configuration, a free port."""

from __future__ import annotations

import getpass
import os
import select
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
HOST = "rig-test-target"
"""A name that only the client's configuration here knows."""


@dataclass
class Sshd:
    """A running server and a client's configuration that leads to it."""

    folder: Path
    config: Path
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    home: Path
    """The home directory of whoever logs in."""

    def stop(self) -> None:
        """The server and whatever it serves: their session is its own."""
        self.process.terminate()
        self.process.wait(10)


@contextmanager
def running_sshd(folder: Path) -> Iterator[Sshd]:
    """Skips the test if OpenSSH's server is not installed."""
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("sshd is missing: apt-get install openssh-server openssh-client")
    folder.mkdir(mode=0o700, exist_ok=True)
    home = folder / "home"
    home.mkdir()
    for name in ("host", "user"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name]
        subprocess.run(key, check=True)
    shutil.copy(folder / "user.pub", folder / "authorized_keys")
    port = _free_port()
    (folder / "sshd_config").write_text(_server(folder, home, port))
    config = folder / "ssh_config"
    config.write_text(_client(folder, port))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where its children drop privileges
    log = folder / "sshd.log"
    process = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.PIPE
    )
    try:
        _await_listening(process, log)
        yield Sshd(folder, config, port, process, log, home)
    finally:
        process.terminate()
        process.communicate(timeout=10)


def _server(folder: Path, home: Path, port: int) -> str:
    # Who logs in starts in a home directory of the test's, not in this user's.
    return f"""\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PermitRootLogin prohibit-password
PermitUserRC no
SetEnv HOME={home}
ForceCommand cd {home} && exec sh -c "$SSH_ORIGINAL_COMMAND"
"""


def _client(folder: Path, port: int) -> str:
    host_key = (folder / "host.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    return f"""\
Host {HOST}
    HostName 127.0.0.1
    Port {port}
    User {getpass.getuser()}
    IdentityFile {folder}/user
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile /dev/null
"""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _await_listening(process: subprocess.Popen[bytes], log: Path) -> None:
    """It says on standard error when it listens."""
    said = b""
    assert process.stderr is not None
    while b"Server listening" not in said:
        assert select.select([process.stderr], [], [], 20)[0], "sshd says nothing"
        piece = os.read(process.stderr.fileno(), 4096)
        assert piece, f"sshd ended: {said.decode(errors='replace')}"
        said += piece
    log.write_bytes(said)
