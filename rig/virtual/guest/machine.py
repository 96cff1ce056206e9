# SPDX-License-Identifier: GPL-3.0-or-later
"""QEMU as a child process, its virtual time granted stretch by stretch.

The frames are described in targets/qemu/README.md; targets/qemu/plugin/lockstep.c is the other
end. Times are nanoseconds of the guest's virtual clock, which is also its cycle counter's.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from rig.closing import Closing
from rig.errors import BenchError, InputError
from rig.virtual.guest.commands import missing_program
from rig.virtual.guest.console import Console
from rig.virtual.guest.image import GuestImage

QEMU = "qemu-system-x86_64"
QEMU_PACKAGE = "qemu-system-x86"
QEMU_SERIES = "7.2"
"""The plugin uses functions whose interface is this series' only."""

EDGES_MAX = 4096
"""Stimulus edges one grant can carry."""

_GRANT = struct.Struct("<4sIq")
_EDGE = struct.Struct("<qB7x")
_REPORT = struct.Struct("<4sIqIIII")
_WRITE = struct.Struct("<qB7x")
_WRITES_MAX = 65536
_WRITES_LOST = 1
_STORM_INTERRUPTS = 20
"""So many interrupts beyond the stimulus edges, in one grant: the guest makes them itself."""
_STORM_CONTROL = 20_000
_MEMORY_MIB = 256
_CLOSE_TIMEOUT_S = 2.0
_KERNEL_OPTIONS = "console=ttyS0 quiet oops=panic softlockup_panic=1 panic=-1"


@dataclass(frozen=True, slots=True)
class GuestReport:
    """What happened in the granted time."""

    now_ns: int
    """At most an instruction past the grant."""
    writes: list[tuple[int, int]]
    """(time_ns, data register) of each write to the port's pins, in order."""
    edge_late_max_ns: int
    """How much after its time an edge reached the guest; an instruction at most."""


class Machine(Closing):
    """A guest that runs. A context manager; `close` may be called twice."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        serial: socket.socket,
        errors: IO[bytes],
    ) -> None:
        self._process, self._control, self._errors = process, control, errors
        self.serial = serial
        """The guest's second serial port."""
        self.pid = process.pid
        self.now_ns = 0
        self.data = 0
        """The data register of the port, as last written."""
        assert process.stdout is not None  # noqa: S101 - it was asked for as a pipe
        self.console = Console(process.stdout)

    @classmethod
    def start(cls, image: GuestImage, plugin: Path, *, patience_s: float = 60.0) -> Self:
        """Start QEMU; the guest stands at time 0.

        A grant that is not answered within `patience_s` of wall time is taken for a hang. Raises
        InputError if QEMU is missing or of another series, BenchError if it does not start.
        """
        _check_qemu()
        control, plugin_end = socket.socketpair()
        serial, serial_end = socket.socketpair()
        errors = tempfile.TemporaryFile(prefix="rig-qemu-")  # noqa: SIM115 - lives as long as self
        initrd = os.memfd_create("initrd", 0)
        try:
            with open(initrd, "wb", closefd=False) as file:
                file.write(image.initrd)
            process = subprocess.Popen(
                _command(image, plugin, initrd, plugin_end.fileno(), serial_end.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=(initrd, plugin_end.fileno(), serial_end.fileno()),
                start_new_session=True,
            )
        except FileNotFoundError:
            raise missing_program(QEMU, QEMU_PACKAGE) from None
        finally:
            os.close(initrd)
            plugin_end.close()
            serial_end.close()
        machine = cls(process, control, serial, errors)
        try:
            limit = struct.pack("@ll", int(patience_s), int(patience_s % 1 * 1e6))
            control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            machine.now_ns = machine._report(0).now_ns
        except BaseException:
            machine.close()
            raise
        return machine

    def run(self, until_ns: int, edges: Sequence[tuple[int, int]] = ()) -> GuestReport:
        """Let the guest's time go on to `until_ns`.

        `edges` are (time_ns, level) at the interrupt pin in order of time, none after `until_ns`.
        Raises BenchError if QEMU died or hangs, if the guest panics, or if it floods the port.
        """
        grant = _GRANT.pack(b"LGRT", len(edges), until_ns)
        grant += b"".join([_EDGE.pack(*edge) for edge in edges])
        try:
            self._control.sendall(grant)
        except OSError as error:
            raise self._failure(error) from error
        report = self._report(sum(level for _, level in edges))
        self.now_ns = report.now_ns
        if self.console.fault:
            raise BenchError(f"the guest failed: {self.console.fault}")
        return report

    def _report(self, rising: int) -> GuestReport:
        magic, n_writes, now_ns, flags, controls, interrupts, late_ns = _REPORT.unpack(
            self._receive(_REPORT.size)
        )
        if magic != b"LRPT" or n_writes > _WRITES_MAX:
            raise BenchError(
                f"the guest's plugin (pid {self.pid}) sent a malformed report; rebuild it with "
                "`make`, it may be of another version"
            )
        writes = self._receive(n_writes * _WRITE.size)
        if flags & _WRITES_LOST:
            raise BenchError(
                f"the guest floods its pins: more than {_WRITES_MAX} writes up to {now_ns} ns"
            )
        if interrupts - rising > _STORM_INTERRUPTS or controls > _STORM_CONTROL:
            raise BenchError(
                f"interrupt storm in the guest: {interrupts} interrupts for {rising} edges and "
                f"{controls} writes to the port's control register up to {now_ns} ns"
            )
        report = GuestReport(now_ns, [*_WRITE.iter_unpack(writes)], late_ns)
        if report.writes:
            self.data = report.writes[-1][1]
        return report

    def _receive(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                piece = self._control.recv(size - len(data))
            except OSError as error:
                raise self._failure(error) from error
            if not piece:
                raise self._failure(None)
            data += piece
        return bytes(data)

    def close(self) -> None:
        """End QEMU and reap it."""
        for connection in (self._control, self.serial):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._exit_status()
        self._control.close()
        self.serial.close()
        self.console.last_words(_CLOSE_TIMEOUT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()

    def _exit_status(self) -> int:
        """Wait for the end; kill what does not end by itself once its socket is closed."""
        try:
            return self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _failure(self, error: OSError | None) -> BenchError:
        """What to tell of a machine that gave no answer. Ends it if it hangs."""
        if isinstance(error, BlockingIOError | TimeoutError):
            self._process.kill()
            self._process.wait()
            return BenchError(f"{QEMU} (pid {self.pid}) does not answer; it was ended")
        status = self._exit_status()
        words = self.console.last_words(_CLOSE_TIMEOUT_S)
        if self.console.fault:
            return BenchError(f"the guest failed: {words}")
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        how = (
            f"was killed by {signal.Signals(-status).name}"
            if status < 0
            else f"ended with exit status {status}"
        )
        words = next((line for line in said if "rig-qemu: " in line), said[-1] if said else words)
        return BenchError(f"{QEMU} (pid {self.pid}) {how}" + (f": {words}" if words else ""))


def _command(image: GuestImage, plugin: Path, initrd: int, control: int, serial: int) -> list[str]:
    """QEMU's own parallel port has no pins; it stays for its entry in the ACPI tables."""
    return [
        QEMU,
        *("-accel", "tcg", "-cpu", "max", "-M", "pc", "-m", str(_MEMORY_MIB)),
        *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
        *("-icount", "shift=2,sleep=off", "-rtc", "base=2020-01-01,clock=vm", "-seed", "1"),
        *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
        *("-chardev", f"socket,id=agent,fd={serial}", "-serial", "chardev:agent"),
        *("-chardev", "null,id=pins", "-device", "isa-parallel,chardev=pins"),
        *("-kernel", str(image.vmlinux), "-initrd", f"/dev/fd/{initrd}"),
        *("-append", f"{_KERNEL_OPTIONS} {image.options}"),
        *("-plugin", f"file={plugin},fd={control}"),
    ]


def _check_qemu() -> None:
    try:
        text = subprocess.run(
            [QEMU, "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except FileNotFoundError:
        raise missing_program(QEMU, QEMU_PACKAGE) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{QEMU} cannot be run ({error})") from None
    found = re.search(r"version (\d+\.\d+)", text)
    if found is None or found[1] != QEMU_SERIES:
        raise InputError(
            f"{QEMU} is of version {found[1] if found else 'unknown'}, but the guest's plugin is "
            f"made for {QEMU_SERIES}; install Debian 12's {QEMU_PACKAGE}"
        )
