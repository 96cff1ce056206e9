# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' view of a run that goes on: small, frozen, of bounded size for any run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

import numpy as np

from gui.processes.messages import Message
from rig.instruments import Int64Array
from rig.services.event_query import NotableEvent

KIND: Final = "snapshot"


def _none() -> Int64Array:
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A moment of a run. Latencies in samples of `sample_rate_hz`; figures are provisional."""

    phase: str = "opening"
    """`opening`, `measuring`, `finishing`, `evaluating`."""
    planned: int = 0
    events: int = 0
    """Stimuli seen, periods answered, or edges after values."""
    answers: int = 0
    is_periods: bool = False
    """Whether the target's own periods are measured: how far intervals are off, not latencies."""
    is_values: bool = False
    """Whether the target measures by itself: its log has the values at the end. `events` are edges
    of its pin, which it need not use, and `planned` values."""
    unit_hz: int | None = None
    """The unit of such values; None: samples."""
    quantity: str = ""
    """The name of such values in reports, once that is known."""
    is_search: bool = False
    """Whether stimuli come in holds, each of its own rate; `planned` are those that may come."""
    hold: str = ""
    """The hold that is being made, in words."""
    worst_ns: float | None = None
    """The longest latency so far, of periods the worst interval error."""
    worst_event: int = -1
    worst_sample: int = -1
    """The sample of the stimulus whose answer took longest."""
    min_samples: int = -1
    """The shortest latency; -1 without any."""
    total_samples: int = 0
    """The sum of all latencies."""
    latencies: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    """The events of each class so far, by the names of rig.analysis.pairing.pairing.Counts."""
    losses: int = 0
    """The number of signs of loss."""
    samples: int = 0
    sample_rate_hz: int = 1
    backlog_now_ns: int = 0
    backlog_max_ns: int = 0
    rate_hz: float = 0.0
    """The events per second of waiting, lately."""
    remaining_s: float | None = None
    """The time until all planned events have been seen, at the rate of late; None if not known."""
    target: str = "connecting"
    """`connecting`, `armed`, `measuring` by itself, `answering`, `silent` or `stopped`."""
    unanswered: int = 0
    """The stimuli since the target's last answer."""
    notable: tuple[NotableEvent, ...] = ()
    """The last notable events, oldest first."""
    bins: Int64Array = field(default_factory=_none)
    """The numbers of the histogram's non-empty bins, ascending (rig.streaming.histogram)."""
    bin_counts: Int64Array = field(default_factory=_none)
    end_sample: Int64Array = field(default_factory=_none)
    """The end of each stretch of the timeline; the first begins at 0."""
    max_samples: Int64Array = field(default_factory=_none)
    """The longest latency decided in each stretch, -1 without any; above 256 samples rounded down
    to its bin."""
    missed: Int64Array = field(default_factory=_none)
    late: Int64Array = field(default_factory=_none)
    merged: Int64Array = field(default_factory=_none)
    lost: Int64Array = field(default_factory=_none)

    @property
    def sample_us(self) -> float:
        """The length of a sample, or of what else latencies are counted in."""
        return 1e6 / (self.unit_hz or self.sample_rate_hz)

    @property
    def average_ns(self) -> float | None:
        """The average of all latencies so far; None without any."""
        if not self.latencies:
            return None
        return self.total_samples / self.latencies * 1e9 / self.sample_rate_hz

    @property
    def min_ns(self) -> float | None:
        """The shortest latency so far; None without any."""
        return None if self.min_samples < 0 else self.min_samples * 1e9 / self.sample_rate_hz

    def message(self) -> Message:
        """Return the message that takes the snapshot from the engine to the window."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _ARRAYS}
        plain["notable"] = [asdict(event) for event in self.notable]
        return Message(KIND, plain | {name: getattr(self, name).tolist() for name in _ARRAYS})


_ARRAYS: Final = (
    "bins", "bin_counts", "end_sample", "max_samples", "missed", "late", "merged", "lost",
)  # fmt: skip


def snapshot_of(message: Message) -> Snapshot:
    """Return the snapshot in a message. Raises TypeError, KeyError or ValueError if it is none."""
    plain: dict[str, Any] = dict(message.fields)
    plain["notable"] = tuple(NotableEvent(**event) for event in plain["notable"])
    return Snapshot(**plain | {name: integers(plain[name]) for name in _ARRAYS})


def integers(values: object) -> Int64Array:
    """Return a list of JSON as an array of shape (n,). Raises ValueError for anything else."""
    if not isinstance(values, list) or not all(type(each) is int for each in values):
        raise ValueError("no list of integers")
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise ValueError("integers of more than 64 bits") from None
