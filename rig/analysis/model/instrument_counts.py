# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of the instruments in a run, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rig.instruments import FrequencyCourse, LoadTask
from rig.untrusted.decode import Length, NumberRange

Count = Annotated[int, NumberRange(0, 2**63 - 1)]
Time = Annotated[float, NumberRange(0, 1e18)]
"""Nanoseconds; 1e18 of them are 30 years. As a limit on counts it is a number."""
Rate = Annotated[int, NumberRange(1, 10**12)]
Name = Annotated[str, Length(400)]


@dataclass(frozen=True)
class InstrumentCounts:
    """Counts that the instruments reported at the end. None: the run did not get there."""

    sent: Count | None = None
    """Pulses that left the stimulus's pin."""
    stimulus_late: Count = 0
    """Pulses that left later than planned."""
    stimulus_late_max_ticks: Count = 0
    """Longest delay of a late pulse, in ticks of the stimulus's clock."""
    capture_overruns: Count = 0
    """Answers that the stimulus's input capture reports lost, or whose stamps were lost on the
    serial line."""
    replies_damaged: Count = 0
    """Replies of the stimulus that were damaged on the serial line, and asked for again."""
    handled: Count | None = None
    """Interrupts that the target's handler counted."""
    log_dropped: Count = 0
    """Records that found the target's log full."""
    log_streamed: Count | None = None
    """Records that the log had room for, where the host read it while it was written; None: it was
    read afterwards."""
    holds: tuple[Count, ...] | None = None
    """Pulses that the firmware sent at each rate of a search; they make up `sent`."""
    unanswered: Count | None = None
    """Interrupts or periods that got no pin write of their own, by the agent's count."""
    overruns: Count | None = None
    """Answers that ended when the next period was already due, by the agent's count."""
    triggers: Count | None = None
    """Interrupts that the target made itself, by the agent's count."""
    throttled: Count = 0
    """Number of times that the target held interrupts up, so that others than it could run."""
    work_per_ms: Count | None = None
    """Iterations of a task's work that take a millisecond, as the target found before the run."""
    smis: Count | None = None
    """Interrupts of the target's firmware, of the processor that had most; None: not told."""
    thermal_throttles: Count | None = None
    """Number of times that heat slowed a processor's clock, of that which had most; None: not
    told."""
    policy: Annotated[str, Length(40)] = ""
    """Scheduling policy of the tasks, as the target's system told them; empty: not told."""
    interrupt: Annotated[str, Length(200)] = ""
    """Place where the interrupt was held, as the target's system had it; empty: it was not."""
    frequency: FrequencyCourse | None = None
    """Frequency of the processor during the run, by the target's kernel; None: not told."""
    frequency_held: bool = False
    """Whether the plan had it held."""
    samples: Count | None = None
    """Samples of the whole capture, by the analyzer's count."""
    backlog_max_ns: Count | None = None
    """Longest time that the host was behind the analyzer's driver; not judged."""
    backlog_max_sample: Count = 0
    """Sample of the capture at that time."""
    driver_held_ns: Count = 0
    """Longest time that the driver had to wait for the host; too long is a loss of its own."""
    load_workers: Count | None = None
    """Workers of the load that were alive at the end; None: there was no load."""
    load_tasks: tuple[LoadTask, ...] = ()
    """Periodic tasks of the load, if it has some, from its begin to the end of the run."""
    interrupted: bool = False
    failure: Annotated[str, Length(4000)] = ""
    """Reason why the bench failed; empty if it did not."""
