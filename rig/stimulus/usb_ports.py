# SPDX-License-Identifier: GPL-3.0-or-later
"""USB serial ports as the kernel shows them, and which of them a stimulus may be behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rig.errors import BenchError

SYS = Path("/sys")
CH340, CP2102 = "1a86:7523", "10c4:ea60"

LIKELY = {
    "2341:0043": "Arduino Uno",
    "2341:0001": "Arduino Uno",
    "2341:0243": "Arduino Uno",
    "2a03:0043": "Arduino Uno",
    CH340: "CH340, as on clones of Uno and Nano",
    "1a86:5523": "CH341, as on clones of Uno and Nano",
    "0403:6001": "FT232R, as on older Nanos",
    CP2102: "CP2102, as on some clones",
}
"""What a board with an ATmega328P may be, by its USB id."""

OTHER_CHIPS = {
    "2341:0069": "Arduino Uno R4 Minima",
    "2341:1002": "Arduino Uno R4 WiFi",
    "2341:0058": "Arduino Nano Every",
    "2341:8057": "Arduino Nano 33 IoT",
    "2341:805a": "Arduino Nano 33 BLE",
    "2341:0042": "Arduino Mega 2560",
    "2341:8036": "Arduino Leonardo",
}
"""Boards that have a chip for which there is no firmware."""


@dataclass(frozen=True)
class UsbSerial:
    """A device on USB that is a serial port, or should be one."""

    usb_id: str
    """Vendor and product, such as "2341:0043"."""
    place: str
    """The bus and ports, such as "1-2.4"."""
    port: str
    """The device file; "" if the kernel has made none."""
    latency_ms: int | None
    """The time for which an FTDI chip keeps what it has received; None for others."""

    @property
    def name(self) -> str:
        """What it may be; "" if that is not known."""
        return LIKELY.get(self.usb_id) or OTHER_CHIPS.get(self.usb_id, "")


def usb_serials(sys: Path = SYS) -> Iterator[UsbSerial]:
    """Yield the USB devices that have a serial port, and known ones that have none."""
    folder = sys / "bus/usb/devices"
    for device in sorted(folder.glob("[0-9]*")) if folder.is_dir() else ():
        usb_id = ":".join(_word(device / name) for name in ("idVendor", "idProduct"))
        if len(usb_id) != len(CH340):
            continue
        # ttyACM lies in a folder tty of its interface, ttyUSB in one of its own.
        ports = sorted(folder.glob(f"{device.name}:*/tty/tty*"))
        ports += sorted(folder.glob(f"{device.name}:*/tty[A-Z]*"))
        for port in ports:
            latency = _word(port / "latency_timer")
            yield UsbSerial(
                usb_id,
                device.name,
                f"/dev/{port.name}",
                int(latency) if latency.isdigit() else None,
            )
        if not ports and usb_id in LIKELY:
            yield UsbSerial(usb_id, device.name, "", None)


def likely_port() -> str:
    """Return the one serial port that a stimulus is probably behind. Raises BenchError."""
    found = [each for each in usb_serials() if each.port and each.usb_id in LIKELY]
    if len(found) == 1:
        return found[0].port
    if not found:
        raise BenchError(
            "no serial port looks like an Uno or Nano; name it: --port /dev/ttyACM0 "
            "(`rig doctor` lists ports)"
        )
    ports = ", ".join(f"{each.port} ({each.name})" for each in found)
    raise BenchError(f"several serial ports may be the stimulus: {ports}; name one with --port")


def _word(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()[:40]
    except OSError:
        return ""
