# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of a measurement: all that is particular to one, with its defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from rig.analysis.model.sources import SelfTriggers
from rig.event_source import EventSource
from rig.instruments import ArmOptions
from rig.limit_names import INTERNAL, LATENCY
from rig.measurements.reported import Reported
from rig.stimulus.train import Pattern, Train

if TYPE_CHECKING:
    # At run time only what evaluates a run loads scipy and all that belongs to it.
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.details import Details
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.measurements.planned_events import PlannedEvents
    from rig.measurements.value_table import ValueTable
    from rig.recording.course import Course
    from rig.toml.reader import TomlTable

SPARE_LOG_RECORDS: Final = 1000
"""Records that the target's log has room for beyond those expected: it may answer too often."""
NOT_A_VARIANT: Final = (
    "period_ns", "count", "warm_up", "priority", "runtime_ns", "cpu",
    "interrupt_cpu", "interrupt_priority", "self_trigger", "pin",
)  # fmt: skip
"""Words for the agent that do not distinguish one table of runs from another."""
DEADLINE: Final = "deadline"
"""The scheduling policy of tasks that have a run time in each period, and no priority."""
_DIGITS_MAX: Final = 20
_Source = TypeVar("_Source")


class Measurement(Reported, ABC):
    """A measurement that a plan can ask for."""

    name: ClassVar[str]
    """The name in plans, for the agent, and in run files."""
    sources: ClassVar[tuple[type[EventSource], ...]]
    """Kinds of sources of events; none for a capture that was made without this rig."""
    agent_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that a plan's [agent] can have."""
    policies: ClassVar[tuple[str, ...]] = ("fifo", "rr", "other")
    """Scheduling policies that a plan can ask for, if `policy` is among the keys."""
    counts_not_limited: ClassVar[tuple[str, ...]] = ()
    """Counts that are not judged unless a plan names them, though other measurements allow none."""
    measurands: ClassVar[tuple[str, ...]] = (LATENCY,)
    """Names of all quantities that it measures, its own purpose first."""
    plan_table: ClassVar[str] = "stimulus"
    """Table of a plan that defines its events, unless the target triggers them itself. One that is
    neither [stimulus] nor [agent] is its own, and read by `planned_events`."""
    no_pulses: ClassVar[str] = "the target triggers itself, and no pulses are sent"
    """The reason why a plan has no [stimulus], where it has none."""
    has_events: ClassVar[bool] = True
    """True: single events are on the wires; False: values are in the target's log only."""
    judges_intervals: ClassVar[bool] = False
    """True: intervals between answers are judged, without stimuli on a wire; False: latencies."""
    is_replayable: ClassVar[bool] = True
    """True: a stored capture can replace the bench; False: what comes next depends on answers."""
    records_an_event: ClassVar[int] = 1
    """Records of the target's log that one event makes."""

    def counts_limited(self, variant: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return counts of which a plan that does not name them allows none, by its variant."""
        return ()

    @property
    def title(self) -> str:
        """The quantity that is measured, as it is written within a sentence."""
        return f"{self.name.replace('_', '-')} latency"

    def planned_events(self, table: TomlTable) -> PlannedEvents:
        """Return the events that its own table of a plan defines. Raises InputError."""
        raise NotImplementedError(f"{self.name} reads {table.path}")

    def target_source(self, period_ns: int, count: int) -> EventSource:
        """Return the source of the events if a plan's [agent] defines them."""
        return SelfTriggers(period_ns, count)

    def nominal_interval_ns(self, settings: Settings) -> int | None:  # noqa: ARG002
        """Return the time from one answer to the next; None: latencies are judged instead."""
        return None

    def check_source(self, source: EventSource | None) -> None:
        """Check that its events can come from the source. Raises ValueError if not."""
        if source is not None and not isinstance(source, self.sources):
            raise ValueError(f"events of {self.name} come from {type(source).__name__}")

    def measurands_of(self, *, self_trigger: bool) -> tuple[str, ...]:
        """Return a plan's measurands: interrupts that the target makes itself have one more."""
        return (*self.measurands, INTERNAL) if self_trigger else self.measurands

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """Return what the agent is asked to do in a run of so many planned events."""
        records = self.records_an_event + isinstance(settings.source, SelfTriggers)
        return ArmOptions(
            measurement=self.name,
            capacity=2 * planned * records + SPARE_LOG_RECORDS,
            sequence_bits=len(settings.wiring.sequence),
            options={**settings.agent, "edge": edge_word(settings)},
        )

    def variant_words(self, settings: Settings) -> list[str]:
        """Return words that distinguish runs of the measurement, but for load and length."""
        words: list[str] = []
        if isinstance(settings.source, SelfTriggers):
            words.append("self")
        if isinstance(settings.source, Train) and settings.source.pattern != Pattern.UNIFORM:
            words.append(settings.source.shape.name)
        return words + agent_words(settings.agent)

    def variant(self, settings: Settings) -> str:
        """Return the variant of a run, by which its rows are in one table with others."""
        return " ".join(self.variant_words(settings))

    def details(self) -> tuple[type[Details], ...]:
        """Return the kinds of details that its evaluation can have."""
        return ()

    def value_table(self, raw: RawRun, settings: Settings) -> ValueTable | None:  # noqa: ARG002
        """Return all values of a run one by one; None: its events have them."""
        return None

    @abstractmethod
    def course(self, settings: Settings, timeout_samples: int) -> Course:
        """Return the course of a run: what it does while samples flow, and when it is over."""

    @abstractmethod
    def evaluator(self, run: RecordedRun) -> Evaluator:
        """Return the evaluator that makes figures, witnesses and a verdict of a run's raw data."""


def source_as(kind: type[_Source], settings: Settings) -> _Source:
    """Return the source of a run's events. Raises ValueError if it is not of this kind."""
    if not isinstance(settings.source, kind):
        raise ValueError(f"events of {settings.measurement} cannot come from {settings.source!r}")
    return settings.source


def edge_word(settings: Settings) -> str:
    """Return the agent's word for the edge of the stimulus that is the interrupt."""
    return "rising" if settings.wiring.active_level else "falling"


def agent_words(agent: dict[str, str], *, without: Collection[str] = ()) -> list[str]:
    """Return the values of the agent's words that distinguish one table of runs from another."""
    hidden = {*NOT_A_VARIANT, *without}
    return [text for key, text in agent.items() if key not in hidden]


def time_words(agent: dict[str, str], *keys: str, before: str = "") -> list[str]:
    """Return times among the agent's words, in ns, as variants; foreign files may have others."""
    texts = [agent.get(key, "") for key in keys]
    return [
        before + short_time(int(text))
        for text in texts
        if text.isascii() and text.isdigit() and len(text) < _DIGITS_MAX
    ]


def short_time(time_ns: int) -> str:
    """Return a time as a variant: `500us`, `10ms`, `1s`."""
    for unit, size_ns in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if time_ns % size_ns == 0:
            return f"{time_ns // size_ns}{unit}"
    return f"{time_ns}ns"
