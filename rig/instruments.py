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
"""The mark of an event's time in ps that is not known. Any other value can be one."""

IDLE = "idle"
"""The scenario without a load."""
LOADS = (
    "cpu", "io", "cpu-io", "cpu-nice", "half", "copy", "rt-tasks", "network", "disk", "memory",
    "cache",
)  # fmt: skip
"""The loads that the agent for Linux that comes with this rig can start."""


@dataclass(frozen=True)
class LoadCommand:
    """A load that is a program of the user's on the target."""

    words: tuple[str, ...]
    """The program and its arguments, as they are handed to it: no shell."""
    busy_min: float = 0.0
    """The least share of all processors' time that must be busy under it."""


@dataclass(frozen=True)
class LoadTask:
    """What a periodic task of the load did, by its own account."""

    period_ns: int
    work_ns: int
    priority: int
    starts: int
    """Number of periods in which it began."""
    overruns: int
    """Number of those that were done when the next was already due."""
    late_ns: int
    """Time from when it was due to its start, of all of them together."""
    late_max_ns: int
    """The longest of them."""


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
    """The identity and settings of the analyzer, as the driver reports them back."""

    driver: str
    vendor: str
    model: str
    library: str
    """The version of libsigrok."""
    sample_rate_hz: int
    """The rate in force, read back after it was set."""
    channels: tuple[str, ...]
    """The names of the logic channels, by bit number."""
    sample_rates_hz: tuple[int, ...] = ()
    """The rates that the driver offers, ascending; some of them if it takes any; () if unknown."""


@dataclass(frozen=True)
class Datasheet:
    """The bounds of an analyzer's errors by its maker."""

    time_base_ppm: float
    """The bound of its clock's rate error, either way."""
    skew_samples: float | None
    """The bound of the skew between two channels; None if that is not known."""
    source: str
    """The document that has it."""


@dataclass(frozen=True)
class EdgeBlock:
    """Edges of one stretch of the capture, in order of (index, channel).

    An edge's index is that of the first sample that shows the new level. Blocks follow each other
    without a hole: this one covers samples [start_sample, end_sample).
    """

    start_sample: int
    end_sample: int
    index: Int64Array
    """The sample indexes, from 0 at the start of the capture, shape (n,)."""
    channel: UInt8Array
    """The bit number of the channel, shape (n,)."""
    level: UInt8Array
    """The level from this edge on, 0 or 1, shape (n,)."""
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
    """A channel was neither high nor low, by its file."""
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


@dataclass(frozen=True)
class SamplesTaken:
    """A sign of life from an analyzer that shows its edges only after `stop`."""

    samples: int
    """The number of samples taken by now, about."""


CaptureItem = EdgeBlock | Loss | CaptureEnd | SamplesTaken


@dataclass(frozen=True)
class Backlog:
    """The lag of the host behind the driver, now and at most in this capture."""

    now_ns: int = 0
    """The age of the last block when the host took it."""
    max_ns: int = 0
    """The high-water mark of that age."""
    max_sample: int = 0
    """The sample at which the capture was then."""
    held_ns: int = 0
    """The longest wait of the driver to get rid of a block."""


class Analyzer(_Closing, Protocol):
    """A logic analyzer in continuous mode."""

    identity: AnalyzerIdentity

    @property
    def backlog(self) -> Backlog:
        """The backlog of the capture that runs, or of the last one."""
        ...

    def start(self) -> None:
        """Begin sampling. Raises BenchError if the driver refuses."""

    def read(self, timeout_s: float) -> CaptureItem | None:
        """Return the next item, or None if none came in time, and at once after CaptureEnd."""

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
    """The state of the pattern engine."""

    IDLE = "IDLE"
    RUNNING = "RUN"
    DONE = "DONE"
    ABORTED = "ABOR"


@dataclass(frozen=True)
class StimulusStatus:
    """The firmware's own counts of the train."""

    state: StimulusState
    planned: int
    """The number of pulses asked for."""
    sent: int
    """The number of pulses whose leading edge left the pin."""
    late: int
    """Edges, leading and trailing, whose compare was missed and that came later than planned."""
    late_max_ticks: int
    captured: int
    """Response edges captured since INIT."""
    capture_overruns: int
    """Response edges known to have been lost by the capture (buffer full or too close)."""
    now_ticks: int
    """The stimulus clock now, in ticks since INIT, 64 bits."""


@dataclass(frozen=True)
class CaptureBlock:
    """Response edges as the stimulus's own input capture saw them: the second witness."""

    first: int
    """The sequence number of the first edge in this block, from 0 at INIT."""
    ticks: Int64Array
    """The ticks since INIT, already extended to 64 bits, shape (n,)."""
    running: bool
    """Whether the train was still running when the block was made."""
    lost: int = 0
    """Edges before these that were damaged on the serial line, and could not be had again."""
    damaged: int = 0
    """The number of replies before this one that were damaged on the serial line."""


class Stimulus(_Closing, Protocol):
    """The microcontroller that makes the pulse train."""

    identity: StimulusIdentity

    def configure(self, train: Train) -> None:
        """Send the train's parameters. Raises BenchError naming the SCPI error if refused."""

    def start(self) -> None:
        """Begin the train (INIT)."""

    def fetch(self, minimum: int, timeout_ms: int) -> CaptureBlock:
        """Wait, on the firmware's clock, for `minimum` captured edges or the time; return them."""

    def status(self) -> StimulusStatus: ...

    def abort(self) -> None:
        """Stop the train. The pin returns to its idle level."""


# --- target -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetIdentity:
    """The identity of the agent that answers on the link."""

    agent: str
    version: str
    log_format: int
    tick_hz: int
    """The nominal rate of the cycle counter; the host fits the true one."""
    port: str = ""
    """The port by which the agent reaches interrupt and pins; "": not reported."""


OFF_PERMILLE = 10
"""The most that a processor's frequency may be off another one that it should be."""


@dataclass(frozen=True)
class FrequencyCourse:
    """The frequency of a processor at the begin and the end of a measurement, by its kernel."""

    cpu: int
    first_khz: int
    last_khz: int
    changes: int | None
    """The number of changes in between; None: not reported."""

    @property
    def is_steady(self) -> bool:
        """Whether it was the same throughout, as far as that is known."""
        off_khz = abs(self.last_khz - self.first_khz)
        return not self.changes and off_khz * 1000 <= self.first_khz * OFF_PERMILLE

    def __str__(self) -> str:
        first, last = (f"{khz / 1e6:g} GHz" for khz in (self.first_khz, self.last_khz))
        if self.is_steady:
            return f"processor {self.cpu} ran at {first} throughout"
        changes = "" if self.changes is None else f", {self.changes:,} changes"
        return f"processor {self.cpu} ran at {first} at first and {last} at the end{changes}"


@dataclass(frozen=True)
class TargetSummary:
    """The agent's counts after STOP."""

    handled: int
    """The number of interrupts that the handler counted."""
    records: int
    """The number of log records, one for each pin write."""
    dropped: int
    """The number of records that found the log full."""
    unanswered: int | None = None
    """The interrupts or periods without a pin write of their own; None here and below: not told."""
    overruns: int | None = None
    """The answers that ended when the next period was already due."""
    triggers: int | None = None
    """The interrupts that the target made itself."""
    throttled: int | None = None
    """The number of times that it held interrupts up, so that others could run."""
    work_per_ms: int | None = None
    """The iterations of a task's work that take a millisecond if nothing interrupts them."""
    smis: int | None = None
    """The interrupts of the firmware, of the processor that had most."""
    thermal_throttles: int | None = None
    """The number of times that heat slowed a processor's clock, of that which had most."""
    policy: str = ""
    """The scheduling policy that the target's system told the task; "": not told."""
    interrupt: str = ""
    """The place where the interrupt was held, as the target's system had it; "": it was not."""
    frequency: FrequencyCourse | None = None
    """The frequency of the processor meanwhile; None: not told."""


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
"""The flag of a record: interrupts came since the one before that were handled and got no answer of
their own; this answer is theirs too."""

LOG_MISSED = 0x01
"""The flag: periods passed since the record before without an answer of their own."""
LOG_SPAN = 0x04
"""The flag of a span from a handler's entry to its exit."""
LOG_TASK = 0x08
"""The flag of the place where an interrupted task went on; no answer."""
LOG_TRIGGER = 0x10
"""The flag of a pulse that the target gave itself; no answer."""
LOG_OF_TASK = 0x20
"""The flag of a span: the agent's task was interrupted."""
LOG_OVERRUN = 0x40
"""The flag: when this answer was done the next period was already due."""
LOG_VALUE = 0x100
"""The flag: from before to after is a value measured inside the target; no answer."""
LOG_CLOCK = 0x200
"""The flag of a value in ns of a clock of the system, not in ticks."""
LOG_WENT_ON = 0x400
"""The flag of a value: the task that woke another went on before that one ran."""
LOG_FAILED = 0x2000
"""The flag of a value that is none: its iteration failed, and went on from before to after."""
LOG_ENTRY = 0x1000
"""The flag: the record has the handler's entry for the interrupt that `handled` counts last: the
field that was `reserved` before log format 3 has the ticks from then to `before`."""
LOG_OF = 0x4000
"""The flag of a value: that field has the number of the task that it ends in, from 1."""
LOG_LEAD = "reserved"
"""The name of that field. Run files store records by these names, so it stays as it was."""
LOG_PART_SHIFT = 16
"""The first bit of a value's part of its iteration."""

LogArray = npt.NDArray[np.void]


@dataclass(frozen=True)
class ArmOptions:
    """The task that the agent is asked to do."""

    measurement: str
    capacity: int
    """The records that the log must be able to hold; allocated and touched before the start."""
    sequence_bits: int = 0
    options: dict[str, str] = field(default_factory=dict)
    stream: bool = False
    """Whether records that the host has read make room for others while it measures."""


@dataclass(frozen=True)
class LogRoom:
    """The longest log that a target can have."""

    records: int
    streams: bool
    """Whether it can be read while it is written."""
    bytes_per_s: float | None = None
    """The most that the link carries; None: not known."""


class Target(_Closing, Protocol):
    """The agent on the system under test."""

    identity: TargetIdentity

    def environment(self) -> dict[str, object]:
        """Return kernel, clock source, governor and so on, as the agent reports them."""

    def check(self, options: ArmOptions) -> LogRoom | None:
        """Return the room for a log; None if the agent does not tell.

        Raises RefusedError in the agent's words if it could not be armed with these options.
        """

    def arm(self, options: ArmOptions) -> None: ...

    def ended(self, timeout_ms: int) -> bool:
        """Return whether a measurement inside the target has ended; wait so long for that."""

    def stop(self) -> TargetSummary: ...

    def log(self, first: int, count: int) -> LogArray:
        """Return up to `count` records from number `first`, dtype LOG_RECORD; fewer at the end."""
