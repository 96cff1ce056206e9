# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig doctor`: what this machine has for a bench, what is missing, and how to mend it."""

from __future__ import annotations

import argparse
import grp
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports

from rig.capture import sigrok
from rig.errors import RigError
from rig.resources import emulator_binary, firmware_image

FX2LAFW_FIRMWARE = Path("/usr/share/sigrok-firmware/fx2lafw-cypress-fx2.fw")
UDEV_RULES = tuple(
    Path(folder) / "60-libsigrok.rules" for folder in ("/lib/udev/rules.d", "/etc/udev/rules.d")
)


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    what: str
    state: str
    mend: str = ""
    """What to do; empty if nothing needs doing."""
    needed: bool = True
    """Nothing at all can be measured without it."""


def command(_options: argparse.Namespace) -> int:
    """Print a line for each finding; 3 if something that every bench needs is missing."""
    findings = list(_findings())
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        mark = "ok     " if not finding.mend else ("MISSING" if finding.needed else "note   ")
        print(f"{mark}  {finding.what:<{width}}  {finding.state}")
        if finding.mend:
            print(f"         {'':<{width}}  -> {finding.mend}")
    return 3 if any(finding.mend and finding.needed for finding in findings) else 0


def _findings() -> Iterator[Finding]:
    yield from _libsigrok()
    yield _file(
        "analyzer firmware (fx2lafw)",
        FX2LAFW_FIRMWARE,
        "apt-get install sigrok-firmware-fx2lafw   (for Cypress FX2 analyzers only)",
    )
    yield _udev()
    yield _resource(
        "stimulus firmware image", firmware_image, "make setup   (in the source tree)", needed=True
    )
    yield _resource(
        "emulated microcontroller",
        emulator_binary,
        "apt-get install libsimavr-dev libelf-dev, then install latency-rig again   "
        "(for the virtual bench only)",
        needed=False,
    )
    yield from _serial_ports()


def _libsigrok() -> Iterator[Finding]:
    try:
        version, drivers = sigrok.library_version(), sigrok.driver_names()
    except RigError as error:
        yield Finding("libsigrok", str(error), "apt-get install libsigrok4")
        return
    yield Finding("libsigrok", f"{version}, {len(drivers)} drivers")
    for name in ("beaglelogic", "fx2lafw"):
        if name not in drivers:
            yield Finding(f"driver {name}", "not in this libsigrok", "apt-get install libsigrok4")


def _file(what: str, path: Path, mend: str) -> Finding:
    if path.is_file():
        return Finding(what, str(path))
    return Finding(what, f"{path} is not there", mend, needed=False)


def _udev() -> Finding:
    for path in UDEV_RULES:
        if path.is_file():
            return Finding("USB permissions (udev)", str(path))
    mend = "apt-get install libsigrok4, then unplug and plug the analyzer"
    return Finding("USB permissions (udev)", "libsigrok's rules are not there", mend, needed=False)


def _resource(what: str, find: Callable[[], Path], mend: str, *, needed: bool) -> Finding:
    try:
        return Finding(what, str(find()))
    except RigError as error:
        return Finding(what, str(error), mend, needed=needed)


def _serial_ports() -> Iterator[Finding]:
    ports = sorted(list_ports.comports(), key=lambda port: port.device)
    if not ports:
        mend = "plug the stimulus microcontroller in   (not for the virtual bench)"
        yield Finding("serial ports", "none found", mend, needed=False)
    for port in ports:
        about = " ".join(part for part in (port.description, port.serial_number) if part)
        if os.access(port.device, os.R_OK | os.W_OK):
            yield Finding(f"serial port {port.device}", about)
        else:
            group = _group_of(Path(port.device))
            mend = f"sudo usermod -aG {group} $USER, then log in again"
            yield Finding(
                f"serial port {port.device}", f"{about}, no permission", mend, needed=False
            )


def _group_of(path: Path) -> str:
    try:
        return grp.getgrgid(path.stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
