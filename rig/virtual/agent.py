# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual target's agent: the line protocol of targets/PROTOCOL.md on a loopback socket."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable

from rig import __version__
from rig.analysis.model.task_set import parse_task_set
from rig.closing import Closing
from rig.config.virtual.processor import CpuFrequency
from rig.measurements.measurement import DEADLINE
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.target.protocol import (
    LOG_CHUNK,
    LOG_FORMAT,
    MAX_LINE,
    ProtocolError,
    encode_log_block,
    fields,
    number,
)
from rig.virtual.frequency import FrequencyControl
from rig.virtual.target import ModelledTarget

MEASUREMENTS = ("interrupt", "interrupt_to_task", "period", *SELF_MEASUREMENTS)
"""The measurements of a model; it has no task that an interrupt could interrupt."""
_LOOK_S = 0.01
_RESERVED_MAX = 0.95
"""The share of its time that the processor gives to tasks by deadlines, as Linux does."""


class AgentServer(Closing):
    """Serves one host at a time, on a thread of its own."""

    def __init__(
        self,
        target: ModelledTarget,
        tick_hz: int,
        environment: dict[str, object],
        frequency: FrequencyControl | None = None,
    ) -> None:
        """`frequency`: of its processor; None: the usual one, of one core."""
        self._target, self._tick_hz, self._environment = target, tick_hz, environment
        usual = FrequencyControl(CpuFrequency(), 1, target.set_counter_rate)
        self._frequency = frequency or usual
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._commands: dict[str, Callable[[str], bytes]] = {
            "HELLO": self._hello,
            "ENV": self._env,
            "CHECK": self._check,
            "ARM": self._arm,
            "AWAIT": self._await,
            "STOP": self._stop,
            "LOG": self._log,
            "PULSE": self._pulse,
            "FREQUENCY": lambda rest: _ok(self._frequency.answer(rest)),
        }
        self._policy = self._interrupt_cpu = ""
        self._closed = False
        self._host: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, name="agent", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving; may be called twice."""
        self._closed = True
        for connection in (self._listener, self._host):
            if connection is not None:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
        self._thread.join(2)

    def _serve(self) -> None:
        while not self._closed:
            try:
                self._host, _ = self._listener.accept()
            except OSError:
                return
            with self._host, contextlib.suppress(OSError):
                self._talk(self._host)

    def _talk(self, host: socket.socket) -> None:
        try:
            self._answer_lines(host)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Release what the host holds, as it has gone."""
        if self._frequency.held_khz:
            self._target.stop()
            self._frequency.release()

    def _answer_lines(self, host: socket.socket) -> None:
        with host.makefile("rb") as lines:
            while line := lines.readline(MAX_LINE + 1):
                if not line.endswith(b"\n"):
                    host.sendall(f"ERR line longer than {MAX_LINE} bytes\n".encode())
                    return
                words = line.decode("ascii", "replace").split(maxsplit=1)
                if words and words[0] == "QUIT":
                    return
                host.sendall(self._reply(words))

    def _reply(self, words: list[str]) -> bytes:
        command, rest = words[0] if words else "", words[1] if len(words) > 1 else ""
        handler = self._commands.get(command)
        if handler is None:
            valid = " ".join([*self._commands, "QUIT"])
            return f"ERR unknown command {command!r}; valid: {valid}\n".encode()
        try:
            return handler(rest)
        except ValueError as error:
            return f"ERR {error}\n".encode()

    def _hello(self, _rest: str) -> bytes:
        self._let_go()
        return _ok(
            f" rig-virtual-agent version={__version__} log={LOG_FORMAT} tick_hz={self._tick_hz} "
            "check=1 frequency=1"
        )

    def _env(self, _rest: str) -> bytes:
        return _block(json.dumps(self._environment).encode())

    def _stop(self, _rest: str) -> bytes:
        end, course = self._target.stop(), self._frequency.course
        self._frequency.release()
        missed = "" if end.unanswered is None else f" unanswered={end.unanswered}"
        more = f" policy={self._policy}" if self._policy else ""
        if self._interrupt_cpu:
            more += f" interrupt=7 interrupt_cpus={self._interrupt_cpu}"
        return _ok(
            f" handled={end.handled} records={end.records} dropped={end.dropped}"
            f"{missed}{more}{course}"
        )

    def _check(self, rest: str) -> bytes:
        self._asked(rest)
        return _ok(f" records={self._target.log_records} streams=1")

    def _asked(self, rest: str) -> dict[str, str]:
        """Return the words of ARM. Raises ProtocolError."""
        pairs = fields(rest)
        if pairs.get("measurement") not in MEASUREMENTS:
            raise ProtocolError(
                f"measurement must be {' or '.join(MEASUREMENTS)} on a modelled target"
            )
        edge = pairs.get("edge", "rising")
        if edge not in ("rising", "falling"):
            raise ProtocolError("edge must be rising or falling")
        _admit(pairs)
        self._check_interrupt(pairs)
        return pairs

    def _check_interrupt(self, words: dict[str, str]) -> None:
        """Check where the interrupt is to be handled. Raises ProtocolError."""
        if "interrupt_priority" in words:
            raise ProtocolError("interrupt_priority: a modelled target has no thread of it")
        last = self._target.processors - 1
        if "interrupt_cpu" in words and number(words, "interrupt_cpu") > last:
            raise ProtocolError(f"interrupt_cpu is not there; 0 to {last} are")

    def _arm(self, rest: str) -> bytes:
        pairs = self._asked(rest)
        stream = pairs.get("stream") == "1"
        self._policy = pairs.get("policy", "")
        self._interrupt_cpu = pairs.get("interrupt_cpu", "")
        if pairs["measurement"] in SELF_MEASUREMENTS:
            self._target.arm_inside(
                pairs["measurement"], number(pairs, "capacity"), number(pairs, "sequence_bits"),
                pairs | {"count": str(number(pairs, "count"))},
            )  # fmt: skip
            return _ok()
        if pairs["measurement"] == "period":
            self._target.arm_periods(
                number(pairs, "capacity"),
                number(pairs, "sequence_bits"),
                period_ns=number(pairs, "period_ns"),
                count=number(pairs, "count"),
                stream=stream,
            )
            return _ok()
        self._target.arm(
            number(pairs, "capacity"),
            number(pairs, "sequence_bits"),
            rising=pairs.get("edge", "rising") == "rising",
            cpu=number(pairs, "cpu") if "cpu" in pairs else 0,
            stream=stream,
            words=pairs if "periodic" in pairs else None,
        )
        return _ok()

    def _await(self, rest: str) -> bytes:
        until_s = time.monotonic() + number({"AWAIT": rest.strip()}, "AWAIT") / 1000
        while not self._target.ended() and time.monotonic() < until_s:
            time.sleep(_LOOK_S)
        return _ok(f" ended={int(self._target.ended())}")

    def _pulse(self, rest: str) -> bytes:
        usual = {"signal": "", "count": "1", "width_us": "500", "sequence_bits": "0"}
        given = {**usual, **fields(rest)}
        if len(given) > len(usual):
            raise ProtocolError(f"unknown word; valid: {' '.join(usual)}")
        count, width_us, bits = (number(given, k) for k in ("count", "width_us", "sequence_bits"))
        self._target.pulse(given["signal"], count, width_us, bits)
        return _ok()

    def _log(self, rest: str) -> bytes:
        words = rest.split()
        if len(words) != 2:
            raise ProtocolError("LOG needs the first record and a count")
        first, count = (number({"LOG": word}, "LOG") for word in words)
        records = self._target.log(first, min(count, LOG_CHUNK))
        return _block(encode_log_block(first, self._tick_hz, records))


def _admit(words: dict[str, str]) -> None:
    """Check that the processor has time for tasks by deadlines. Raises ProtocolError."""
    if words.get("policy") != DEADLINE:
        return
    reserved = parse_task_set(words).reserved
    if "runtime_ns" in words:
        reserved = number(words, "runtime_ns") / (number(words, "period_ns") or 1)
    if reserved > _RESERVED_MAX:
        raise ProtocolError(
            f"policy deadline: the run times are {reserved:.1%} of the processor's time, of which "
            f"{_RESERVED_MAX:.0%} can be had: ask for less"
        )


def _ok(text: str = "") -> bytes:
    return f"OK{text}\n".encode()


def _block(data: bytes) -> bytes:
    return f"OK {len(data)}\n".encode() + data
