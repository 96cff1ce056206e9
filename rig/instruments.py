# SPDX-License-Identifier: GPL-3.0-or-later
"""The three instruments of a bench as protocols, and the values that pass between them.

Hardware, virtual and replay are peers: the run code knows only these types. All times are
integers: sample indexes of the analyzer, ticks of the stimulus clock, ticks of the target clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from rig.arrays import Int64Array as Int64Array
from rig.arrays import UInt8Array as UInt8Array
from rig.stimulus.train import Train

UNKNOWN_PS = -(1 << 63)
"""Of an event's time in ps: not known. Any other value can be one."""

IDLE = "idle"
"""The scenario without a load."""
LOADS = ("cpu", "io", "half", "copy", "rt-tasks", "network")
"""Those that the agent for Linux that comes with this rig can start."""


@dataclass(frozen=True)
class LoadCommand:
    """A load that is a program of the user's on the target."""

    words: tuple[str, ...]
    """The program and its arguments, as they are handed to it: no shell."""
    busy_min: float = 0.0
    """Of all processors' time, the least part that must be busy under it."""


class _Closing(Protocol):
    """An instrument is a context manager; `close` may be called twice and never raises."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


# --- analyzer -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnalyzerIdentity:
    """What the analyzer is and how it is set, as the driver reports it back."""

    driver: str
    vendor: str
    model: str
    library: str
    """Version of libsigrok."""
    sample_rate_hz: int
    """The rate in force, read back after it was set."""
    channels: tuple[str, ...]
    """Names of the logic channels, by bit number."""
    sample_rates_hz: tuple[int, ...] = ()
    """Rates that the driver offers, ascending; some of them if it takes any; () if not known."""


@dataclass(frozen=True)
class Datasheet:
    """What the maker of an analyzer says of its errors."""

    time_base_ppm: float
    """How far its clock may be off, either way."""
    skew_samples: float | None
    """How far two channels may be apart; None if that is not known."""
    source: str
    """Where it is written."""


@dataclass(frozen=True)
class EdgeBlock:
    """Edges of one stretch of the capture, in order of (index, channel).

    An edge's index is that of the first sample that shows the new level. Blocks follow each other
    without a hole: this one covers samples [start_sample, end_sample).
    """

    start_sample: int
    end_sample: int
    index: Int64Array
    """Shape (n,), sample indexes counted from the start of the capture, from 0."""
    channel: UInt8Array
    """Shape (n,), bit number of the channel."""
    level: UInt8Array
    """Shape (n,), 0 or 1: the level from this edge on."""
    levels_before: int
    """Bit mask of all levels just before start_sample (of the first sample if that is 0)."""


class LossKind(StrEnum):
    """Signs that samples may be missing."""

    END_UNASKED = "end unasked"
    SHORT_COUNT = "short count"
    LOG_WARNING = "driver warning"
    STALL = "stall"
    BACKLOG = "backlog"
    """The host kept the driver waiting for longer than analyzers keep samples."""
    DRIVER_DIED = "driver died"
    UNKNOWN_LEVEL = "unknown level"
    """A file says of a channel that it was neither high nor low."""
    SEQUENCE_GAP = "sequence gap"
    """The stimulus edges show that a stretch of samples is missing; found when analyzed."""


@dataclass(frozen=True)
class Loss:
    """A sign that samples may be missing at or after this sample. A value, stored and shown."""

    kind: LossKind
    sample: int
    text: str


@dataclass(frozen=True)
class CaptureEnd:
    """The last item of a capture: how many samples arrived, and whether the host had asked."""

    samples: int
    asked: bool


CaptureItem = EdgeBlock | Loss | CaptureEnd


@dataclass(frozen=True)
class Backlog:
    """How far the host is behind the driver, and how far it has been in this capture."""

    now_ns: int = 0
    """Age of the last block when the host took it."""
    max_ns: int = 0
    """High-water mark of that age."""
    max_sample: int = 0
    """Where the capture was then."""
    held_ns: int = 0
    """How long the driver had to wait at most to get rid of a block."""


class Analyzer(_Closing, Protocol):
    """A logic analyzer in continuous mode."""

    identity: AnalyzerIdentity

    @property
    def backlog(self) -> Backlog:
        """Of the capture that runs, or of the last one."""
        ...

    def start(self) -> None:
        """Begin sampling. Raises BenchError if the driver refuses."""

    def read(self, timeout_s: float) -> CaptureItem | None:
        """Next item, or None if none came in time. After CaptureEnd it returns None at once."""

    def stop(self) -> None:
        """Ask for the end; keep reading until CaptureEnd. Returns at once."""


# --- stimulus -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class StimulusIdentity:
    """Reply to *IDN? and the queries about interface and clock."""

    maker: str
    model: str
    serial: str
    firmware: str
    interface_level: int
    clock_hz: int


class StimulusState(StrEnum):
    """What the pattern engine is doing."""

    IDLE = "IDLE"
    RUNNING = "RUN"
    DONE = "DONE"
    ABORTED = "ABOR"


@dataclass(frozen=True)
class StimulusStatus:
    """The firmware's own account of the train."""

    state: StimulusState
    planned: int
    """Pulses asked for."""
    sent: int
    """Pulses whose leading edge left the pin."""
    late: int
    """Edges, leading and trailing, whose compare was missed and that came later than planned."""
    late_max_ticks: int
    captured: int
    """Response edges captured since INIT."""
    capture_overruns: int
    """Response edges known to have been lost by the capture (buffer full or too close)."""
    now_ticks: int
    """Stimulus clock now, in ticks since INIT, 64 bits."""


@dataclass(frozen=True)
class CaptureBlock:
    """Response edges as the stimulus's own input capture saw them: the second witness."""

    first: int
    """Sequence number of the first edge in this block, from 0 at INIT."""
    ticks: Int64Array
    """Shape (n,), ticks since INIT, already extended to 64 bits."""
    running: bool
    """The train was still running when the block was made."""


class Stimulus(_Closing, Protocol):
    """The microcontroller that makes the pulse train."""

    identity: StimulusIdentity

    def configure(self, train: Train) -> None:
        """Send the train's parameters. Raises BenchError naming the SCPI error if refused."""

    def start(self) -> None:
        """INIT: the train begins."""

    def fetch(self, minimum: int, timeout_ms: int) -> CaptureBlock:
        """Wait, on the firmware's clock, for `minimum` captured edges or the time; return them."""

    def status(self) -> StimulusStatus: ...

    def abort(self) -> None:
        """Stop the train. The pin returns to its idle level."""


# --- target -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetIdentity:
    """Who answers on the agent's link."""

    agent: str
    version: str
    log_format: int
    tick_hz: int
    """Nominal rate of the cycle counter; the host fits the true one."""


@dataclass(frozen=True)
class TargetSummary:
    """The agent's account after STOP."""

    handled: int
    """Interrupts the handler counted."""
    records: int
    """Log records, one for each pin write."""
    dropped: int
    """Records that found the log full."""
    unanswered: int | None = None
    """Interrupts or periods that got no pin write of their own; None here and below: not told."""
    overruns: int | None = None
    """Answers that ended when the next period was already due."""
    triggers: int | None = None
    """Interrupts that the target made itself."""
    throttled: int | None = None
    """Times that it held interrupts up, so that others could run."""


LOG_RECORD = np.dtype(
    [
        ("sequence", "<u8"),  # number of the record, from 0
        ("handled", "<u8"),  # handler count when the pin was written, from 1
        ("before_ticks", "<u8"),  # cycle counter just before the pin write
        ("after_ticks", "<u8"),  # cycle counter just after it
        ("flags", "<u4"),
        ("reserved", "<u4"),  # with LOG_ENTRY: ticks from the handler's entry to `before`
    ]
)
"""One record of the agent's log, 40 bytes, little-endian."""

LOG_COALESCED = 0x02
"""Flag of a record: interrupts came since the one before that were handled and got no answer of
their own; this answer is theirs too."""

LOG_MISSED = 0x01
"""Periods passed since the record before without an answer of their own."""
LOG_SPAN = 0x04
"""From a handler's entry to its exit."""
LOG_TASK = 0x08
"""Where an interrupted task went on; no answer."""
LOG_TRIGGER = 0x10
"""A pulse that the target gave itself; no answer."""
LOG_OF_TASK = 0x20
"""Of a span: it was the agent's task that was interrupted."""
LOG_OVERRUN = 0x40
"""When this answer was done the next period was already due."""
LOG_VALUE = 0x100
"""From before to after is a value that was measured inside the target; no answer."""
LOG_CLOCK = 0x200
"""Of a value: in ns of a clock of the system, not in ticks."""
LOG_WENT_ON = 0x400
"""Of a value: the task that woke another went on before that one ran."""
LOG_ENTRY = 0x1000
"""The record says when the handler was entered for the interrupt that `handled` counts last: the
field that was `reserved` before log format 3 has the ticks from then to `before`."""
LOG_LEAD = "reserved"
"""That field. Run files store records by these names, so it has the name that it always had."""
LOG_PART_SHIFT = 16
"""Of a value: from this bit up, which part of its iteration it is."""

LogArray = npt.NDArray[np.void]


@dataclass(frozen=True)
class ArmOptions:
    """What the agent is asked to do."""

    measurement: str
    capacity: int
    """Records the log must be able to hold; allocated and touched before the start."""
    sequence_bits: int = 0
    options: dict[str, str] = field(default_factory=dict)


class Target(_Closing, Protocol):
    """The agent on the system under test."""

    identity: TargetIdentity

    def environment(self) -> dict[str, object]:
        """Kernel, clock source, governor and so on, as the agent reports them."""

    def arm(self, options: ArmOptions) -> None: ...

    def ended(self, timeout_ms: int) -> bool:
        """Whether a measurement inside the target has come to its count, waited for so long."""

    def stop(self) -> TargetSummary: ...

    def log(self, first: int, count: int) -> LogArray:
        """At most `count` records from number `first`, dtype LOG_RECORD; fewer at the end."""
