# SPDX-License-Identifier: GPL-3.0-or-later
"""A serial line between two ptys, on which others may speak, and which can be pulled out."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import tty

from rig.closing import Closing


class Console(Closing):
    """Bytes written to one end come out of the other, on a thread of its own."""

    def __init__(self) -> None:
        self._ours, host = os.openpty()
        self._theirs, target = os.openpty()
        self._slaves = [host, target]
        for end in self._slaves:
            tty.setraw(end)
        self.host_device = os.ttyname(host)
        """What the rig opens."""
        self.target_device = os.ttyname(target)
        """What the agent opens."""
        self.heard = b""
        """All that the rig sent."""
        self.has_agent = False
        """Somebody has started one."""
        self.hold_until = 0
        """What the target says is held back until the rig has asked so often."""
        self.echo = False
        """The target's side is a terminal that echoes."""
        self._wake, self._woken = os.pipe()
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def say(self, data: bytes) -> None:
        """Somebody on the target's side says this."""
        while data:
            data = data[os.write(self._ours, data) :]

    def unplug(self) -> None:
        """The host's end is gone."""
        self._stop()
        os.close(self._ours)
        self._ours = -1

    def close(self) -> None:
        """May be called twice."""
        self._stop()
        for descriptor in (self._ours, self._theirs, *self._slaves):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _stop(self) -> None:
        if self._woken >= 0:
            os.close(self._woken)
            self._woken = -1
            self._thread.join(10)
            os.close(self._wake)

    def _pump(self) -> None:
        held = b""
        while True:
            ready = select.select([self._ours, self._theirs, self._wake], [], [])[0]
            if self._wake in ready:
                return
            if self._ours in ready:
                data = os.read(self._ours, 4096)
                self.heard += data
                if self.echo:
                    os.write(self._ours, data.replace(b"\n", b"\r\n"))
                os.write(self._theirs, data)
            if self._theirs in ready:
                held += os.read(self._theirs, 4096)
            if held and self.heard.count(b"HELLO") >= self.hold_until:
                self.say(held)
                held = b""
