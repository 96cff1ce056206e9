# SPDX-License-Identifier: GPL-3.0-or-later
"""What is particular to a measurement, and what it is where nothing else is said."""

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
    from rig.analysis.model.settings import Settings
    from rig.measurements.planned_events import PlannedEvents
    from rig.recording.course import Course
    from rig.toml.reader import TomlTable

SPARE_LOG_RECORDS: Final = 1000
"""Records that the target's log has room for beyond those expected: it may answer too often."""
NOT_A_VARIANT: Final = ("period_ns", "count", "priority", "cpu", "self_trigger", "pin")
"""Words for the agent that do not tell a table of runs from another table."""
_DIGITS_MAX: Final = 20
_Source = TypeVar("_Source")


class Measurement(Reported, ABC):
    """One of the things that a plan can ask for."""

    name: ClassVar[str]
    """As plans, the agent and run files have it."""
    sources: ClassVar[tuple[type[EventSource], ...]]
    """Where the events can come from; none of a capture that was made without this rig."""
    agent_keys: ClassVar[tuple[str, ...]] = ()
    """Keys of a plan's [agent] that it can have."""
    counts_not_limited: ClassVar[tuple[str, ...]] = ()
    """Counts that are not judged unless a plan names them, though other measurements allow none."""
    tools: ClassVar[tuple[str, ...]] = ()
    """Test tools on the target that a plan can run before it."""
    measurands: ClassVar[tuple[str, ...]] = (LATENCY,)
    """Names of all that it measures, its own purpose first."""
    plan_table: ClassVar[str] = "stimulus"
    """Table of a plan that tells of its events, unless the target triggers them itself. One that is
    neither [stimulus] nor [agent] is its own, and read by `planned_events`."""
    no_pulses: ClassVar[str] = "the target triggers itself, and no pulses are sent"
    """Why a plan has no [stimulus], where it has none."""
    has_events: ClassVar[bool] = True
    """Single events are on the wires; False: values are in the target's log only."""
    judges_intervals: ClassVar[bool] = False
    """Intervals between answers are judged, and no stimulus is on a wire; False: latencies are."""
    is_replayable: ClassVar[bool] = True
    """A stored capture can stand for the bench; False: what comes next follows from answers."""
    records_an_event: ClassVar[int] = 1
    """Records of the target's log that one event makes."""

    @property
    def title(self) -> str:
        """What is measured, as it is written within a sentence."""
        return f"{self.name.replace('_', '-')} latency"

    def planned_events(self, table: TomlTable) -> PlannedEvents:
        """What its own table of a plan says. Raises InputError."""
        raise NotImplementedError(f"{self.name} reads {table.path}")

    def target_source(self, period_ns: int, count: int) -> EventSource:
        """Where the events come from if a plan's [agent] tells of them."""
        return SelfTriggers(period_ns, count)

    def nominal_interval_ns(self, settings: Settings) -> int | None:  # noqa: ARG002
        """From one answer to the next, where intervals are judged; None: latencies are."""
        return None

    def check_source(self, source: EventSource | None) -> None:
        """Raises ValueError for a source that its events cannot come from."""
        if source is not None and not isinstance(source, self.sources):
            raise ValueError(f"events of {self.name} come from {type(source).__name__}")

    def measurands_of(self, *, self_trigger: bool) -> tuple[str, ...]:
        """The same of a plan; of interrupts that the target makes itself its log tells more."""
        return (*self.measurands, INTERNAL) if self_trigger else self.measurands

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """What the agent is asked to do in a run of so many planned events."""
        records = self.records_an_event + isinstance(settings.source, SelfTriggers)
        return ArmOptions(
            measurement=self.name,
            capacity=2 * planned * records + SPARE_LOG_RECORDS,
            sequence_bits=len(settings.wiring.sequence),
            options={**settings.agent, "edge": edge_word(settings)},
        )

    def variant_words(self, settings: Settings) -> list[str]:
        """What tells this run from others of its measurement, but for load and length."""
        words: list[str] = []
        if isinstance(settings.source, SelfTriggers):
            words.append("self")
        if isinstance(settings.source, Train) and settings.source.pattern != Pattern.UNIFORM:
            words.append(settings.source.shape.name)
        return words + agent_words(settings.agent)

    def details(self) -> tuple[type[Details], ...]:
        """Kinds of what its evaluation has beside what every one has."""
        return ()

    @abstractmethod
    def course(self, settings: Settings, timeout_samples: int) -> Course:
        """How a run goes on while samples flow, and when it is over."""

    @abstractmethod
    def evaluator(self, run: RecordedRun) -> Evaluator:
        """What makes figures, witnesses and a verdict of a run's raw data."""


def source_as(kind: type[_Source], settings: Settings) -> _Source:
    """The source of a run's events, which can be of this kind only. Raises ValueError if not."""
    if not isinstance(settings.source, kind):
        raise ValueError(f"events of {settings.measurement} cannot come from {settings.source!r}")
    return settings.source


def edge_word(settings: Settings) -> str:
    """The edge of the stimulus that is the interrupt, as the agent is told it."""
    return "rising" if settings.wiring.active_level else "falling"


def agent_words(agent: dict[str, str], *, without: Collection[str] = ()) -> list[str]:
    """Values of the words for the agent that tell one table of runs from another."""
    hidden = {*NOT_A_VARIANT, *without}
    return [text for key, text in agent.items() if key not in hidden]


def time_words(agent: dict[str, str], *keys: str, before: str = "") -> list[str]:
    """Times among the words for the agent, in ns, as a variant; a foreign file may say anything."""
    texts = [agent.get(key, "") for key in keys]
    return [
        before + short_time(int(text))
        for text in texts
        if text.isascii() and text.isdigit() and len(text) < _DIGITS_MAX
    ]


def short_time(time_ns: int) -> str:
    """A time as a variant: `500us`, `10ms`, `1s`."""
    for unit, size_ns in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if time_ns % size_ns == 0:
            return f"{time_ns // size_ns}{unit}"
    return f"{time_ns}ns"
