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
from rig.virtual.guest.board import PC, MachineBoard
from rig.virtual.guest.commands import missing_program
from rig.virtual.guest.console import Console
from rig.virtual.guest.image import GuestImage

QEMU = PC.qemu
"""The program of the usual machine."""
QEMU_SERIES = "7.2"
"""QEMU's series; the plugin uses functions whose interface is of this series only."""

EDGES_MAX = 4096
"""The number of stimulus edges that one grant can carry."""

_GRANT = struct.Struct("<4sIq")
_EDGE = struct.Struct("<qB7x")
_REPORT = struct.Struct("<4sIqIIII")
_WRITE = struct.Struct("<qB7x")
_WRITES_MAX = 65536
_WRITES_LOST = 1
_STORM_INTERRUPTS = 20
"""The most interrupts beyond the stimulus edges in one grant: of more, the guest makes some."""
_STORM_CONTROL = 4_000
"""The most writes to the control register in one grant. A loop that does nothing else comes to
twice as many in half a millisecond; a driver needs a few."""
_MEMORY_MIB = 256
_CLOSE_TIMEOUT_S = 2.0
# noirqdebug: a threaded handler (PREEMPT_RT) that drains the agent's serial port leaves its hard
# interrupts nothing to do; after 100,000 of them, a log of 1 MB, the kernel would close the line.
_KERNEL_OPTIONS = "quiet oops=panic softlockup_panic=1 panic=-1 noirqdebug"
_SEVERAL_OPTIONS = " tsc=reliable"
"""With several processors: their counters are one clock, which Linux does not believe of an AMD."""


@dataclass(frozen=True, slots=True)
class GuestReport:
    """What happened in the granted time."""

    now_ns: int
    """The guest's time now, at most an instruction past the grant."""
    writes: list[tuple[int, int]]
    """(time_ns, levels of all pins) of each write to them, in order."""
    edge_late_max_ns: int
    """The largest delay with which an edge reached the guest; an instruction at most."""


class Machine(Closing):
    """A guest that runs. A context manager; `close` may be called twice."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        serial: socket.socket,
        errors: IO[bytes],
        board: MachineBoard = PC,
        *,
        self_trigger: bool = False,
    ) -> None:
        self._process, self._control, self._errors = process, control, errors
        self._trigger_mask = 1 << board.trigger if self_trigger else 0
        self.board = board
        self.serial = serial
        """The serial port of the guest's agent."""
        self.pid = process.pid
        self.now_ns = 0
        self.data = 0
        """Levels of the pins, as last written."""
        assert process.stdout is not None  # noqa: S101 - it was asked for as a pipe
        self.console = Console(process.stdout)

    @classmethod
    def start(
        cls,
        image: GuestImage,
        plugin: Path,
        *,
        self_trigger: bool = False,
        irq: int | None = None,
        patience_s: float = 60.0,
    ) -> Self:
        """Start QEMU; the guest stands at time 0.

        With `self_trigger` the board's trigger pin is wired to the interrupt line, and a PC's
        parallel port interrupts by line `irq` if it is given. A grant that is
        not answered within `patience_s` of wall time is taken for a hang. Raises InputError if QEMU
        is missing or of another series, BenchError if it does not start.
        """
        board = image.board
        _check_qemu(board)
        control, plugin_end = socket.socketpair()
        serial, serial_end = socket.socketpair()
        errors = tempfile.TemporaryFile(prefix="rig-qemu-")  # noqa: SIM115 - lives as long as self
        wires = f"fd={plugin_end.fileno()}"
        if self_trigger:
            wires += f",trigger={board.trigger}"
        if all(image.stall_us):
            every_us, length_us = image.stall_us
            wires += f",stall_every_us={every_us},stall_us={length_us}"
        wires += board.plugin
        if irq is not None:
            wires += f",irq={irq}"
        initrd = os.memfd_create("initrd", 0)
        try:
            with open(initrd, "wb", closefd=False) as file:
                file.write(image.initrd)
            process = subprocess.Popen(
                _command(image, f"file={_in_option(plugin)},{wires}", initrd, serial_end.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=(initrd, plugin_end.fileno(), serial_end.fileno()),
                start_new_session=True,
            )
        except FileNotFoundError:
            raise missing_program(board.qemu, board.qemu_package) from None
        finally:
            os.close(initrd)
            plugin_end.close()
            serial_end.close()
        machine = cls(process, control, serial, errors, board, self_trigger=self_trigger)
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
        report = GuestReport(now_ns, [*_WRITE.iter_unpack(writes)], late_ns)
        rising += self._follow(report.writes)
        if interrupts - rising > _STORM_INTERRUPTS or controls > _STORM_CONTROL:
            raise BenchError(
                f"interrupt storm in the guest: {interrupts} interrupts for {rising} edges and "
                f"{controls} writes to the port's control register up to {now_ns} ns"
            )
        return report

    def _follow(self, writes: Sequence[tuple[int, int]]) -> int:
        """Keep the pins' levels; return how often the trigger pin rose, if it is wired."""
        rising = 0
        for _, data in writes:
            rising += bool(data & ~self.data & self._trigger_mask)
            self.data = data
        return rising

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
        """Return the error of a machine that gave no answer; end it if it hangs."""
        if isinstance(error, BlockingIOError | TimeoutError):
            self._process.kill()
            self._process.wait()
            return BenchError(f"{self.board.qemu} (pid {self.pid}) does not answer; it was ended")
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
        return BenchError(
            f"{self.board.qemu} (pid {self.pid}) {how}" + (f": {words}" if words else "")
        )


def _command(image: GuestImage, plugin: str, initrd: int, serial: int) -> list[str]:
    board = image.board
    several = _SEVERAL_OPTIONS if image.processors > 1 else ""
    return [
        board.qemu,
        *("-accel", "tcg", *board.machine, "-m", str(_MEMORY_MIB)),
        *("-smp", str(image.processors)),
        *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
        *("-icount", "shift=2,sleep=off", "-rtc", "base=2020-01-01,clock=vm", "-seed", "1"),
        *("-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"),
        *("-chardev", f"socket,id=agent,fd={serial}", *board.link),
        *("-kernel", str(image.vmlinux), "-initrd", f"/dev/fd/{initrd}"),
        *("-append", f"console={board.console} {_KERNEL_OPTIONS}{several} {image.options}"),
        *("-plugin", plugin),
    ]


def _in_option(path: Path) -> str:
    """Return a path as an option's text, where a comma would end it and two of them are one."""
    return str(path).replace(",", ",,")


def _check_qemu(board: MachineBoard) -> None:
    try:
        text = subprocess.run(
            [board.qemu, "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except FileNotFoundError:
        raise missing_program(board.qemu, board.qemu_package) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{board.qemu} cannot be run ({error})") from None
    found = re.search(r"version (\d+\.\d+)", text)
    if found is None or found[1] != QEMU_SERIES:
        raise InputError(
            f"{board.qemu} is of version {found[1] if found else 'unknown'}, but the guest's "
            f"plugin is made for {QEMU_SERIES}; install Debian 12's {board.qemu_package}"
        )
