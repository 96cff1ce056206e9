# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan: what to measure, written as TOML. docs/reference/plans.md explains every key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rig.analysis.model.settings import Limits
from rig.config.limits import parse_limits
from rig.config.plan_agent import AgentPlan, parse_agent, refuse_override
from rig.config.plan_stimulus import TIME_MAX_PS, StimulusPlan, parse_stimulus
from rig.config.plan_tools import ToolsPlan, parse_tools
from rig.errors import input_error
from rig.event_source import EventSource
from rig.instruments import IDLE
from rig.measurements.planned_events import PlannedEvents
from rig.measurements.registry import MEASUREMENTS
from rig.resources import find_plan, plan_names
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import COUNT_MAX, SEED_MAX, Train
from rig.toml.reader import TomlFile, TomlTable, read_document

SECOND_PS = 10**12

_OWN_TABLES = {
    each.plan_table: name
    for name, each in MEASUREMENTS.items()
    if each.plan_table not in ("stimulus", "agent")
}
"""Tables that only one measurement has, to its name."""
_TABLES = ("plan", "stimulus", *_OWN_TABLES, "agent", "tools", "capture", "response", "limits")
_CPUS_PATTERN = r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?){0,20}"
NAME_PATTERN = "[a-z0-9][a-z0-9-]{0,63}"
NAME_VALID = 'lower-case letters, digits and hyphens, such as "interrupt-burst"'


@dataclass(frozen=True)
class CapturePlan:
    """What the analyzer's record must be good for."""

    resolution_ps: int
    """Coarsest sample period accepted."""
    glitch_filter_ps: int
    """Pulses shorter than this are counted and set aside; 0 is off."""


@dataclass(frozen=True)
class ResponsePlan:
    """What is asked of the answers."""

    timeout_ps: int
    """The time after the last pulse in which an answer is still waited for."""
    sequence_bits: int
    """Fewest sequence wires the fixture must have."""


@dataclass(frozen=True)
class Plan:
    """One measurement. Immutable; `text` is the whole source, for the run file."""

    name: str
    title: str
    measurement: str
    scenario: str
    """Load on the target while it is measured."""
    stimulus: StimulusPlan | None
    """The train; None if the target's own clock makes periods or interrupts, without pulses."""
    agent: AgentPlan
    capture: CapturePlan
    response: ResponsePlan
    limits: Limits
    text: str
    """Source as read; overrides are not in it."""
    source: str
    """File name, or name of the built-in plan."""
    own_events: PlannedEvents | None = None
    """The content of the measurement's own table; None: it has none, as most."""
    tools: ToolsPlan | None = None
    """The measurements of the target's own system before those by pins."""
    load_cpus: str = ""
    """Processors that the scenario's load may use, such as `0,2-3`; "": all."""
    overrides: Mapping[str, int | str] = field(default_factory=dict)
    """The arguments of `with_overrides`."""

    def event_source(self, chip: StimulusChip) -> EventSource:
        """Return the source of events in ticks of a stimulus chip's clock.

        Raises ValueError, in words, for trains that the chip cannot make.
        """
        if self.own_events is not None:
            return self.own_events.source(chip)
        train, agent = self.train(chip), self.agent
        if train is not None:
            return train
        return MEASUREMENTS[self.measurement].target_source(agent.period_ns, agent.count)

    @property
    def count(self) -> int:
        """Events planned, or the most that there may be: pulses, own triggers, or periods."""
        if self.own_events is not None:
            return self.own_events.count
        return self.agent.count if self.stimulus is None else self.stimulus.count

    @property
    def events_s(self) -> float:
        """The time that the events take, 0 where nobody knows it.

        Raises ValueError for a train that no chip could make.
        """
        if self.own_events is not None:
            return self.own_events.longest_s(self.response.timeout_ps)
        if self.stimulus is not None:
            return self.stimulus.expected_s
        agent = self.agent
        return agent.count * (agent.period_ps or agent.pause_ps) / SECOND_PS

    def train(self, chip: StimulusChip) -> Train | None:
        """The train in ticks of a stimulus chip's clock; None for a plan without pulses.

        Raises ValueError, in words, for a train that the chip cannot make.
        """
        return None if self.stimulus is None else self.stimulus.train(chip)

    @property
    def asked_of_agent(self) -> str:
        """The measurement that the agent is asked for."""
        return self.measurement if self.own_events is None else self.own_events.asked_of_agent

    def glitch_filter_samples(self, sample_rate_hz: int) -> int:
        """Width for the glitch filter: pulses of fewer samples than this are set aside."""
        return -(-self.capture.glitch_filter_ps * sample_rate_hz // SECOND_PS)

    def with_overrides(
        self,
        count: int | None = None,
        seed: int | None = None,
        period: str | None = None,
        timer: str | None = None,
    ) -> Plan:
        """Return the plan with other values. Raises InputError for one that is wrong or unused."""
        given: dict[str, int | str | None] = {
            "count": count, "seed": seed, "period": period, "timer": timer,
        }  # fmt: skip
        named = {name: value for name, value in given.items() if value is not None}
        changed = self._changed(count, seed, period, timer)
        return replace(changed, overrides={**self.overrides, **named})

    def _changed(
        self, count: int | None, seed: int | None, period: str | None, timer: str | None
    ) -> Plan:
        stimulus = self.stimulus
        if stimulus is None:
            if seed is not None:
                raise refuse_override("--seed", self.name)
            if timer is not None and "timer" not in MEASUREMENTS[self.measurement].agent_keys:
                raise refuse_override("--timer", self.name)
            if period is not None and not self.agent.period_ps:
                raise refuse_override("--period", self.name)
            if self.own_events is not None and count is not None:
                return replace(self, own_events=self.own_events.with_count(count))
            return replace(self, agent=self.agent.with_overrides(count, period, timer))
        for option, value in (("--period", period), ("--timer", timer)):
            if value is not None:
                raise refuse_override(option, self.name)
        if count is not None:
            _check_override("--count", count, 1, COUNT_MAX)
            stimulus = replace(stimulus, count=count)
        if seed is not None:
            _check_override("--seed", seed, 0, SEED_MAX)
            stimulus = replace(stimulus, seed=seed)
        return replace(self, stimulus=stimulus)


def load_plan(name_or_path: str) -> Plan:
    """Read a built-in plan or a file. Raises InputError: one line with file, line and key."""
    source = name_or_path if name_or_path in plan_names() else None
    document = read_document(find_plan(name_or_path), source)
    return parse_plan(document.text, document.source)


def parse_plan(text: str, source: str) -> Plan:
    """A plan from its text; `source` is the name used in errors. Raises InputError."""
    root = TomlFile(text, source).root()
    root.allow_only(_TABLES)
    head = root.table("plan")
    head.allow_only(("name", "title", "measurement", "scenario", "load_cpus"))
    measurement = head.choice("measurement", tuple(MEASUREMENTS))
    agent = parse_agent(root, measurement)
    its_table = "agent" if agent.self_trigger else MEASUREMENTS[measurement].plan_table
    own_events = _own_events_for(measurement, its_table, root)
    scenario = head.text("scenario", "idle", pattern=NAME_PATTERN, valid=NAME_VALID)
    measurands = MEASUREMENTS[measurement].measurands_of(self_trigger=agent.self_trigger)
    return Plan(
        name=head.text("name", pattern=NAME_PATTERN, valid=NAME_VALID),
        title=head.text("title", "", valid="one line of text"),
        measurement=measurement,
        scenario=scenario,
        stimulus=_stimulus_for(measurement, its_table, root),
        agent=agent,
        capture=_capture(root.table("capture")),
        response=_response(root.table("response")),
        limits=Limits(**_limits(root, measurement, agent.variant, measurands, scenario)),
        text=text,
        source=source,
        own_events=own_events,
        tools=parse_tools(root, agent),
        load_cpus=_load_cpus(head, scenario),
    )


def _load_cpus(head: TomlTable, scenario: str) -> str:
    """Return the processors of the load, as the agent takes them. Raises InputError."""
    if "load_cpus" not in head:
        return ""
    if scenario == IDLE:
        raise head.error("load_cpus", "there is no load to place", "with a scenario that has one")
    return head.text("load_cpus", pattern=_CPUS_PATTERN, valid='processors such as "0,2-3"')


def _limits(
    root: TomlTable, name: str, variant: str, measurands: tuple[str, ...], scenario: str
) -> dict[str, Any]:
    table, measurement = root.table("limits", optional=True), MEASUREMENTS[name]
    fields = parse_limits(table, measurands, scenario)
    named = {*table.values, *table.table(scenario, optional=True).values}
    none = {count: 0 for count in measurement.counts_limited(variant) if count not in named}
    others = {"others": {**fields["others"], **none}}
    return fields | others | dict.fromkeys({*measurement.counts_not_limited} - named)


def _own_events_for(measurement: str, its_table: str, root: TomlTable) -> PlannedEvents | None:
    for table, owner in _OWN_TABLES.items():
        if table in root and table != its_table:
            problem = f"belongs to measurement {owner}, not to {measurement}"
            raise root.error(table, problem, f'measurement = "{owner}", or no [{table}] table')
    if its_table not in _OWN_TABLES:
        return None
    return MEASUREMENTS[measurement].planned_events(root.table(its_table))


def _stimulus_for(measurement: str, its_table: str, root: TomlTable) -> StimulusPlan | None:
    if its_table == "stimulus":
        return parse_stimulus(root.table("stimulus"))
    if "stimulus" in root:
        raise root.error("stimulus", MEASUREMENTS[measurement].no_pulses, "no [stimulus] table")
    return None


def _capture(table: TomlTable) -> CapturePlan:
    table.allow_only(("resolution", "glitch_filter"))
    return CapturePlan(
        resolution_ps=table.time_ps("resolution", 1, SECOND_PS),
        glitch_filter_ps=table.time_ps("glitch_filter", 0, SECOND_PS),
    )


def _response(table: TomlTable) -> ResponsePlan:
    table.allow_only(("timeout", "sequence_bits"))
    return ResponsePlan(
        timeout_ps=table.time_ps("timeout", 1, TIME_MAX_PS),
        sequence_bits=table.integer("sequence_bits", 0, 8, 0),
    )


def _check_override(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        valid = f"an integer from {low} to {high}"
        raise input_error(option, None, "", f"{value} is out of range", valid)
