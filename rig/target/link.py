# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent over a byte stream: one line asked, one line or block answered."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Self

from rig.closing import Closing
from rig.errors import RefusedError
from rig.instruments import ArmOptions, LogArray, LogRoom, TargetIdentity, TargetSummary
from rig.target.frequency import frequency_course
from rig.target.protocol import (
    FURTHER_COUNTS,
    LOG_CHUNK,
    LOG_FORMATS,
    MAX_BLOCK,
    MAX_ENVIRONMENT,
    WORD_MAX,
    ProtocolError,
    decode_log_block,
    fields,
    number,
)
from rig.target.stream import ByteStream, SocketStream
from rig.target.wire import REPLY_TIMEOUT_S, AgentExchange
from rig.untrusted.json_reader import json_value

_GREETING = re.compile(r"OK (\S+ version=\S* log=[0-9]+ tick_hz=[0-9]+.*)")
_ACCOUNT = re.compile(r"OK (handled=.*)")
_PROCESS_S = 0.2
_MAY_BE_REFUSED = ("CHECK ", "ARM ", "FREQUENCY ", "LOAD START", "LOAD RUN")
"""The beginnings of lines that an agent refuses if the target cannot do what is asked."""
_NOTHING: Mapping[str, str] = MappingProxyType({})


class AgentLink(Closing):
    """A target whose agent is reached over a stream. Implements `rig.instruments.Target`."""

    identity: TargetIdentity

    def __init__(self, stream: ByteStream) -> None:
        """Create a link that has not greeted yet; use `over` for one that has."""
        self._wire = AgentExchange(stream)
        self._exchange = threading.Lock()
        """Held from a line to the end of its answer: a log may be read on another thread."""
        self.greeting = _NOTHING
        """All that the agent said of itself: counter, port, measurements and so on."""
        self.account = _NOTHING
        """All that the agent counted, as it answered the last `stop`."""

    @classmethod
    def open(cls, host: str, port: int) -> Self:
        """Connect over TCP and greet. Raises BenchError if no agent answers."""
        return cls.over(SocketStream.connect(host, port))

    @classmethod
    def over(cls, stream: ByteStream) -> Self:
        """Greet the agent at the other end of a stream, which is closed with the link.

        Raises BenchError if no agent answers; the stream is closed then.
        """
        agent = cls(stream)
        try:
            agent.identity = agent._hello()
        except BaseException:
            agent.close()
            raise
        return agent

    @property
    def name(self) -> str:
        """The name of the peer, such as `tcp:HOST:PORT`."""
        return self._wire.name

    def _hello(self) -> TargetIdentity:
        name, _, rest = self._greeted().partition(" ")
        with self._speaking():
            pairs = fields(rest)
            identity = TargetIdentity(
                name,
                pairs.get("version", ""),
                number(pairs, "log"),
                number(pairs, "tick_hz"),
                pairs.get("port", ""),
            )
            if identity.tick_hz == 0:
                raise ProtocolError("field tick_hz is 0, not a rate")
        if identity.log_format not in LOG_FORMATS:
            known = " and ".join(map(str, LOG_FORMATS))
            raise self._wire.error(
                f"its agent writes log format {identity.log_format}, this rig reads {known}; "
                "deploy the agent that came with this rig"
            )
        self.greeting = MappingProxyType(pairs)
        return identity

    def _greeted(self) -> str:
        """Return the agent's greeting, found among what others may send before it."""
        stream = self._wire.stream
        if not stream.strangers_first:
            return self._ask("HELLO")
        reply = self._wire.ask_until("HELLO", _GREETING, stream.greeting_timeout_s)
        if stream.may_lose:
            # It may have been asked several times. Answers keep their order: this one is the last.
            self._wire.ask_until("STOP", _ACCOUNT, stream.greeting_timeout_s)
        return reply

    def environment(self) -> dict[str, object]:
        """Return kernel, clock source, governor and so on, as the agent reports them."""
        block = self._block("ENV", MAX_ENVIRONMENT)
        with self._speaking():
            try:
                value = json_value(block)
            except RecursionError:
                raise ProtocolError("environment is nested too deeply") from None
            if not isinstance(value, dict):
                raise ProtocolError("environment is not a JSON object")
            return value

    def arm(self, options: ArmOptions) -> None:
        """Prepare: allocate the log, attach the handler. Answers count from here."""
        stream = " stream=1" if options.stream else ""
        self._ask(f"ARM {_words_of(options)}{stream}", _arm_timeout_s(options))

    def check(self, options: ArmOptions) -> LogRoom | None:
        """Return the room for a log; None if the agent, an older one, does not tell.

        Raises RefusedError in the agent's words if it could not be armed with these options.
        """
        if "check" not in self.greeting:
            return None
        reply = self._ask(f"CHECK {_words_of(replace(options, capacity=1))}")
        with self._speaking():
            pairs = fields(reply)
            room, streams = number(pairs, "records"), number(pairs, "streams") != 0
        return LogRoom(room, streams, self._wire.stream.bytes_per_s)

    def ended(self, timeout_ms: int) -> bool:
        """Return whether a measurement inside the target has ended; wait so long for that."""
        reply = self._ask(f"AWAIT {timeout_ms}")
        with self._speaking():
            return number(fields(reply), "ended") != 0

    def stop(self) -> TargetSummary:
        """Detach the handler; the log stays until the next ARM."""
        reply = self._ask("STOP")
        with self._speaking():
            pairs = fields(reply)
            self.account = MappingProxyType(pairs)
            return TargetSummary(
                handled=number(pairs, "handled"),
                records=number(pairs, "records"),
                dropped=number(pairs, "dropped"),
                **{name: number(pairs, name) for name in FURTHER_COUNTS if name in pairs},
                policy=pairs.get("policy", "")[:WORD_MAX],
                interrupt=_interrupt(pairs),
                frequency=frequency_course(pairs),
            )

    def pulse(self, signal: str, count: int, sequence_bits: int, width_us: int = 500) -> None:
        """Bring all answering pins low, then give one so many pulses. Not while armed.

        Raises BenchError in the agent's words if it cannot.
        """
        self._ask(
            f"PULSE signal={signal} count={count} width_us={width_us} sequence_bits={sequence_bits}"
        )

    def load(self, words: str) -> Mapping[str, str]:
        """Send `START NAME`, `STATE` or `STOP` for a load; return its state. Not while armed.

        Raises BenchError in the agent's words if it cannot.
        """
        reply = self._ask(f"LOAD {words}")
        with self._speaking():
            return fields(reply)

    def frequency(self, words: str) -> Mapping[str, str]:
        """Send `STATE cpu=N`, `HOLD cpu=N khz=F` or `RELEASE`; return the processor's state.

        Not while armed. Raises RefusedError in the agent's words if it cannot.
        """
        reply = self._ask(f"FREQUENCY {words}")
        with self._speaking():
            return fields(reply)

    def tool(self, words: str) -> Mapping[str, str]:
        """Send `LIST`, `START name=...`, `STATE` or `STOP` for a tool. Not while armed.

        Raises BenchError in the agent's words if it cannot.
        """
        reply = self._ask(f"TOOL {words}")
        with self._speaking():
            return fields(reply)

    def tool_output(self) -> bytes:
        """Return what the last tool printed, once it has ended. Raises BenchError."""
        return self._block("TOOL READ", MAX_ENVIRONMENT)

    def log(self, first: int, count: int) -> LogArray:
        """Return up to `count` records from number `first`, dtype LOG_RECORD; fewer at the end."""
        count = min(count, LOG_CHUNK)
        block = self._block(f"LOG {first} {count}", MAX_BLOCK)
        with self._speaking():
            records = decode_log_block(block, first)
            if len(records) > count:
                raise ProtocolError(f"log block of {len(records)} records, asked for {count}")
            return records

    def close(self) -> None:
        """Close the stream; may be called twice and never raises."""
        self._wire.close()

    # --- one exchange -----------------------------------------------------------------------

    def _ask(self, line: str, timeout_s: float = REPLY_TIMEOUT_S) -> str:
        with self._exchange:
            return self._asked(line, timeout_s)

    def _asked(self, line: str, timeout_s: float = REPLY_TIMEOUT_S) -> str:
        self._wire.send(line)
        reply = self._wire.line(timeout_s)
        if reply == line and self._wire.stream.strangers_first:
            reply = self._wire.line()  # a terminal on the way echoes what is typed
        status, _, rest = reply.partition(" ")
        if status == "OK":
            return rest
        error = self._wire.error(f"{line.split()[0]} refused: {rest or status}")
        raise RefusedError(str(error)) if line.startswith(_MAY_BE_REFUSED) else error

    def _block(self, line: str, size_max: int) -> bytes:
        with self._exchange:
            length = self._asked(line)
            with self._speaking():
                size = number({"length": length}, "length")
                if size > size_max:
                    raise ProtocolError(f"block of {size} bytes, over the limit of {size_max}")
            return self._wire.bytes(size)

    @contextlib.contextmanager
    def _speaking(self) -> Iterator[None]:
        """Turn errors in the peer's words into one line that names the peer."""
        try:
            yield
        except ValueError as error:
            raise self._wire.error(f"{error}; is it an agent of this rig?") from None


def _interrupt(pairs: Mapping[str, str]) -> str:
    """Return where the interrupt was held, in words; "" if the agent held none."""
    if "interrupt" not in pairs:
        return ""
    text = (
        f"{pairs['interrupt'][:WORD_MAX]} on processor {pairs.get('interrupt_cpus', '')[:WORD_MAX]}"
    )
    priority = pairs.get("interrupt_priority", "")[:WORD_MAX]
    return f"{text}, its thread at priority {priority}" if priority else text


def _arm_timeout_s(options: ArmOptions) -> float:
    """Return the time for ARM: an emulated kernel needs some for each process that it makes."""
    is_slow = options.options.get("tasks_as") == "processes"
    tasks = int(options.options.get("tasks", "2")) if is_slow else 0
    return REPLY_TIMEOUT_S + _PROCESS_S * tasks


def _words_of(options: ArmOptions) -> str:
    """Return the words of ARM and CHECK."""
    pairs = {
        "measurement": options.measurement,
        "capacity": str(options.capacity),
        "sequence_bits": str(options.sequence_bits),
        **options.options,
    }
    return " ".join(f"{key}={value}" for key, value in pairs.items())
