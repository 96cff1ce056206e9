# SPDX-License-Identifier: GPL-3.0-or-later
"""The permissions of the user who logs in to a target, asked of its shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rig.errors import BenchError
from rig.shell_words import command_text, quoted
from rig.target.findings import ProbeFinding, plain
from rig.target.ssh import SshHost, run

_SCRIPT = r"""
echo machine $(uname -m)
echo release $(uname -r)
echo user $(id -un)
echo uid $(id -u)
for path in /dev/parport[0-9]* /dev/gpiochip[0-9]* /dev/latency-rig \
    /dev/ttyS[0-3]; do
    [ -e "$path" ] || continue
    may=
    [ -r "$path" ] && may=r
    [ -w "$path" ] && may=${may}w
    echo device "$path" ${may:-none} $(stat -c %G "$path")
done
sed -n 's/^Max realtime priority *\([^ ]*\).*/priority \1/p' /proc/self/limits
for tool in make cc; do command -v $tool >/dev/null && echo tool $tool; done
[ -e /lib/modules/$(uname -r)/build/Makefile ] && echo tool headers
echo lockdown $(sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/security/lockdown 2>/dev/null)
for path in /sys/firmware/efi/efivars/SecureBoot-*; do
    [ -r "$path" ] && echo secure_boot $(od -An -tu1 -j4 -N1 "$path" 2>/dev/null)
done
true
"""
SIGNING = "let DKMS sign the module: docs/how-to/load-the-kernel-module.md"
_LINES_MAX = 1000
_ADD = ("usermod", "-aG")
_DEVICE = re.compile(r"/dev/[A-Za-z0-9_.-]+")
_PORT_DEVICES = {
    "ppdev": ("/dev/parport", "as root: modprobe -a parport_pc ppdev; is a port enabled in setup?"),
    "ioport": ("/dev/parport", "as root: modprobe -a parport_pc ppdev"),
    "gpio": ("/dev/gpiochip", "the kernel has no driver for its GPIO lines"),
    "serial": ("/dev/ttyS", "is a serial port enabled in setup? for one by another name --device"),
    "kmod": ("/dev/latency-rig", "rig target deploy --module, then as root: insmod"),
}


@dataclass(frozen=True)
class DeviceFile:
    """A device file of a port."""

    path: str
    usable: bool
    """Whether the user may read and write it."""
    group: str


@dataclass(frozen=True)
class UnixAccount:
    """The user's account on the target."""

    machine: str
    """The processor, as `uname -m` prints it."""
    release: str
    """The kernel, as `uname -r` prints it."""
    user: str
    is_root: bool
    devices: tuple[DeviceFile, ...]
    priority_max: int
    """The highest real-time priority allowed; 0 is none."""
    tools: frozenset[str]
    """Those of make, cc and headers (of the kernel) that are there."""
    lockdown: str = ""
    """What the kernel refuses to root as well: none, integrity or confidentiality."""
    secure_boot: bool = False
    """Whether the firmware starts signed systems only."""


def account_of(host: SshHost) -> UnixAccount:
    """Ask the target for the user's account. Raises BenchError."""
    answer = run(host, ["sh", "-s"], _SCRIPT.encode(), output_max=1 << 16)
    if answer.status:
        raise BenchError(
            f"target {host.name}: its shell failed: {plain(answer.err) or answer.status}"
        )
    lines = [plain(line).split() for line in answer.out.splitlines()[:_LINES_MAX]]
    words = {line[0]: line[1] for line in lines if len(line) == 2 and line[0] != "tool"}
    devices = tuple(
        DeviceFile(line[1], line[2] == "rw", line[3])
        for line in lines
        if len(line) == 4 and line[0] == "device" and _DEVICE.fullmatch(line[1])
    )
    priority = words.get("priority", "0")
    return UnixAccount(
        machine=words.get("machine", ""),
        release=words.get("release", ""),
        user=words.get("user", ""),
        is_root=words.get("uid") == "0",
        devices=devices,
        priority_max=int(priority) if priority.isdecimal() and len(priority) < 4 else 0,
        tools=frozenset(line[1] for line in lines if len(line) == 2 and line[0] == "tool"),
        lockdown=words.get("lockdown", ""),
        secure_boot=words.get("secure_boot") == "1",
    )


def account_findings(account: UnixAccount, port: str) -> Iterator[ProbeFinding]:
    """Yield what this account may do, and what an agent with this port needs."""
    prefix, absent = _PORT_DEVICES.get(port, ("", ""))
    for device in account.devices:
        yield _device(device, account.user, needed=bool(prefix) and device.path.startswith(prefix))
    if prefix and not any(device.path.startswith(prefix) for device in account.devices):
        yield ProbeFinding(f"port {port}", f"no {prefix}*", absent, needed=True)
    if port == "ioport" and not account.is_root:
        mend = "as root: setcap cap_sys_rawio+ep on the agent, or log in as root"
        yield ProbeFinding("I/O ports", f"not for {account.user}", mend, needed=True)
    yield from _lockdown(account, port)
    yield _priority(account)


def _lockdown(account: UnixAccount, port: str) -> Iterator[ProbeFinding]:
    """Yield what Secure Boot and the lockdown that comes with it forbid."""
    if account.secure_boot:
        mend = f"for the port kmod {SIGNING}"
        yield ProbeFinding("Secure Boot", "on: the module is refused unsigned", mend)
    if account.lockdown in ("", "none"):
        return
    state = f"{account.lockdown}: no I/O ports, no count of SMIs"
    mend = "use the port ppdev, or switch Secure Boot off in the firmware's setup"
    needed = port == "ioport"
    yield ProbeFinding("lockdown", state, mend if needed else "", needed=needed)


def _device(device: DeviceFile, user: str, *, needed: bool) -> ProbeFinding:
    what = f"device {device.path}"
    if device.usable:
        return ProbeFinding(what, "may be used")
    if device.group == "root":
        mend = (
            f'a udev rule: KERNEL=="{device.path.removeprefix("/dev/")}", GROUP="...", MODE="0660"'
        )
    else:
        mend = f"as root: {command_text((*_ADD, device.group, user))}, then log in again"
    return ProbeFinding(what, f"no permission for {user}", mend, needed)


def _priority(account: UnixAccount) -> ProbeFinding:
    if account.is_root or account.priority_max:
        allowed = "99" if account.is_root else str(account.priority_max)
        return ProbeFinding("real-time priority", f"up to {allowed}")
    mend = (
        f"as root: echo {quoted(f'{account.user} - rtprio 99')} >> "
        "/etc/security/limits.d/latency-rig.conf, "
        "then log in again"
    )
    return ProbeFinding("real-time priority", f"none for {account.user}", mend)
