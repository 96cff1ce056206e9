# SPDX-License-Identifier: GPL-3.0-or-later
"""The emulated stimulus microcontroller, run in lockstep: nothing happens but in granted time.

The frames are described in firmware/emulator/README.md; firmware/emulator/src/lockstep.c is the
other end. All times are cycles of the microcontroller's clock since its reset.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from rig.closing import Closing
from rig.config.virtual.serial_line import SerialFaults
from rig.errors import BenchError, InputError, RigError
from rig.instruments import Int64Array
from rig.stimulus.chip import StimulusChip
from rig.virtual.wired_target import AnswersAhead

INPUTS_MAX = 4096
"""The number of response edges that one grant can carry."""

ANSWERS_MAX = 4096
"""The number of answers decided ahead that one grant can carry."""

_GRANT = struct.Struct("<4sHHQII")
_REPORT = struct.Struct("<4sBBHQQQ")
_EDGE = struct.Struct("<QBB6x")
_ANSWERS = struct.Struct("<QQQHBB4x")
_ROWS = np.dtype([("time", "<i8"), ("line", "u1"), ("level", "u1"), ("padding", "u1", 6)])
_STIMULUS_LINE, _ANSWER_LINE = 0, 1
_EDGES_MAX = 4096
_RECEIVE_MAX = _REPORT.size + _EDGES_MAX * _EDGE.size

_STOP_RISING, _STOP_FALLING, _HOLD, _ANSWERS_FOLLOW = 1, 2, 4, 8
_ARMED, _TRANSMITTING, _HOST_TURN, _PENDING_INPUT = 1, 2, 4, 8

_EXIT_BAD_INPUT = 2
_START_TIMEOUT_S = 10.0
_CLOSE_TIMEOUT_S = 2.0


class StopReason(IntEnum):
    """The reason why the microcontroller stopped."""

    LIMIT = 0
    """The granted time has passed."""
    EDGE = 1
    """A stimulus edge to stop at was seen, or the report is full: `cycle` may be short of the
    grant."""
    HOLD = 2
    """It was the host's turn to speak on the serial line, and it did not in `hold_ms`."""


_REASONS = tuple(StopReason)


def _fault_options(faults: SerialFaults | None, seed: int) -> tuple[str, ...]:
    if faults is None:
        return ()
    lose_ppb, damage_ppb = (round(1e9 * each) for each in (faults.lose, faults.damage))
    return f"--lose-ppb={lose_ppb}", f"--damage-ppb={damage_ppb}", f"--line-seed={seed}"


def _answers_frame(answers: AnswersAhead, clock_ppb: int) -> bytes:
    latency_ps = answers.latency_ps[:ANSWERS_MAX]
    head = _ANSWERS.pack(
        clock_ppb,
        answers.free_ps,
        answers.apart_ps,
        len(latency_ps),
        int(answers.rising),
        answers.level,
    )
    return head + latency_ps.astype("<i8", copy=False).tobytes()


@dataclass(frozen=True, slots=True)
class EmulatorReport:
    """What happened in the granted time."""

    cycle: int
    """Now; at most one instruction past the grant or past the edge that ended it."""
    reason: StopReason
    train_armed: bool
    """The compare interrupt of the stimulus pin is enabled."""
    transmitting: bool
    """The firmware is sending, or the host has not taken all it sent."""
    host_turn: bool
    """The firmware has read and answered everything, and waits for the host."""
    pending_input: bool
    """The host has sent bytes that the firmware has not read yet."""
    bytes_from_host: int
    bytes_to_host: int
    rows: npt.NDArray[Any]
    """The events on the lines since the last report, as the frame has them."""

    @property
    def edges(self) -> list[tuple[int, int]]:
        """(cycle, level) of each edge on the stimulus pin since the last report, in order."""
        if not len(self.rows):
            return []
        cycles, levels = self.stimuli
        return list(zip(cycles.tolist(), levels.tolist(), strict=True))

    @property
    def stimuli(self) -> tuple[Int64Array, npt.NDArray[np.uint8]]:
        """Cycles and levels of the same edges."""
        rows = self.rows[self.rows["line"] == _STIMULUS_LINE]
        return rows["time"], rows["level"]

    @property
    def answers_ps(self) -> Int64Array:
        """True times of the answers that were decided ahead and taken, one an interrupt."""
        return np.asarray(self.rows["time"][self.rows["line"] == _ANSWER_LINE])


class Emulator(Closing):
    """The emulator program as a child process. A context manager; `close` may be called twice."""

    def __init__(
        self, process: subprocess.Popen[bytes], control: socket.socket, firmware: Path
    ) -> None:
        self._process = process
        self._control = control
        self._firmware = firmware
        self.pid = process.pid
        self.pty = ""
        """Name of the serial port, to be opened like any other."""

    @classmethod
    def start(
        cls,
        binary: Path,
        firmware: Path,
        *,
        chip: StimulusChip | None = None,
        response_delay_cycles: int = 0,
        line_faults: SerialFaults | None = None,
        line_seed: int = 0,
        patience_s: float = 120.0,
    ) -> Self:
        """Start the emulator with the firmware in reset, at cycle 0.

        `chip`: what the firmware is for; None: what the emulator takes by itself.
        Response edges reach the pin `response_delay_cycles` late, captured with their own cycle:
        for a partner that learns of them only when they are past. The serial line has the faults
        that are given, drawn from the seed. A grant that is not answered
        within `patience_s` of wall time is taken for a hang.

        Raises InputError if the firmware file is missing or wrong or the chip cannot be emulated,
        BenchError if the emulator is
        not built or does not start.
        """
        ours, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(
                [
                    os.fspath(binary),
                    f"--firmware={os.fspath(firmware)}",
                    "--mode=lockstep",
                    f"--control-fd={theirs.fileno()}",
                    f"--response-delay-cycles={response_delay_cycles}",
                    *(
                        ()
                        if chip is None
                        else (f"--mcu={chip.name}", f"--clock-hz={chip.clock_hz}")
                    ),
                    *_fault_options(line_faults, line_seed),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise BenchError(
                f"{binary}: the microcontroller emulator cannot be started ({error.strerror}); "
                "build it with `make`"
            ) from error
        finally:
            theirs.close()
        emulator = cls(process, ours, firmware)
        try:
            emulator._await_pty()
            # A time limit of the kernel's costs nothing per call, unlike socket.settimeout.
            limit = struct.pack("@ll", int(patience_s), int(patience_s % 1 * 1e6))
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        except BaseException:
            emulator.close()
            raise
        return emulator

    def run(
        self,
        until_cycle: int,
        *,
        inputs: Sequence[tuple[int, int, int]] = (),
        stop_rising: bool = False,
        stop_falling: bool = False,
        hold_ms: int = 0,
        hold_after_cycles: int = 0,
        answers: AnswersAhead | None = None,
        clock_ppb: int = 10**9,
    ) -> EmulatorReport:
        """Let virtual time go on to `until_cycle`, or to the first stimulus edge to stop at.

        `inputs` are edges on the response line, (cycle, line, level) with line 0, kept over grants
        and fed at their cycles. With `hold_ms` virtual time stands for up to so much wall time once
        it is the host's turn to speak and `hold_after_cycles` have passed since the firmware's last
        byte; after a hold in vain there is none until the host has spoken. An interrupt that finds
        none of the `answers` left ends the grant; their times are true if `clock_ppb`, parts of
        10^9 of the nominal rate, is what the chip's clock runs at.

        Raises BenchError if the emulator died, hangs or refuses the grant.
        """
        flags = (
            (_STOP_RISING if stop_rising else 0)
            | (_STOP_FALLING if stop_falling else 0)
            | (_HOLD if hold_ms else 0)
            | (_ANSWERS_FOLLOW if answers else 0)
        )
        grant = _GRANT.pack(b"GRNT", flags, len(inputs), until_cycle, hold_ms, hold_after_cycles)
        if inputs:
            grant += b"".join([_EDGE.pack(*edge) for edge in inputs])
        if answers:
            grant += _answers_frame(answers, clock_ppb)
        try:
            self._control.sendall(grant)
            answer = self._control.recv(_RECEIVE_MAX)
            if len(answer) < _REPORT.size:
                answer = self._receive_rest(answer, _REPORT.size)
            magic, reason, state, n_edges, cycle, from_host, to_host = _REPORT.unpack_from(answer)
            size = _REPORT.size + n_edges * _EDGE.size
            if len(answer) < size <= _RECEIVE_MAX:
                answer = self._receive_rest(answer, size)
        except OSError as error:
            raise self._failure(error) from error
        if magic != b"RPRT" or reason >= len(_REASONS) or len(answer) != size:
            raise BenchError(
                f"the microcontroller emulator (pid {self.pid}) sent a malformed report; "
                "rebuild it with `make`, it may be of another version"
            )
        return EmulatorReport(
            cycle,
            _REASONS[reason],
            state & _ARMED != 0,
            state & _TRANSMITTING != 0,
            state & _HOST_TURN != 0,
            state & _PENDING_INPUT != 0,
            from_host,
            to_host,
            np.frombuffer(answer, _ROWS, n_edges, _REPORT.size),
        )

    def close(self) -> None:
        """End the emulator and reap it. Also wakes a `run` that waits in another thread."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._exit_status()
        self._control.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _await_pty(self) -> None:
        """Read the first line of standard output, the name of the serial port."""
        output: IO[bytes] | None = self._process.stdout
        assert output is not None  # noqa: S101 - it was asked for as a pipe
        end = time.monotonic() + _START_TIMEOUT_S
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([output], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(output.fileno(), 256) if ready else b""
            if not piece:
                raise self._failure(None if ready else TimeoutError("no answer"))
            line += piece
        word, _, name = line.decode("ascii", "replace").strip().partition(" ")
        if word != "PTY" or not name.startswith("/dev/"):
            raise BenchError(f"the microcontroller emulator began with {line[:80]!r}, not its port")
        self.pty = name

    def _receive_rest(self, answer: bytes, size: int) -> bytes:
        while len(answer) < size:
            piece = self._control.recv(size - len(answer))
            if not piece:
                raise ConnectionResetError("end of the control socket")
            answer += piece
        return answer

    def _exit_status(self) -> int:
        """Wait for the end; kill what does not end by itself once its socket is closed."""
        try:
            return self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _failure(self, error: OSError | None) -> RigError:
        """Return the error of an emulator that gave no answer; end it if it hangs."""
        if isinstance(error, BlockingIOError | TimeoutError):
            self._process.kill()
            self._process.wait()
            return BenchError(
                f"the microcontroller emulator (pid {self.pid}) does not answer; "
                "does the host read its serial port? It was ended"
            )
        status = self._exit_status()
        says = self._last_words()
        if status == _EXIT_BAD_INPUT and says:
            return InputError(says)
        how = (
            f"was killed by {signal.Signals(-status).name}"
            if status < 0
            else f"ended with exit status {status}"
        )
        return BenchError(
            f"the microcontroller emulator (pid {self.pid}, firmware {self._firmware.name}) {how}"
            + (f": {says}" if says else "")
        )

    def _last_words(self) -> str:
        errors = self._process.stderr
        if errors is None or errors.closed:
            return ""
        lines = errors.read().decode(errors="replace").splitlines()
        return lines[0].removeprefix("rig-emulator: ") if lines else ""
