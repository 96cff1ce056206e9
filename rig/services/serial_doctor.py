# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings on serial ports: which of them the stimulus may be, and what takes them away."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
from collections.abc import Iterator
from pathlib import Path

from serial.tools import list_ports

from rig.services.finding import DoctorFinding
from rig.shell_words import quoted
from rig.stimulus.usb_ports import CH340, CP2102, LIKELY, OTHER_CHIPS, SYS, UsbSerial, usb_serials

PROC = Path("/proc")
GROUPS = {"dialout": "serial ports", "plugdev": "USB analyzers over ssh"}
UDEV_FILE = "/etc/udev/rules.d/77-rig.rules"
LATENCY_MAX_MS = 2
"""An FTDI chip that waits longer lets captures overrun at high rates."""


def serial_findings(sys: Path = SYS, proc: Path = PROC) -> Iterator[DoctorFinding]:
    """Yield what is found of serial ports, their USB devices, and programs that take them."""
    on_usb = list(usb_serials(sys))
    by_port = {each.port: each for each in on_usb}
    ports = sorted(list_ports.comports(), key=lambda port: port.device)
    if not ports:
        mend = "plug the stimulus microcontroller in   (not for the virtual bench)"
        yield DoctorFinding("serial ports", "none found", mend, needed=False)
    for port in ports:
        known = (port.description.replace("n/a", ""), port.serial_number)
        about = " ".join(part for part in known if part) or "nothing is known of what is there"
        yield _port_finding(port.device, about, by_port.get(port.device))
    running = list(_running(proc))
    yield from usb_findings(on_usb, running)
    yield from group_findings()
    yield avrdude_finding()


def _port_finding(device: str, about: str, usb: UsbSerial | None) -> DoctorFinding:
    what = f"serial port {device}"
    if usb is not None and usb.usb_id in LIKELY:
        about = f"{about}; USB {usb.usb_id}: {usb.name}, probably the stimulus"
    elif usb is not None and usb.name:
        about = f"{about}; USB {usb.usb_id}: {usb.name}, no stimulus: another chip"
    if not os.access(device, os.R_OK | os.W_OK):
        group = _group_of(Path(device))
        mend = f"sudo usermod -aG {quoted(group)} $USER, then log in again"
        if group == "root":  # no udev rule gave it away, and nobody should be in that group
            mend = f"sudo chgrp dialout {quoted(device)}, and be in group dialout"
        return DoctorFinding(what, f"{about}, no permission", mend, needed=False, port=device)
    if usb is not None and usb.usb_id in LIKELY:
        about = f"{about}; opening it resets an Uno or Nano (DTR), 2 s"
    return DoctorFinding(what, about, port=device)


def usb_findings(on_usb: list[UsbSerial], running: list[str]) -> Iterator[DoctorFinding]:
    """Yield what keeps USB serial ports from working; `running`: names of processes."""
    for each in on_usb:
        what = f"USB {each.usb_id} at {each.place}"
        if not each.port:
            mend = _without_port(each, running)
            yield DoctorFinding(what, f"{each.name}, without a serial port", mend, needed=False)
        elif each.latency_ms is not None and each.latency_ms > LATENCY_MAX_MS:
            tty = Path(each.port).name
            mend = (
                "nothing, as the rig asks the driver for 1 ms when it opens the port; if captures "
                f"overrun: echo 1 | sudo tee /sys/bus/usb-serial/devices/{tty}/latency_timer"
            )
            state = f"{each.port} keeps what it receives for {each.latency_ms} ms (latency timer)"
            yield DoctorFinding(what, state, mend, needed=False)
    boards = [each for each in on_usb if each.port and each.usb_id in {**LIKELY, **OTHER_CHIPS}]
    if boards and "ModemManager" in running:
        rules = " and ".join(
            f'ATTRS{{idVendor}}=="{vendor}", ENV{{ID_MM_DEVICE_IGNORE}}="1"'
            for vendor in sorted({each.usb_id.split(":")[0] for each in boards})
        )
        mend = f"sudo systemctl stop ModemManager, or a line each in {UDEV_FILE}: {rules}"
        state = "runs, and may talk to a board just plugged in as if it were a modem"
        yield DoctorFinding("ModemManager", state, mend, needed=False)


def _without_port(device: UsbSerial, running: list[str]) -> str:
    """Return what to do about a device that has no serial port."""
    if device.usb_id not in (CH340, CP2102):
        return "`dmesg` tells why its driver made none; try another cable"
    remove = "apt-get remove brltty, then unplug and plug it: brltty takes it for a Braille display"
    if "brltty" in running:
        return remove
    return f"`dmesg` tells why; if it names brltty: {remove}"


def group_findings() -> Iterator[DoctorFinding]:
    """Yield the groups that the user is not in."""
    if os.geteuid() == 0:
        return
    user = pwd.getpwuid(os.geteuid()).pw_name
    for name, why in GROUPS.items():
        try:
            group = grp.getgrnam(name)
        except KeyError:
            continue  # another distribution's, which has another way
        if group.gr_gid not in {os.getegid(), *os.getgroups()}:
            mend = f"sudo usermod -aG {name} {quoted(user)}, then log in again   (for {why})"
            yield DoctorFinding(f"group {name}", f"{user} is not in it", mend, needed=False)


def avrdude_finding() -> DoctorFinding:
    """Return whether a board could be flashed."""
    path = shutil.which("avrdude")
    if path:
        return DoctorFinding("avrdude", path)
    mend = "apt-get install avrdude   (for `rig stimulus flash` only)"
    return DoctorFinding("avrdude", "not installed", mend, needed=False)


def _running(proc: Path) -> Iterator[str]:
    for path in proc.glob("[0-9]*/comm"):
        try:
            yield path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue  # it has ended meanwhile


def _group_of(path: Path) -> str:
    try:
        return grp.getgrgid(path.stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
