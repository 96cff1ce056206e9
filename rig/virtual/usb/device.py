# SPDX-License-Identifier: GPL-3.0-or-later
"""An emulated USB device as usbfs shows it: the ioctls of linux/usbdevice_fs.h.

A request to transfer, an URB in the kernel's words, is submitted with one ioctl, waits for the
device, and is reaped with another. Requests on the control endpoint are answered when they are
submitted; those for bulk data wait until the device has some.
"""

from __future__ import annotations

import errno
import struct
import threading
import time
from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from rig.closing import Closing
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.node import HostFile, NodeOwner, UsbNode

HIGH_SPEED_MBIT: Final = 480
_URB: Final = struct.Struct("<BB2xiI4xQi28x")
"""Type, endpoint, status, flags, buffer and its length; what follows is for the answer."""
_STATUS_AT, _ACTUAL_AT, _ERRORS_AT = 4, 28, 40
_SETUP: Final = struct.Struct("<BBHHH")
_CONTROL_TYPE: Final = 2
_IN: Final = 0x80
_STANDARD, _KIND_BITS = 0, 0x60
_GET_DESCRIPTOR: Final = 6
_LANGUAGES: Final = struct.pack("<BBH", 4, 3, 0x409)

# The ioctls, by their number
_GET_DRIVER, _SUBMIT, _DISCARD, _REAP, _REAP_NOW, _CLAIM, _RELEASE = 8, 10, 11, 12, 13, 15, 16
_CAPABILITIES, _SPEED = 26, 31
_ACCEPTED: Final = frozenset({3, 4, 5, 20, 21})
"""Resets and settings: nothing comes of them."""
_XHCI_CAPABILITIES: Final = 0x01 | 0x04 | 0x08 | 0x10
"""Zero packets, no limit of packets, scatter-gather, reaping after the device has gone."""
_HIGH_SPEED: Final = 3


@dataclass(eq=False)
class Urb:
    """A request of the host's that has been submitted."""

    address: int
    """Its place in the host's memory, which is its name."""
    file: HostFile
    buffer: int
    length: int
    submitted_s: float
    samples: bool = False
    """It is for bulk data from the device."""
    pieces: list[memoryview] = field(default_factory=list)
    actual: int = 0
    status: int = 0
    cancelled: bool = False
    """The host does not want it any more, but has not been given it back yet."""

    def take(self, piece: memoryview) -> None:
        """Take data that fits."""
        self.pieces.append(piece)
        self.actual += len(piece)


class UsbDevice(NodeOwner, Closing):
    """A device on a port of a bus, plugged in from its creation on.

    What it shares with the threads of its node is guarded by `lock`.
    """

    def __init__(self, bus: UsbBus, port: str, speed_mbit: int) -> None:
        self._bus, self._port, self._speed_mbit = bus, port, speed_mbit
        self._address = 0
        self._node: UsbNode | None = None
        self._claimed_by: HostFile | None = None
        self.lock = threading.Condition()
        self._waiting: deque[Urb] = deque()
        self._done: deque[Urb] = deque()
        self.hangs = False
        """Whether the host controller gives nothing back any more."""
        self.plug()

    @property
    @abstractmethod
    def descriptors(self) -> bytes:
        """Its device descriptor and configurations."""

    @property
    @abstractmethod
    def strings(self) -> tuple[str, ...]:
        """The texts that its descriptors name, from number 1."""

    @abstractmethod
    def asked(self, request: int) -> bytes | None:
        """Answer a request of the maker's own. None: it is refused."""

    @abstractmethod
    def told(self, file: HostFile, request: int, value: int, data: bytes) -> bool:
        """Take a request of the maker's own that carries data. False: it is refused."""

    @abstractmethod
    def received(self, data: bytes) -> None:
        """Take what the host sends to a bulk endpoint."""

    @abstractmethod
    def submitted(self) -> None:
        """Note that one more request for samples waits. Lock held."""

    @abstractmethod
    def keeps(self, urb: Urb) -> bool:
        """Return whether a request for samples that is cancelled waits on. Lock held."""

    @abstractmethod
    def left(self, file: HostFile) -> None:
        """Note that the host gave up the device. Lock held."""

    def plug(self) -> None:
        """Appear, with a new address."""
        bus = self._bus
        address = self._address = bus.next_address()
        self._node = UsbNode(bus.node(address), bus.socket(address), self)
        bus.add(self._port, address, self.descriptors, self._speed_mbit)

    def unplug(self) -> None:
        """Vanish, as when the cable is pulled."""
        with self.lock:
            node, self._node = self._node, None
            self._done.extend(self._waiting)
            for urb in self._waiting:
                urb.status = -errno.ESHUTDOWN
            self._waiting.clear()
        if node is not None:
            node.unplug()
            self._bus.remove(self._port, self._address)

    def close(self) -> None:
        self.unplug()

    # What lies behind the ioctls; the lock is held

    @property
    def waiting(self) -> deque[Urb]:
        """The requests for samples that wait, in order."""
        return self._waiting

    @property
    def idle(self) -> bool:
        """Whether the host neither waits for samples nor has any to fetch."""
        return not self._waiting and not self._done

    def complete(self, urb: Urb, status: int = 0) -> None:
        """Give a request back to the host, with minus an errno."""
        if urb.samples:
            self._waiting.remove(urb)
        if not self.hangs:
            urb.status = status
            self._done.append(urb)
            self._signal()

    def empty_requests(self) -> None:
        """Take back the samples that no host has fetched yet."""
        unfetched = [urb for urb in self._done if urb.samples and not urb.status]
        self._done = deque(urb for urb in self._done if urb not in unfetched)
        self._waiting.extendleft(reversed(unfetched))
        for urb in self._waiting:
            urb.pieces, urb.actual = [], 0
        self._signal()

    def _signal(self) -> None:
        if self._node is not None:
            self._node.signal(ready=bool(self._done))

    # The host's ioctls

    def call(self, file: HostFile, request: int, argument: int) -> int:
        number = request & 0xFF
        if number in (_REAP, _REAP_NOW):
            return self._reap(file, argument)
        if self._node is None:
            raise OSError(errno.ENODEV, "unplugged")
        if number == _SUBMIT:
            return self._submit(file, argument)
        if number == _DISCARD:
            return self._discard(argument)
        if number == _CAPABILITIES:
            file.write(argument, struct.pack("<I", _XHCI_CAPABILITIES))
            return 0
        if number == _GET_DRIVER:
            raise OSError(errno.ENODATA, "no driver of the kernel's")
        if number == _SPEED:
            return _HIGH_SPEED if self._speed_mbit == HIGH_SPEED_MBIT else _HIGH_SPEED - 1
        if number in (_CLAIM, _RELEASE):
            self._claim(file, wanted=number == _CLAIM)
        elif number not in _ACCEPTED:
            raise OSError(errno.ENOTTY, "not emulated")
        return 0

    def _claim(self, file: HostFile, *, wanted: bool) -> None:
        with self.lock:
            if self._claimed_by not in (None, file):
                raise OSError(errno.EBUSY, "another program has it")
            self._claimed_by = file if wanted else None
            if not wanted:
                self.left(file)

    def closed(self, file: HostFile) -> None:
        with self.lock:
            self._waiting = deque(urb for urb in self._waiting if urb.file is not file)
            self._done = deque(urb for urb in self._done if urb.file is not file)
            self._signal()
            if self._claimed_by is file:
                self._claimed_by = None
            self.left(file)

    def _reap(self, file: HostFile, argument: int) -> int:
        with self.lock:
            if not self._done:
                gone = self._node is None
                raise OSError(errno.ENODEV if gone else errno.EAGAIN, "none is done")
            urb = self._done.popleft()
            self._signal()
            self.lock.notify_all()
        if urb.pieces:
            file.write(urb.buffer, *urb.pieces)
        file.write(urb.address + _STATUS_AT, struct.pack("<i", urb.status))
        file.write(urb.address + _ACTUAL_AT, struct.pack("<i", urb.actual))
        file.write(urb.address + _ERRORS_AT, struct.pack("<i", 0))
        file.write(argument, struct.pack("<Q", urb.address))
        return 0

    def _submit(self, file: HostFile, argument: int) -> int:
        kind, endpoint, _, _, buffer, length = _URB.unpack(file.read(argument, _URB.size))
        urb = Urb(argument, file, buffer, length, time.monotonic())
        if kind == _CONTROL_TYPE:
            accepted = self._control(file, urb)
        elif endpoint & _IN:
            with self.lock:
                urb.samples = True
                self._waiting.append(urb)
                self.submitted()
                self.lock.notify_all()
            return 0
        else:
            self.received(file.read(buffer, length))
            urb.actual = length
            accepted = True
        with self.lock:
            self.complete(urb, 0 if accepted else -errno.EPIPE)
        return 0

    def _control(self, file: HostFile, urb: Urb) -> bool:
        """Answer a control request; False if it is refused."""
        kind, request, value, _, length = _SETUP.unpack(file.read(urb.buffer, _SETUP.size))
        urb.buffer += _SETUP.size
        if not kind & _IN:
            data = file.read(urb.buffer, length) if length else b""
            urb.actual = length
            return self.told(file, request, value, data)
        standard = kind & _KIND_BITS == _STANDARD and request == _GET_DESCRIPTOR
        answer = self._descriptor(value >> 8, value & 0xFF) if standard else self.asked(request)
        if answer is not None:
            urb.take(memoryview(answer)[:length])
        return answer is not None

    def _descriptor(self, kind: int, number: int) -> bytes | None:
        device = self.descriptors[0]
        if kind in (1, 2):
            return self.descriptors[:device] if kind == 1 else self.descriptors[device:]
        if kind != 3 or number > len(self.strings):
            return None
        if not number:
            return _LANGUAGES
        text = self.strings[number - 1].encode("utf-16-le")
        return bytes([2 + len(text), 3]) + text

    def _discard(self, address: int) -> int:
        with self.lock:
            for urb in self._waiting:
                if urb.address == address:
                    if self.keeps(urb):
                        urb.cancelled = True
                    else:
                        self.complete(urb, -errno.ENOENT)
                    return 0
            done = [urb for urb in self._done if urb.address == address and urb.samples]
            for urb in done:
                self.keeps(urb)
        raise OSError(errno.EINVAL, "it is done, or was never submitted")
