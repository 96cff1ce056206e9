# SPDX-License-Identifier: GPL-3.0-or-later
"""An emulated USB: the folder that takes the place of /sys and /dev in the capture worker.

It holds what Linux shows of one host controller, its root hub and the devices on its ports. What
comes and goes is told to every process there as udev does.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path
from typing import Final

from rig.closing import Closing

_FOLDER_MAX: Final = 60
"""The longest folder's name: a Unix socket's path is 107 bytes at most, and below are up to 47."""
_HUB: Final = "usb1"
_UDEV_MAGIC: Final = 0xFEEDCAFE


class UsbBus(Closing):
    """Bus 1, with its root hub as device 1."""

    def __init__(self) -> None:
        usual = tempfile.gettempdir()
        place = usual if len(usual) + len("/rig-usb-12345678") <= _FOLDER_MAX else "/tmp"  # noqa: S108
        self.folder = Path(tempfile.mkdtemp(prefix="rig-usb-", dir=place))
        for name in ("sys/class", "sys/bus/usb/devices", "run/udev/data"):
            (self.folder / name).mkdir(parents=True)
        for path in (self.node(1), self.socket(1)):
            path.parent.mkdir(parents=True)
        self.node(1).touch()
        self._events, self._address = 0, 1
        device = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 9, 0, 1, 64, 0x1D6B, 2, 0, 0, 0, 0, 1)
        interface = bytes([9, 4, 0, 0, 1, 9, 0, 0, 0, 7, 5, 0x81, 3, 4, 0, 12])
        configuration = struct.pack("<BBHBBBBB", 9, 2, 25, 1, 1, 0, 0xE0, 0) + interface
        self._describe(_HUB, 1, device + configuration, 480)

    def next_address(self) -> int:
        """Return an address that no device has had."""
        self._address += 1
        return self._address

    def node(self, address: int) -> Path:
        """Return the place of a device's node."""
        return self.folder / f"dev/bus/usb/001/{address:03d}"

    def socket(self, address: int) -> Path:
        """Return the place of the socket on which ioctls of a device's node come."""
        return self.folder / f"ioctl/dev/bus/usb/001/{address:03d}"

    def add(self, port: str, address: int, descriptors: bytes, speed_mbit: int) -> None:
        """Show a device, whose node is there, at a port such as "1-1"."""
        self._describe(port, address, descriptors, speed_mbit)
        self._tell("add", port, address)

    def remove(self, port: str, address: int) -> None:
        """Show no longer what is at this port."""
        (self.folder / "sys/bus/usb/devices" / port).unlink(missing_ok=True)
        shutil.rmtree(self._shown(port), ignore_errors=True)
        self._tell("remove", port, address)

    def close(self) -> None:
        """Remove the folder; may be called twice."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _shown(self, port: str) -> Path:
        hub = self.folder / "sys/devices/pci0" / _HUB
        return hub if port == _HUB else hub / port

    def _describe(self, port: str, address: int, descriptors: bytes, speed_mbit: int) -> None:
        """Write a device's folder of sysfs."""
        shown = self._shown(port)
        shown.mkdir(parents=True)
        vendor, product = struct.unpack_from("<HH", descriptors, 8)
        properties = {
            "MAJOR": "189",
            "MINOR": str(address - 1),
            "DEVNAME": f"bus/usb/001/{address:03d}",
            "DEVTYPE": "usb_device",
            "BUSNUM": "001",
            "DEVNUM": f"{address:03d}",
        }
        values = {
            "busnum": "1",
            "devnum": str(address),
            "speed": str(speed_mbit),
            "bConfigurationValue": "1",
            "idVendor": f"{vendor:04x}",
            "idProduct": f"{product:04x}",
            "dev": f"189:{address - 1}",
            "uevent": "\n".join(f"{key}={value}" for key, value in properties.items()),
        }
        for name, value in values.items():
            (shown / name).write_text(value + "\n", encoding="ascii")
        (shown / "descriptors").write_bytes(descriptors)
        link = self.folder / "sys/bus/usb/devices" / port
        link.symlink_to(os.path.relpath(shown, link.parent))
        (shown / "subsystem").symlink_to(os.path.relpath(self.folder / "sys/bus/usb", shown))

    def _tell(self, action: str, port: str, address: int) -> None:
        """Send a message of udev's to every process that listens."""
        self._events += 1
        properties = {
            "ACTION": action,
            "DEVPATH": f"/devices/pci0/{_HUB}/{port}",
            "SUBSYSTEM": "usb",
            "SEQNUM": str(self._events),
            "DEVNAME": f"/dev/bus/usb/001/{address:03d}",
            "DEVTYPE": "usb_device",
            "BUSNUM": "001",
            "DEVNUM": f"{address:03d}",
            "MAJOR": "189",
            "MINOR": str(address - 1),
        }
        body = b"".join(f"{key}={value}\0".encode() for key, value in properties.items())
        head = struct.pack(">8sI", b"libudev\0", _UDEV_MAGIC) + struct.pack(
            "=III", 40, 40, len(body)
        )
        filters = struct.pack(">IIII", _murmur2(b"usb"), _murmur2(b"usb_device"), 0, 0)
        for listener in self.folder.glob("event*"):
            with (
                socket.socket(socket.AF_UNIX, socket.SOCK_RAW) as sender,
                contextlib.suppress(OSError),
            ):
                sender.sendto(head + filters + body, str(listener))


def _murmur2(text: bytes) -> int:
    """Return the hash MurmurHash2 with seed 0, by which udev's listeners filter messages."""
    factor, mask = 0x5BD1E995, 0xFFFFFFFF
    mixed = len(text)
    for at in range(0, len(text) - 3, 4):
        word = int.from_bytes(text[at : at + 4], "little") * factor & mask
        mixed = mixed * factor & mask ^ (word ^ word >> 24) * factor & mask
    if rest := text[len(text) // 4 * 4 :]:
        mixed = (mixed ^ int.from_bytes(rest, "little")) * factor & mask
    mixed = (mixed ^ mixed >> 13) * factor & mask
    return mixed ^ mixed >> 15
