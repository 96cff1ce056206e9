# SPDX-License-Identifier: GPL-3.0-or-later
"""Logic analyzers on USB that can sample without end, and the firmware files that they need.

From libsigrok 0.5.2: the tables of its drivers (src/hardware/*/api.c), README.devices, and the
order in which it looks for firmware (src/resource.c).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FX2LAFW_PACKAGE = "apt-get install sigrok-firmware-fx2lafw"
_DSLOGIC_TOOL = "sigrok-util's sigrok-fwextract-dreamsourcelab-dslogic fetches them"
_LOGIC16_TOOL = "sigrok-util's sigrok-fwextract-saleae-logic16 takes them out of Saleae's program"
_LOGIC_PRO_TOOL = "they are in Saleae's program, and no tool takes them out"
_USB_C_GROK = "no package has it: build it from sigrok-firmware-fx2lafw's source"
_DSVIEW = "capture with DSView, save it, then: rig analyze CAPTURE.dsl"
_LOGIC_2 = "run Saleae's Logic 2 and take the fixture saleae-logic2, or rig analyze what it exports"
HIGH_SPEED_MBIT = 480
_USB_DEVICES = Path("/sys/bus/usb/devices")
_USB_NODES = Path("/dev/bus/usb")


@dataclass(frozen=True)
class UsbAnalyzer:
    """A kind of analyzer."""

    name: str
    driver: str
    """Of libsigrok; "" if it has none."""
    firmware: tuple[str, ...]
    source: str
    """The source of the firmware; without a driver, what to do instead."""

    @property
    def is_packaged(self) -> bool:
        """Whether the firmware is a package of Debian's, not a file of the maker's."""
        return self.source == FX2LAFW_PACKAGE


@dataclass(frozen=True)
class Present:
    """An analyzer that is plugged in."""

    kind: UsbAnalyzer
    usb_id: str
    """vendor:product, four hexadecimal digits each."""
    place: str
    """The port, as the kernel names it."""
    node: Path
    """The file that libsigrok must be able to open."""
    speed_mbit: int = HIGH_SPEED_MBIT
    """The speed of its connection; 0: the kernel does not say."""
    neighbors: tuple[str, ...] = ()
    """What shares a hub with it, by the names they tell."""


def _fx2(name: str, firmware: str) -> UsbAnalyzer:
    return UsbAnalyzer(name, "fx2lafw", (f"fx2lafw-{firmware}.fw",), FX2LAFW_PACKAGE)


def _dslogic(model: str, fx2: str, *fpga: str) -> UsbAnalyzer:
    files = tuple(f"dreamsourcelab-{part}.fw" for part in (f"{fx2}-fx2", *fpga))
    return UsbAnalyzer(f"DreamSourceLab {model}", "dreamsourcelab-dslogic", files, _DSLOGIC_TOOL)


KNOWN: Mapping[str, UsbAnalyzer] = {
    "04b4:8613": _fx2("Cypress FX2 without EEPROM", "cypress-fx2"),
    "08a9:0005": _fx2("CWAV USBee ZX", "cwav-usbeezx"),
    "08a9:0009": _fx2("CWAV USBee SX", "cwav-usbeesx"),
    "08a9:0014": _fx2("CWAV USBee AX or a clone", "cwav-usbeeax"),
    "08a9:0015": _fx2("CWAV USBee DX or a clone", "cwav-usbeedx"),
    "0925:3881": _fx2("Saleae Logic or a clone", "saleae-logic"),
    "16d0:0498": _fx2("Braintechnology USB-LPS", "braintechnology-usb-lps"),
    "1d50:608c": _fx2("sigrok FX2, 8 channels", "sigrok-fx2-8ch"),
    "1d50:608d": _fx2("sigrok FX2, 16 channels", "sigrok-fx2-16ch"),
    "1d50:608f": UsbAnalyzer(
        "sigrok usb-c-grok", "fx2lafw", ("fx2lafw-usb-c-grok.fw",), _USB_C_GROK
    ),
    "2a0e:0001": _dslogic("DSLogic", "dslogic", "dslogic-fpga-5v", "dslogic-fpga-3v3"),
    "2a0e:0003": _dslogic("DSLogic Pro", "dslogic-pro", "dslogic-pro-fpga"),
    "2a0e:0020": _dslogic("DSLogic Plus", "dslogic-plus", "dslogic-plus-fpga"),
    "2a0e:0021": _dslogic("DSLogic Basic", "dslogic-basic", "dslogic-basic-fpga"),
    "21a9:1001": UsbAnalyzer(
        "Saleae Logic16",
        "saleae-logic16",
        (
            "saleae-logic16-fx2.fw",
            "saleae-logic16-fpga-18.bitstream",
            "saleae-logic16-fpga-33.bitstream",
        ),
        _LOGIC16_TOOL,
    ),
    "21a9:1006": UsbAnalyzer(
        "Saleae Logic Pro 16",
        "saleae-logic-pro",
        ("saleae-logicpro16-fx3.fw", "saleae-logicpro16-fpga.bitstream"),
        _LOGIC_PRO_TOOL,
    ),
}
"""The analyzers known, by vendor:product."""

WITHOUT_DRIVER: Mapping[str, UsbAnalyzer] = {
    usb_id: UsbAnalyzer(name, "", (), instead)
    for name, instead, usb_ids in (
        ("DreamSourceLab DSLogic Plus of 2020 or later", _DSVIEW, ("2a0e:0030", "2a0e:0034")),
        ("DreamSourceLab DSLogic U2Basic", _DSVIEW, ("2a0e:0029", "2a0e:0031", "2a0e:0035")),
        ("DreamSourceLab DSLogic U2Pro16", _DSVIEW, ("2a0e:002d",)),
        ("DreamSourceLab DSLogic U3Pro16", _DSVIEW, ("2a0e:002a",)),
        ("DreamSourceLab DSLogic U3Pro32", _DSVIEW, ("2a0e:002c",)),
        ("Saleae Logic 4", _LOGIC_2, ("21a9:1003",)),
        ("Saleae Logic 8", _LOGIC_2, ("21a9:1004",)),
        ("Saleae Logic Pro 8", _LOGIC_2, ("21a9:1005",)),
    )
    for usb_id in usb_ids
}
"""Analyzers that libsigrok 0.5.2 has no driver for, from DSView's table and libsigrok's rules."""


def present(devices: Path = _USB_DEVICES, nodes: Path = _USB_NODES) -> Iterator[Present]:
    """Yield the known analyzers that are plugged in, in the order of their ports."""
    for folder in sorted(devices.glob("*")):
        usb_id = f"{_text(folder / 'idVendor')}:{_text(folder / 'idProduct')}".lower()
        kind = KNOWN.get(usb_id) or WITHOUT_DRIVER.get(usb_id)
        bus, number = _text(folder / "busnum"), _text(folder / "devnum")
        if kind is not None and bus.isdecimal() and number.isdecimal():
            node = nodes / f"{int(bus):03d}" / f"{int(number):03d}"
            speed = _text(folder / "speed")
            speed_mbit = int(speed) if speed.isdecimal() else 0
            yield Present(kind, usb_id, folder.name, node, speed_mbit, _neighbors(folder))


def _neighbors(folder: Path) -> tuple[str, ...]:
    """Return what is on the same hub, but for the computer's own hubs: 3-2.1 is on that at 3-2."""
    hub, dot, _ = folder.name.rpartition(".")
    beside = sorted(folder.parent.glob(f"{hub}.*")) if dot else []
    own = [each for each in beside if each != folder and each.name.rpartition(".")[0] == hub]
    named = (_text(each / "product", 40) or each.name for each in own if ":" not in each.name)
    return tuple(named)


def _text(path: Path, length: int = 16) -> str:
    """Read a value of the kernel's; "" for a folder that is no device, or that has just gone."""
    try:
        return path.read_text(encoding="ascii")[:length].strip()
    except (OSError, UnicodeDecodeError):
        return ""


def firmware_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the folders where libsigrok looks for firmware, in its order; Debian's is the last."""
    own = environment.get("XDG_DATA_HOME") or f"{environment.get('HOME', '')}/.local/share"
    system = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = [Path(part) / "sigrok-firmware" for part in (own, *re.split(":+", system))]
    named = environment.get("SIGROK_FIRMWARE_DIR")
    debian = Path("/usr/share/sigrok-firmware")
    every = [*([Path(named)] if named else []), *folders, debian]
    return list(dict.fromkeys(every))


def missing_firmware(kind: UsbAnalyzer, folders: list[Path]) -> list[str]:
    """Return the files of this analyzer that are in none of the folders."""
    return [
        name for name in kind.firmware if not any((folder / name).is_file() for folder in folders)
    ]
