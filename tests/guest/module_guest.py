# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest that tries the kernel module instead of running the agent, under a rain of interrupts."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from rig.config.virtual.bench import VirtualGuest
from rig.resources import guest_plugin
from rig.virtual.guest.image import GuestImage, build_image
from rig.virtual.guest.initrd import archive
from rig.virtual.guest.machine import Machine

MODULE = Path(__file__).parents[2] / "targets" / "module"
PERIOD_NS = 1_000_000
WIDTH_NS = 10_000
STRETCH_NS = 10 * PERIOD_NS
COMPLAINTS = re.compile(
    r"WARNING:|BUG:|Oops|Call Trace|general protection|LOCKUP|detected (expedited )?stall"
    r"|scheduling while atomic|sleeping function|suspicious RCU|possible circular locking"
    r"|possible recursive locking|inconsistent lock state|nobody cared|Disabling IRQ"
)
"""What a kernel says when something in it is wrong."""

_PROGRAMS = ("dmesg", "grep", "insmod", "kill", "mktemp", "poweroff", "rm", "rmmod", "sh", "stty")
_END = "rig-test: end"
_INIT = """\
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
stty -F /dev/ttyS1 115200 raw -echo
exec >/dev/ttyS1 2>&1 </dev/null
{command}
echo "rig-test: status $?"
dmesg
echo "{end}"
while :; do sleep 1; done
"""


@dataclass(frozen=True)
class Told:
    """What a guest said."""

    status: int
    """Exit status of the command."""
    output: str
    log: str
    """The kernel's."""

    @property
    def complaints(self) -> list[str]:
        """Lines of the kernel's log that should not be there."""
        return [line for line in self.log.splitlines() if COMPLAINTS.search(line)]


def image_of(kernel: str, command: str, folder: Path, port: str = "kmod") -> GuestImage:
    """The rig's own image, with another first process. `folder` is for what is built."""
    make = ["make", "--silent", "-C", MODULE, "test-program", f"OUT={folder}"]
    subprocess.run(make, check=True, timeout=60)
    base = build_image(VirtualGuest(kernel, port, "idle"), threading.Event(), print)
    files = {
        "init": _INIT.format(command=command, end=_END).encode(),
        "lib/lrig-test": (folder / "lrig-test").read_bytes(),
    }
    files |= {f"lib/{path.name}": path.read_bytes() for path in (MODULE / "tests").glob("*.sh")}
    # The kernel unpacks one archive after the other; what comes later takes the place.
    more = archive((), files, {f"bin/{name}": "busybox" for name in _PROGRAMS})
    return replace(base, initrd=base.initrd + more)


def tried(
    image: GuestImage, limit_s: int, *, irq: int | None = None, width_ns: int = WIDTH_NS
) -> Told:
    """Boot it and let pulses come in until it has ended, `limit_s` of its own time at most.

    Raises BenchError if the guest panics or hangs, AssertionError if it takes too long.
    """
    said = b""
    with Machine.start(image, guest_plugin(), irq=irq) as machine:
        machine.serial.setblocking(False)
        while f"{_END}\r\n".encode() not in said and f"{_END}\n".encode() not in said:
            assert machine.now_ns < limit_s * 10**9, said.decode(errors="replace")[-2000:]
            first = machine.now_ns + PERIOD_NS
            rises = range(first, first + STRETCH_NS - width_ns, PERIOD_NS)
            edges = [edge for at in rises for edge in ((at, 1), (at + width_ns, 0))]
            machine.run(first + STRETCH_NS, edges)
            said += _available(machine.serial)
    return _told(said.decode(errors="replace"))


def _told(text: str) -> Told:
    output, _, rest = text.partition("rig-test: status ")
    status, _, log = rest.partition("\n")
    return Told(int(status), output, log.partition(_END)[0])


def _available(serial: socket.socket) -> bytes:
    try:
        return serial.recv(1 << 16)
    except BlockingIOError:
        return b""
