# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings on what this machine has for a bench, what is missing, and how to mend it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rig.capture import emulated_usb, native, sigrok
from rig.capture.analyzers import analyzer_kind, own_drivers
from rig.capture.scan import Scanned, scan
from rig.capture.usb_analyzers import (
    FX2LAFW_PACKAGE,
    HIGH_SPEED_MBIT,
    Present,
    firmware_folders,
    missing_firmware,
    present,
)
from rig.errors import RigError
from rig.resources import emulator_binary, firmware_image, stimulus_chips
from rig.services.finding import DoctorFinding
from rig.services.serial_doctor import serial_findings
from rig.target.hosts import CONFIG, ssh_hosts

FX2LAFW_FIRMWARE = "fx2lafw-cypress-fx2.fw"
OWN_FIRMWARE = "~/.local/share/sigrok-firmware"
BEAGLELOGIC = Path("/dev/beaglelogic")
UDEV_RULES = tuple(
    Path(folder) / "60-libsigrok.rules" for folder in ("/lib/udev/rules.d", "/etc/udev/rules.d")
)


def look(*, ask_drivers: bool = True) -> Iterator[DoctorFinding]:
    """Yield the findings on all that is looked at, in order; this takes a moment.

    `ask_drivers`: let libsigrok search, too, which opens each analyzer for a moment. No host is
    asked, only named.
    """
    yield from _libsigrok()
    yield _extraction()
    yield _fx2lafw_firmware()
    yield _udev()
    yield from _analyzers()
    yield from _own_analyzers()
    if ask_drivers:
        yield from _scanned()
    for chip in stimulus_chips():
        yield _resource(
            "stimulus firmware image",
            partial(firmware_image, chip),
            "make setup   (in the source tree)",
            needed=True,
        )
    yield _resource(
        "emulated microcontroller",
        emulator_binary,
        "apt-get install libsimavr-dev, then install latency-rig again   "
        "(for the virtual bench only)",
        needed=False,
    )
    yield _resource(
        "emulated USB",
        emulated_usb.library,
        "apt-get install umockdev   (for the fixture virtual-fx2 only)",
        needed=False,
    )
    yield from serial_findings()
    for name in ssh_hosts():
        yield DoctorFinding(
            f"host {name}", f"in {CONFIG}; `rig target probe ssh:{name}`", host=name
        )


def _extraction() -> DoctorFinding:
    if native.variants():
        return DoctorFinding("edge extraction", native.status())
    mend = "apt-get install gcc, then install latency-rig again   (for speed only)"
    return DoctorFinding("edge extraction", native.status(), mend, needed=False)


def _libsigrok() -> Iterator[DoctorFinding]:
    try:
        version, drivers = sigrok.library_version(), sigrok.driver_names()
    except RigError as error:
        yield DoctorFinding("libsigrok", str(error), "apt-get install libsigrok4")
        return
    yield DoctorFinding("libsigrok", f"{version}, {len(drivers)} drivers")
    for name in ("beaglelogic", "fx2lafw"):
        if name not in drivers:
            yield DoctorFinding(
                f"driver {name}", "not in this libsigrok", "apt-get install libsigrok4"
            )


def _fx2lafw_firmware() -> DoctorFinding:
    what = "analyzer firmware (fx2lafw)"
    for folder in firmware_folders():
        if (folder / FX2LAFW_FIRMWARE).is_file():
            return DoctorFinding(what, str(folder))
    mend = f"{FX2LAFW_PACKAGE}   (for Cypress FX2 analyzers only)"
    return DoctorFinding(what, f"{FX2LAFW_FIRMWARE} is not there", mend, needed=False)


def _udev() -> DoctorFinding:
    for path in UDEV_RULES:
        if path.is_file():
            return DoctorFinding("USB permissions (udev)", str(path))
    mend = "apt-get install libsigrok4, then unplug and plug the analyzer"
    return DoctorFinding(
        "USB permissions (udev)", "libsigrok's rules are not there", mend, needed=False
    )


def _analyzers() -> Iterator[DoctorFinding]:
    """Yield what is plugged in, and whether it could be opened now."""
    found = list(present())
    for analyzer in found:
        yield analyzer_finding(analyzer, firmware_folders())
    if BEAGLELOGIC.exists():
        state = f"{BEAGLELOGIC}: driver beaglelogic"
        yield DoctorFinding("analyzer BeagleLogic", state, driver="beaglelogic")
    elif not found:
        mend = "plug one in   (not for the virtual bench, nor for a BeagleLogic over TCP)"
        yield DoctorFinding("analyzers", "none found on USB", mend, needed=False)


def _own_analyzers() -> Iterator[DoctorFinding]:
    """Yield the analyzers that are not libsigrok's."""
    for driver in own_drivers():
        try:
            for each in analyzer_kind(driver).found():
                what, bad = f"analyzer {each.name}", bool(each.mend)
                yield DoctorFinding(what, each.state, each.mend, needed=not bad, driver=driver)
        except RigError as error:
            mend = "install or remove the package that brings it"
            yield DoctorFinding(f"analyzers of {driver}", str(error), mend, needed=False)


def analyzer_finding(analyzer: Present, folders: list[Path]) -> DoctorFinding:
    """Return the driver of an analyzer on USB, and what keeps it from working."""
    kind = analyzer.kind
    what = f"analyzer {kind.name}"
    if not kind.driver:
        state = f"USB {analyzer.usb_id} at {analyzer.place}: libsigrok has no driver for it"
        return DoctorFinding(what, state, kind.source, needed=False)
    state = f"USB {analyzer.usb_id} at {analyzer.place}: driver {kind.driver}"
    missing = missing_firmware(kind, folders)
    if missing:
        files = ", ".join(missing)
        if kind.is_packaged:
            state = f"{state}, {files} is not there"
            return DoctorFinding(what, state, kind.source, needed=False, driver=kind.driver)
        mend = f"put {files} into {OWN_FIRMWARE}; {kind.source}"
        state = f"{state}, without its maker's firmware"
        return DoctorFinding(what, state, mend, needed=False, driver=kind.driver)
    if not os.access(analyzer.node, os.R_OK | os.W_OK):
        mend = "sudo usermod -aG plugdev $USER, log in again, unplug and plug the analyzer"
        state = f"{state}, no permission for {analyzer.node}"
        return DoctorFinding(what, state, mend, needed=False, driver=kind.driver)
    if analyzer.neighbors:
        state = f"{state}, on a hub with {', '.join(analyzer.neighbors)}"
    if 0 < analyzer.speed_mbit < HIGH_SPEED_MBIT:
        state = f"{state}, at {analyzer.speed_mbit} Mbit/s only: samples will be lost"
        mend = "plug it into the computer itself, with another cable, not into an old hub"
        return DoctorFinding(what, state, mend, needed=False, driver=kind.driver)
    return DoctorFinding(what, state, driver=kind.driver)


def _scanned() -> Iterator[DoctorFinding]:
    """Yield what libsigrok's drivers find when they search for themselves."""
    try:
        sigrok.library_version()
    except RigError:
        return  # told already
    answers = scan()
    for answer in answers:
        if answer.name or answer.problem:
            yield scan_finding(answer)
    if not any(answer.name or answer.problem for answer in answers):
        asked = ", ".join(answer.driver for answer in answers)
        yield DoctorFinding("libsigrok's search", f"nothing answers; asked {asked}")


def scan_finding(answer: Scanned) -> DoctorFinding:
    """Return the finding of a driver that found a device, or has a problem."""
    what = f"search by {answer.driver}"
    if answer.problem:
        mend = (
            "end other programs that use the analyzer, or unplug it and plug it again; "
            f"`sigrok-cli -d {answer.driver} --scan -l 4` tells more"
        )
        return DoctorFinding(what, answer.problem, mend, needed=False)
    channels = f", {answer.channels} channels" if answer.channels else ""
    return DoctorFinding(what, answer.name + channels, driver=answer.driver)


def _resource(what: str, find: Callable[[], Path], mend: str, *, needed: bool) -> DoctorFinding:
    try:
        return DoctorFinding(what, str(find()))
    except RigError as error:
        return DoctorFinding(what, str(error), mend, needed=needed)
