# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens a target by what its fixture says of the link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rig.bench.serial_stream import SerialStream
from rig.bench.virtual_process import VirtualProcess
from rig.config.fixture import Fixture
from rig.config.links import SerialLink, SshLink, TargetLink, TcpLink, VirtualLink
from rig.errors import InputError
from rig.target.link import AgentLink
from rig.target.ssh import SshHost, SshStream, remote_path
from rig.target.stream import ByteStream, SocketStream


def open_target(link: TargetLink) -> AgentLink:
    """Connect to the agent and greet it. Raises BenchError, InputError."""
    return AgentLink.over(_STREAMS[type(link)](link))


def _over_ssh(link: SshLink) -> ByteStream:
    words = [remote_path(link.agent), *link.arguments, "--stdio"]
    return SshStream(SshHost(link.host, link.config), words)


def _over_serial(link: SerialLink) -> ByteStream:
    return SerialStream(link.device, link.baud)


def _over_tcp(link: TcpLink) -> ByteStream:
    return SocketStream.connect(link.host, link.port)


def _not_yet(_link: VirtualLink) -> ByteStream:
    raise InputError("a virtual target is there only while its virtual bench runs")


_STREAMS: Final[dict[type[TargetLink], Callable[[Any], ByteStream]]] = {
    SshLink: _over_ssh,
    SerialLink: _over_serial,
    TcpLink: _over_tcp,
    VirtualLink: _not_yet,
}
"""The function that opens each kind of rig.config.links.LINKS."""


@contextmanager
def open_target_of(fixture: Fixture) -> Iterator[AgentLink]:
    """A fixture's target without its other instruments. Raises BenchError, InputError."""
    if not fixture.is_virtual:
        with open_target(fixture.target.link) as target:
            yield target
        return
    with VirtualProcess(fixture) as bench, open_target(TcpLink(*bench.ends.target)) as target:
        yield target
