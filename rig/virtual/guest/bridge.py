# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's link: the guest's serial port, reached over TCP like any other agent."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading

from rig.closing import Closing

_PIECE_BYTES = 1 << 14
_PERIODIC = (b"measurement=period", b"self_trigger=1")


class AgentBridge(Closing):
    """Passes bytes between the serial port and one host at a time, on a thread of its own."""

    def __init__(self, serial: socket.socket) -> None:
        self._serial = serial
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.moved = 0
        """Bytes passed on so far."""
        self.guest_owes = False
        """The host has spoken, and the guest has not since."""
        self.periods = False
        """The agent was armed for periods of its own, or to trigger itself: the host waits for
        nothing but their passing."""
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="agent bridge", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The serial port stays open: it is the machine's. May be called twice."""
        self._stop.close()
        self._thread.join(2)
        self._listener.close()
        self._stopped.close()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as hosts:
            for source in (self._stopped, self._serial, self._listener):
                selector.register(source, selectors.EVENT_READ)
            host: socket.socket | None = None
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._stopped in ready:
                    return
                if host is not None and host in ready and not self._pass_on(host, self._serial):
                    selector.unregister(host)
                    host.close()
                    selector.register(self._listener, selectors.EVENT_READ)
                    host = None
                if self._serial in ready and not self._pass_on(self._serial, host):
                    return
                if self._listener in ready:
                    # Another host has to wait until this one has gone.
                    selector.unregister(self._listener)
                    host = hosts.enter_context(self._listener.accept()[0])
                    selector.register(host, selectors.EVENT_READ)

    def _pass_on(self, source: socket.socket, to: socket.socket | None) -> bool:
        """Returns False at the end of the source. Without a host the guest speaks to nobody."""
        try:
            data = source.recv(_PIECE_BYTES)
        except OSError:
            return False
        if not data:
            return False
        # In this order, the reverse of the reader's: who sees that the guest owes something also
        # sees that something was just said.
        self.moved += len(data)
        self.guest_owes = source is not self._serial
        if self.guest_owes:
            self.periods = data.startswith(b"ARM ") and any(word in data for word in _PERIODIC)
        if to is not None:
            with contextlib.suppress(OSError):
                to.sendall(data)
        return True
