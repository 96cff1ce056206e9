# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets reached by the system's own OpenSSH client, with the user's configuration and keys.

ssh hands what follows the host as one text to a shell over there. That text is made of separate
words, each quoted once; the host is a plain name or address, nothing that ssh or a ProxyCommand of
its configuration could take for an option or for a shell's text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rig.errors import BenchError, InputError
from rig.shell_words import HOST_PATTERN, command_text
from rig.target.child import Child, ChildEnded
from rig.target.stream import CHUNK, ByteStream, StreamLost

CONNECT_TIMEOUT_S = 10
SSH_FAILED = 255
NOT_FOUND = 127
NOT_EXECUTABLE = 126
HOME = "~/"


@dataclass(frozen=True)
class SshHost:
    """A host, as the user's ssh knows it."""

    host: str
    """`[USER@]HOST`; names, users and ports of ssh's configuration apply."""
    config: str = ""
    """A configuration file instead of the user's; "" is the user's."""

    def __post_init__(self) -> None:
        if not re.fullmatch(HOST_PATTERN, self.host):
            raise InputError(f"{self.host!a} is no host for ssh; valid: [USER@]HOST")

    @property
    def name(self) -> str:
        return f"ssh:{self.host}"

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the arguments that run these words over there, exactly as they are."""
        config = ["-F", self.config] if self.config else []
        return [
            "ssh",
            *config,
            "-T",
            # What would ask a question fails instead: nobody is there to answer.
            *("-o", "BatchMode=yes"),
            *("-o", f"ConnectTimeout={CONNECT_TIMEOUT_S}"),
            # Forwardings are for the user's own sessions; two at a time would collide.
            *("-o", "ClearAllForwardings=yes"),
            "--",
            self.host,
            command_text(words),
        ]

    def trouble(self, child: Child) -> str:
        """Return what is wrong, as ssh has it, and what to do; wait a little for ssh's end."""
        status = child.end()
        said = f": {child.last_words}" if child.last_words else ""
        if status == SSH_FAILED:
            return f'the connection failed{said}; does "ssh {self.host} true" work by itself?'
        if status in (NOT_FOUND, NOT_EXECUTABLE):
            return f"no agent is there{said}; rig target deploy {self.name} puts it there"
        if status is None:
            return f"the agent closed its output{said}; check the target"
        return f"the agent ended with exit status {status}{said}; check the target"


def remote_path(path: str) -> str:
    """Return a path over there as an argument: commands start at home, so `~/x` is `./x`."""
    if not path.startswith(HOME):
        return path
    return "./" + path.removeprefix(HOME).lstrip("/")


class SshStream(ByteStream):
    """An agent started over ssh, on its standard streams. It ends when the connection does."""

    greeting_timeout_s = 30.0
    strangers_first = True

    def __init__(self, host: SshHost, words: Sequence[str]) -> None:
        """Start `words`, an agent and its arguments, on the host. Raises BenchError, InputError."""
        self.name = host.name
        self._host = host
        self._child = Child(host.command(words))

    def read(self, timeout_s: float) -> bytes:
        """Read as `ByteStream.read`."""
        try:
            return self._child.read(timeout_s)
        except ChildEnded:
            raise StreamLost(self._host.trouble(self._child)) from None

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write as `ByteStream.write`."""
        try:
            self._child.write(data, timeout_s)
        except ChildEnded:
            raise StreamLost(self._host.trouble(self._child)) from None

    def close(self) -> None:
        """End ssh, and the agent with it. May be called twice; never raises."""
        self._child.close()


@dataclass(frozen=True)
class Output:
    """The output of a command on the target, and how it ended."""

    status: int
    out: str
    err: str
    """The end of its standard error."""


def run(
    host: SshHost,
    words: Sequence[str],
    data: bytes = b"",
    *,
    timeout_s: float = 60.0,
    output_max: int = 1 << 20,
) -> Output:
    """Run a command on the target with this input, to its end.

    Args:
        host: the target.
        words: the command.
        data: its standard input.
        timeout_s: longest silence, and longest wait for it to take some of its input.
        output_max: longest output.

    Raises:
        BenchError: no connection, it is silent for too long, it says too much, or ssh failed.
    """
    with Child(host.command(words)) as child:
        out = bytearray()
        try:
            try:
                for at in range(0, len(data), CHUNK):
                    child.write(data[at : at + CHUNK], timeout_s)
            except ChildEnded:
                pass  # why is in its output
            child.end_input()
            while len(out) <= output_max:
                out += child.read(timeout_s)
            raise BenchError(f"target {host.name}: more than {output_max} bytes of output")
        except ChildEnded:
            status = child.end(timeout_s)
        except TimeoutError:
            raise BenchError(
                f"target {host.name}: nothing for {timeout_s:.0f} s; is the target hung?"
            ) from None
        if status is None or status == SSH_FAILED:
            raise BenchError(f"target {host.name}: {host.trouble(child)}")
        return Output(status, out.decode("utf-8", "replace"), child.errors)
