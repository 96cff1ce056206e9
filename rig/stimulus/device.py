# SPDX-License-Identifier: GPL-3.0-or-later
"""The stimulus microcontroller on a serial port."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Self, TypeVar

import numpy as np

from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import CaptureBlock, StimulusIdentity, StimulusState, StimulusStatus
from rig.stimulus.chip import StimulusChip, described
from rig.stimulus.link import DamagedReplyError, ScpiLink
from rig.stimulus.train import Train

T = TypeVar("T")

MAKER = "Latency Rig"
MODEL = "Stimulus"
GREETING = f"{MAKER},{MODEL}"
INTERFACE_LEVEL = 2
"""The interface level that this host uses; firmware/PROTOCOL.md describes it."""

_BLOCK_HEADER = struct.Struct("<BBHIQ")  # version, flags, count, first, now
_EDGE = np.dtype("<u4")
_BLOCK_VERSION = 1
_TICKS_MAX = 2**63 - 1
"""The most ticks, 36,000 years: more does not fit the arrays of ticks."""
_FLAG_RUNNING = 0x01

ATTEMPTS = 10
"""So many replies in a row may be damaged on the serial line."""
_AGAIN = "FETC? AGAIN"
_COMMAND_ERROR, _LINE_ERROR = "-1", "-36"
"""How SCPI errors begin of lines that were not understood, and so not executed."""


class SerialStimulus(Closing):
    """The `Stimulus` of rig/instruments.py over a serial link. Use `open`."""

    identity: StimulusIdentity

    def __init__(self, link: ScpiLink, chip: StimulusChip, ready_timeout_s: float) -> None:
        self._link, self._chip = link, chip
        self._next_capture = 0
        link.synchronize(ready_timeout_s)
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
        link = ScpiLink(port, GREETING)
        try:
            return cls(link, chip, ready_timeout_s)
        except BaseException:
            link.close()
            raise

    def _identify(self) -> StimulusIdentity:
        port, chip = self._link.port, self._chip
        fields = self._twice(lambda: self._ask("*IDN?", _identity, "stimulus"))
        level = self._twice(lambda: self._ask("SYST:INT?", _number, "number"))
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
        said = self._twice(lambda: self._retried(lambda: self._link.query_if_known("SYST:CHIP?")))
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
        settings: list[tuple[str, object]] = [
            ("SOUR:PATT", train.pattern),
            ("SOUR:COUN", train.count),
            ("SOUR:SEED", train.seed),
            ("SOUR:DEL", train.delay_ticks),
            ("SOUR:PULS:WIDT", train.width_ticks),
            ("SOUR:POL", train.polarity),
        ]
        settings += [(each.header, getattr(train, each.field)) for each in train.shape.parameters]
        for header, value in settings:
            self._set(header, value)

    def start(self) -> None:
        """INIT: the train begins, tick 0 is now.

        Raises:
            BenchError: the firmware refuses the parameters together, or a train is running.
        """
        for _ in range(ATTEMPTS):
            try:
                error = self._link.outcome("INIT")
            except DamagedReplyError:
                self._link.resynchronize()
                state = self.status().state
                if state is StimulusState.DONE:  # of this train, or the one before?
                    raise
                error = "" if state is StimulusState.RUNNING else _LINE_ERROR
            if not error:
                break
            self._refuse_unless_damaged("INIT", error)
        self._next_capture = 0

    def fetch(self, minimum: int, timeout_ms: int) -> CaptureBlock:
        """Wait, on the firmware's clock, for `minimum` captured edges or the time; return them.

        Ticks are extended to 64 bits from the time of the reply: an edge must be fetched within
        2**32 ticks (268 s).

        Raises:
            BenchError: no reply, or one that is damaged.
        """
        line = f"FETC? {min(minimum, self._chip.captures)},{timeout_ms}"
        first_error: BenchError | None = None
        for damaged in range(ATTEMPTS):
            try:
                # An emulated firmware may run slower than the wall clock.
                payload = self._link.query_block(line, wait_s=5 * timeout_ms / 1000)
            except DamagedReplyError as error:
                line, first_error = _AGAIN, first_error or error
            else:
                return self._not_seen_before(self._parse_block(payload), damaged)
        raise BenchError(f"{first_error}; {ATTEMPTS} replies in a row were damaged")

    def _not_seen_before(self, block: CaptureBlock, damaged: int) -> CaptureBlock:
        """Return the edges behind those of the block before, and how many are missing between.

        What is asked for again comes twice if it was the query that got lost.
        """
        twice = max(0, self._next_capture - block.first) if damaged else 0
        first = block.first + twice
        lost = max(0, first - self._next_capture)
        self._next_capture = first + len(block.ticks[twice:])
        return replace(block, first=first, ticks=block.ticks[twice:], lost=lost, damaged=damaged)

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
        found = self._ask("STAT?", _status, "status")
        if found.state is StimulusState.RUNNING:
            return found
        return self._twice(lambda: self._ask("STAT?", _status, "status"), _counted)

    def ticks(self) -> int:
        """Return the chip's clock now: ticks since the last train's start, or since its reset.

        Raises:
            BenchError: no reply, or one that is none.
        """
        return self._ask("STAT?", _status, "status").now_ticks

    def abort(self) -> None:
        """Stop the train. The pin returns to its idle level.

        Raises:
            BenchError: the serial line is gone.
        """
        for _ in range(ATTEMPTS):
            error = self._retried(lambda: self._link.outcome("ABOR"))
            if not error:
                break
            self._refuse_unless_damaged("ABOR", error)

    def close(self) -> None:
        """Stop the train as far as possible and close the port. May be called twice."""
        self._link.close()

    def _set(self, header: str, value: object) -> None:
        """Change a setting until it is read back as asked for."""
        line, errors = f"{header} {value}", ""
        for _ in range(ATTEMPTS):
            error = self._retried(lambda: self._link.outcome(line))
            if not error and self._retried(lambda: self._link.query(f"{header}?")) == str(value):
                return
            if error and error == errors:
                break  # twice the same: it was not the line
            errors = error
            self._link.resynchronize()
        raise BenchError(
            f"{self._link.port}: the stimulus refused {line!r}: {errors or 'it keeps another'}"
        )

    def _refuse_unless_damaged(self, line: str, error: str) -> None:
        if not error.startswith((_COMMAND_ERROR, _LINE_ERROR)):
            raise BenchError(f"{self._link.port}: the stimulus refused {line!r}: {error}")
        self._link.resynchronize()

    def _retried(self, exchange: Callable[[], T]) -> T:
        """Make an exchange that may be repeated, until its reply is not damaged."""
        for _ in range(ATTEMPTS):
            try:
                return exchange()
            except DamagedReplyError as error:
                last = error
                self._link.resynchronize()
        raise last

    def _twice(self, ask: Callable[[], T], key: Callable[[T], object] = lambda said: said) -> T:
        """Ask until the answer is twice alike: a character may be damaged, but not twice so."""
        found = ask()
        for _ in range(ATTEMPTS):
            before, found = found, ask()
            if key(found) == key(before):
                break
        return found

    def _ask(self, line: str, read: Callable[[str], T], what: str) -> T:
        """Return what a query's answer says. Raises BenchError if it is not what it should be."""

        def exchange() -> T:
            reply = self._link.query(line)
            try:
                return read(reply)
            except ValueError:
                raise DamagedReplyError(
                    f"{self._link.port}: {line} was answered by {reply!r}, which is no {what}"
                ) from None

        return self._retried(exchange)


def _identity(reply: str) -> list[str]:
    fields = reply.split(",")
    if len(fields) != 4 or fields[0] != MAKER or not fields[1].startswith(MODEL):
        raise ValueError
    return fields


def _number(reply: str) -> int:
    if not reply.isascii() or not reply.isdigit():
        raise ValueError
    return int(reply)


def _status(reply: str) -> StimulusStatus:
    state, *numbers = reply.split(",")
    planned, sent, late, late_max, captured, overruns, now = map(int, numbers)
    return StimulusStatus(
        StimulusState(state), planned, sent, late, late_max, captured, overruns, now
    )


def _counted(status: StimulusStatus) -> StimulusStatus:
    """Return what does not change once a train has ended."""
    return replace(status, captured=0, capture_overruns=0, now_ticks=0)
