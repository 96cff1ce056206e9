# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's link beside the loop that watches it: in which order one writes, the other reads."""

from __future__ import annotations

import socket
from types import SimpleNamespace

from rig.virtual.guest.bridge import AgentBridge
from rig.virtual.guest.target import GuestTarget


class Noted(AgentBridge):
    """Writes down what is assigned."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("moved", "guest_owes"):
            self.__dict__.setdefault("order", []).append((name, value))
        super().__setattr__(name, value)


def test_what_was_said_shows_before_what_is_owed() -> None:
    serial, guest = socket.socketpair()
    with Noted(serial) as bridge, serial, guest:
        bridge.order.clear()
        with socket.create_connection(("127.0.0.1", bridge.port)) as host:
            host.sendall(b"STOP\n")
            assert guest.recv(16) == b"STOP\n"
            guest.sendall(b"OK\n")
            assert host.recv(16) == b"OK\n"
        assert bridge.order == [
            ("moved", 5),
            ("guest_owes", True),
            ("moved", 8),
            ("guest_owes", False),
        ]


def test_a_line_after_a_long_silence_is_no_hang() -> None:
    """The host speaks just while the loop looks: the guest has had no time to answer."""

    class Speaking:
        moved = 7

        @property
        def guest_owes(self) -> bool:
            self.moved = 12
            return True

    target = GuestTarget.__new__(GuestTarget)
    target._bridge = Speaking()
    target._machine = SimpleNamespace(now_ns=100 * 10**9)
    target._moved, target._moved_ns, target._met = 7, 10**9, True
    target._watch_agent()
    assert (target._moved, target._moved_ns) == (12, 100 * 10**9)
