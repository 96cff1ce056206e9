# SPDX-License-Identifier: GPL-3.0-or-later
"""The stimulus microcontroller on a serial port."""

from __future__ import annotations

import struct
from typing import Self

import numpy as np

from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import CaptureBlock, StimulusIdentity, StimulusState, StimulusStatus
from rig.stimulus.chip import StimulusChip, described
from rig.stimulus.link import ScpiLink
from rig.stimulus.train import Train

MAKER = "Latency Rig"
MODEL = "Stimulus"
INTERFACE_LEVEL = 1
"""The interface level that this host uses; firmware/PROTOCOL.md describes it."""

_BLOCK_HEADER = struct.Struct("<BBHIQ")  # version, flags, count, first, now
_EDGE = np.dtype("<u4")
_BLOCK_VERSION = 1
_TICKS_MAX = 2**63 - 1
"""The most ticks, 36,000 years: more does not fit the arrays of ticks."""
_FLAG_RUNNING = 0x01


class SerialStimulus(Closing):
    """The `Stimulus` of rig/instruments.py over a serial link. Use `open`."""

    identity: StimulusIdentity

    def __init__(self, link: ScpiLink, chip: StimulusChip, ready_timeout_s: float) -> None:
        self._link, self._chip = link, chip
        link.synchronize(ready_timeout_s, f"{MAKER},{MODEL}")
        self.identity = self._identify()

    @classmethod
    def open(cls, port: str, chip: StimulusChip, ready_timeout_s: float = 6.0) -> Self:
        """Open the port and wait for the firmware.

        Args:
            port: the serial port's device file.
            chip: what is expected there.
            ready_timeout_s: opening the port resets an Arduino, whose boot loader then takes up
                to two seconds.

        Raises:
            BenchError: the port cannot be opened, nothing or something else answers, or the
                firmware speaks another interface level or is of another chip.
        """
        link = ScpiLink(port)
        try:
            return cls(link, chip, ready_timeout_s)
        except BaseException:
            link.close()
            raise

    def _identify(self) -> StimulusIdentity:
        port, chip = self._link.port, self._chip
        reply = self._link.query("*IDN?")
        fields = reply.split(",")
        if len(fields) != 4 or fields[0] != MAKER or not fields[1].startswith(MODEL):
            raise BenchError(f"{port}: *IDN? was answered by {reply!r}, which is no stimulus")
        level = self._number("SYST:INT?")
        if level != INTERFACE_LEVEL:
            raise BenchError(
                f"{port}: firmware {fields[3]} speaks interface level {level}, this host level "
                f"{INTERFACE_LEVEL}; {chip.how_to_flash}"
            )
        maker, model, serial, firmware = fields
        self._compare(firmware)
        return StimulusIdentity(maker, model, serial, firmware, level, chip.clock_hz)

    def _compare(self, firmware: str) -> None:
        """Check that the chip is the one of the fixture, and can do what the rig expects."""
        port, chip = self._link.port, self._chip
        said = self._link.query_if_known("SYST:CHIP?")
        if said is None:
            raise BenchError(
                f"{port}: firmware {firmware} does not say what its chip can do; "
                f"{chip.how_to_flash}"
            )
        try:
            differences = chip.differences(described(said))
        except ValueError as error:
            raise BenchError(f"{port}: SYST:CHIP? was answered by {said[:80]!r}: {error}") from None
        if differences:
            raise BenchError(
                f"{port}: firmware {firmware} is not the one that this rig has for chip "
                f"{chip.name}: {'; '.join(differences)}; {chip.how_to_flash}, or correct the "
                "fixture's [stimulus] chip"
            )

    def configure(self, train: Train) -> None:
        """Send the train's parameters.

        Raises:
            BenchError: the firmware refuses one; the text has its SCPI error.
        """
        lines = [
            f"SOUR:PATT {train.pattern}",
            f"SOUR:COUN {train.count}",
            f"SOUR:SEED {train.seed}",
            f"SOUR:DEL {train.delay_ticks}",
            f"SOUR:PULS:WIDT {train.width_ticks}",
            f"SOUR:POL {train.polarity}",
        ]
        lines += [f"{each.header} {getattr(train, each.field)}" for each in train.shape.parameters]
        for line in lines:
            self._link.command(line)

    def start(self) -> None:
        """INIT: the train begins, tick 0 is now.

        Raises:
            BenchError: the firmware refuses the parameters together, or a train is running.
        """
        self._link.command("INIT")

    def fetch(self, minimum: int, timeout_ms: int) -> CaptureBlock:
        """Wait, on the firmware's clock, for `minimum` captured edges or the time; return them.

        Ticks are extended to 64 bits from the time of the reply: an edge must be fetched within
        2**32 ticks (268 s).

        Raises:
            BenchError: no reply, or one that is damaged.
        """
        line = f"FETC? {min(minimum, self._chip.captures)},{timeout_ms}"
        # An emulated firmware may run slower than the wall clock.
        payload = self._link.query_block(line, wait_s=5 * timeout_ms / 1000)
        return self._parse_block(payload)

    def _parse_block(self, payload: bytes) -> CaptureBlock:
        if len(payload) < _BLOCK_HEADER.size or payload[0] != _BLOCK_VERSION:
            raise BenchError(f"{self._link.port}: FETC? gave a block of another format")
        _, flags, count, first, now_ticks = _BLOCK_HEADER.unpack_from(payload)
        if len(payload) != _BLOCK_HEADER.size + count * _EDGE.itemsize:
            raise BenchError(
                f"{self._link.port}: FETC? announced {count} edges in a block of {len(payload)} "
                "bytes"
            )
        if now_ticks > _TICKS_MAX:
            raise BenchError(f"{self._link.port}: FETC? says that {now_ticks} ticks have passed")
        low = np.frombuffer(payload, dtype=_EDGE, offset=_BLOCK_HEADER.size)
        age = np.uint32(now_ticks & 0xFFFFFFFF) - low  # modulo 2**32
        ticks = now_ticks - age.astype(np.int64)
        return CaptureBlock(first, ticks, bool(flags & _FLAG_RUNNING))

    def status(self) -> StimulusStatus:
        """Return the firmware's own status of the train.

        Raises:
            BenchError: no reply, or one that is none.
        """
        reply = self._link.query("STAT?")
        state, *numbers = reply.split(",")
        try:
            planned, sent, late, late_max, captured, overruns, now = map(int, numbers)
            return StimulusStatus(
                StimulusState(state), planned, sent, late, late_max, captured, overruns, now
            )
        except ValueError as error:
            raise BenchError(
                f"{self._link.port}: STAT? was answered by {reply!r}, which is no status"
            ) from error

    def abort(self) -> None:
        """Stop the train. The pin returns to its idle level.

        Raises:
            BenchError: the serial line is gone.
        """
        self._link.command("ABOR")

    def close(self) -> None:
        """Stop the train as far as possible and close the port. May be called twice."""
        self._link.close()

    def _number(self, line: str) -> int:
        reply = self._link.query(line)
        if not reply.isascii() or not reply.isdigit():
            raise BenchError(
                f"{self._link.port}: {line} was answered by {reply!r}, which is no number"
            )
        return int(reply)
