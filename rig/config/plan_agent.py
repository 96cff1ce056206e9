# SPDX-License-Identifier: GPL-3.0-or-later
"""The [agent] table of a plan: what is asked of the agent on the target beyond the measurement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.analysis.model.period_search import RESOLUTION_MAX_PPM, RESOLUTION_MIN_PPM
from rig.analysis.model.self_measurement import SelfMeasurement
from rig.analysis.model.task_set import TASKS_MAX as TASK_SET_MAX
from rig.analysis.model.task_set import PeriodicTask, tasks_word
from rig.errors import InputError, input_error
from rig.measurements.measurement import DEADLINE
from rig.measurements.registry import MEASUREMENTS, SELF_MEASUREMENTS
from rig.toml.reader import TomlTable
from rig.toml.units import RATE, TIME

PERIOD_MIN_PS = 10 * 10**6
"""The shortest period of a task that writes pins, or of interrupts."""
PERIOD_MAX_PS = 100 * 10**12
COUNT_MAX = 2**32 - 1
CPU_MAX = 4095
PRIORITY_MAX = 99
RUNTIME_MIN_PS = 1024 * 1000
"""The shortest that Linux takes."""
PRIORITY_DEFAULT = 80
"""The agent's own."""
TASKS_MAX = 512
WORK_MAX_PS = 10**12
SPIN_PAUSE_MAX_PS = 10**9
PAUSE_MAX_PS = WAIT_MAX_PS = BUSY_MAX_PS = 10**12
BATCH_MAX = WARM_UP_MAX = 10**6
TIMEOUT_MAX_PS = 10**13
THRESHOLD_MAX_PS = 10**13
DURATION_MAX_PS = 10**18

TIMERS = ("nanosleep", "itimer", "timerfd")
HANDLERS = ("parport", "hard", "default")
TASKS_AS = ("threads", "processes")
SECOND_LEVELS = ("thread", "workqueue", "tasklet")

LOWEST, HIGHEST = "lowest", "highest"
FREQUENCY_MIN_HZ, FREQUENCY_MAX_HZ = 10**6, 10**10

AGENT_KEYS = {
    name: (
        *each.agent_keys,
        *(("frequency",) if "cpu" in each.agent_keys else ()),
        *(("interrupt_cpu", "interrupt_priority") if "handler" in each.agent_keys else ()),
    )
    for name, each in MEASUREMENTS.items()
}
"""The keys that each measurement may have."""


@dataclass(frozen=True)
class AgentPlan:
    """What the agent is told. What is None or "" is left to the agent."""

    period_ps: int = 0
    """The time from one period, or trigger of the target's own, to the next; 0 if there is none."""
    count: int = 0
    """Periods, answered or missed, or triggers, after which the run is over."""
    self_trigger: bool = False
    """The target makes the interrupts itself."""
    timer: str = ""
    handler: str = ""
    second_level: str = ""
    priority: int | None = None
    policy: str = ""
    """The scheduling policy of a periodic task, or of tasks inside the target."""
    runtime_ps: int = 0
    """The time that a task may run in each period, by deadlines; 0: it has none."""
    cpu: int | None = None
    interrupt_cpu: int | None = None
    """The processor that handles the interrupt."""
    interrupt_priority: int | None = None
    """The priority of the thread of the interrupt."""
    frequency: str | int = ""
    """The frequency at which that processor is held: LOWEST, HIGHEST or in kHz; "": it is not."""
    variant: str = ""
    """The variant of a measurement inside the target."""
    tasks: int | None = None
    """That switch."""
    work_ps: int = 0
    """The least time from a periodic task's start to its finish; that a middle task is busy."""
    section_ps: int = 0
    """The time that a task of low priority works while it holds a mutex."""
    period_stop_ps: int = 0
    """The shortest period of a search."""
    resolution_ppm: int = 0
    """The resolution of the limit that it searches for."""
    periodic: tuple[PeriodicTask, ...] = ()
    """Tasks with a period and work of their own."""
    pause_ps: int = 0
    """The least time between two toggles of the pin of a task that spins, or two iterations."""
    wait_ps: int = 0
    """The time for which a woken task is busy before it waits again."""
    timeout_ps: int = 0
    """The time beyond which an iteration has failed; 0: the agent's."""
    low_priority: int | None = None
    """The priority of the task that is preempted."""
    tasks_as: str = ""
    busy_ps: int = 0
    """The time for which a task is busy before each step that is measured."""
    batch: int | None = None
    """The number of switches that are timed as a whole; None: each alone."""
    warm_up: int = 0
    """The number of values before the first of those that are counted."""
    more_readings: int = 0
    """The number of periods beyond those that were asked for: 1 if intervals were."""
    period_min_ps: int = PERIOD_MIN_PS
    threshold_ps: int = 0
    """The time between two of them beyond which it is a gap."""
    gaps: int = 0
    """The number of gaps after which it ends, if that is before `count` toggles; 0: none."""
    duration_ps: int = 0
    """The time after which it ends, in the same way."""
    pin: bool = False
    """Values that are measured inside the target end with an edge of the response pin."""

    @property
    def period_ns(self) -> int:
        """Whole, as the agent takes it."""
        return self.period_ps // 1000

    def wire_arguments(self) -> dict[str, str]:
        """Words for the agent's ARM, name to value."""
        given = {
            "timer": self.timer,
            "handler": self.handler,
            "second_level": self.second_level,
            "priority": self.priority,
            "policy": self.policy,
            "cpu": self.cpu,
            "interrupt_cpu": self.interrupt_cpu,
            "interrupt_priority": self.interrupt_priority,
            "variant": self.variant,
            "tasks": self.tasks,
            "tasks_as": self.tasks_as,
            "low_priority": self.low_priority,
            "batch": self.batch,
            "warm_up": self.warm_up or None,
        }
        words = {name: str(value) for name, value in given.items() if value not in ("", None)}
        if self.period_ps:
            words["period_ns"] = str(self.period_ns)
        if self.count:
            words["count"] = str(self.count)
        times = {
            "work_ns": self.work_ps,
            "wait_ns": self.wait_ps,
            "section_ns": self.section_ps,
            "runtime_ns": self.runtime_ps,
            "busy_ns": self.busy_ps,
            "threshold_ns": self.threshold_ps,
            "timeout_ns": self.timeout_ps,
            "duration_ns": self.duration_ps,
        }
        words |= {name: str(time_ps // 1000) for name, time_ps in times.items() if time_ps}
        if self.resolution_ppm:
            words["period_stop_ns"] = str(self.period_stop_ps // 1000)
            words["resolution_ppm"] = str(self.resolution_ppm)
        if self.periodic:
            words["periodic"] = tasks_word(self.periodic)
        if self.threshold_ps or self.pause_ps:
            words["pause_ns"] = str(self.pause_ps // 1000)
        if self.gaps:
            words["gaps"] = str(self.gaps)
        if self.pin:
            words["pin"] = "1"
        if self.self_trigger:
            words["self_trigger"] = "1"
        return words

    def with_overrides(self, count: int | None, period: str | None, timer: str | None) -> AgentPlan:
        """Periods of another number, length or timer. Raises InputError."""
        changed = self
        if count is not None:
            valid = f"an integer from 1 to {COUNT_MAX}"
            if not 1 <= count <= COUNT_MAX:
                raise input_error("--count", None, "", f"{count} is out of range", valid)
            changed = replace(changed, count=count + self.more_readings)
        if period is not None:
            changed = replace(changed, period_ps=_period_of(period, self.period_min_ps))
        if timer is not None:
            changed = replace(changed, timer=timer)
        return changed


def parse_agent(root: TomlTable, measurement: str) -> AgentPlan:
    """The table of a plan for this measurement. Raises InputError."""
    table = root.table("agent", optional=MEASUREMENTS[measurement].plan_table != "agent")
    own = AGENT_KEYS[measurement]
    table.allow_only(tuple(dict.fromkeys(key for keys in AGENT_KEYS.values() for key in keys)))
    for key in table.values:
        if key not in own:
            owners = ", ".join(each for each, keys in AGENT_KEYS.items() if key in keys)
            problem = f"belongs to measurement {owners}, not to {measurement}"
            raise table.error(key, problem, ", ".join(own))
    self_trigger = table.flag("self_trigger")
    inside = SELF_MEASUREMENTS.get(measurement)
    timed = inside is None and (self_trigger or MEASUREMENTS[measurement].plan_table == "agent")
    if inside is None:
        _refuse_untimed(table, measurement, timed=timed)
    variants = () if inside is None else tuple(inside.variants)
    more = int(table.flag("intervals"))
    period_min_ps = PERIOD_MIN_PS if inside is None else inside.least_period_ns * 1000
    has_period = timed or (inside is not None and "period" in inside.needs)
    return AgentPlan(
        period_ps=_time_ps(table, "period", period_min_ps, PERIOD_MAX_PS) if has_period else 0,
        count=table.integer("count", 1, COUNT_MAX - more) + more if timed or inside else 0,
        more_readings=more,
        period_min_ps=period_min_ps,
        self_trigger=self_trigger,
        timer=_choice(table, "timer", TIMERS),
        handler=_choice(table, "handler", HANDLERS),
        second_level=_choice(table, "second_level", SECOND_LEVELS),
        priority=_priority(table, 0 if inside is None else inside.levels),
        policy=_policy(table, MEASUREMENTS[measurement].policies),
        runtime_ps=_runtime_ps(table) if "runtime" in own else 0,
        cpu=_number(table, "cpu", 0, CPU_MAX),
        interrupt_cpu=_number(table, "interrupt_cpu", 0, CPU_MAX),
        interrupt_priority=_number(table, "interrupt_priority", 1, PRIORITY_MAX),
        frequency=_frequency(table) if "frequency" in table else "",
        variant=_choice(table, "variant", variants),
        tasks=table.integer("tasks", 2, TASKS_MAX) if "tasks" in table else None,
        tasks_as=_choice(table, "tasks_as", TASKS_AS),
        low_priority=_low_priority(table) if "low_priority" in table else None,
        work_ps=_work_ps(table, "work", inside),
        section_ps=_work_ps(table, "section", inside),
        wait_ps=_time_ps(table, "wait", 0, WAIT_MAX_PS) if "wait" in table else 0,
        timeout_ps=_time_ps(table, "timeout", 1000, TIMEOUT_MAX_PS) if "timeout" in table else 0,
        busy_ps=_busy_ps(table) if "busy" in table else 0,
        batch=table.integer("batch", 2, BATCH_MAX) if "batch" in table else None,
        warm_up=table.integer("warm_up", 0, WARM_UP_MAX) if "warm_up" in table else 0,
        **(_period_search(table) if "period_stop" in own else {}),
        periodic=_periodic(table) if "task" in own else (),
        pin=table.flag("pin"),
        **(_spin(table) if inside is not None and inside.spins else _pause(table)),
    )


def _refuse_untimed(table: TomlTable, measurement: str, *, timed: bool) -> None:
    """Pulses of the stimulus have a table of their own for such things."""
    for key in ("period", "count"):
        if key in table and not timed:
            problem = f"measurement {measurement} has its pulses from [stimulus]"
            raise table.error(key, problem, "with self_trigger = true only")


def _frequency(table: TomlTable) -> str | int:
    """Return LOWEST, HIGHEST, or a number in kHz."""
    if "cpu" not in table:
        raise table.error("frequency", "of no processor", "with cpu, whose frequency it is")
    if table.values["frequency"] in (LOWEST, HIGHEST):
        return str(table.values["frequency"])
    frequency_hz = table.quantity(RATE, "frequency", FREQUENCY_MIN_HZ, FREQUENCY_MAX_HZ)
    if frequency_hz % 1000:
        raise table.error("frequency", "not a whole number of kHz", "whole kHz")
    return frequency_hz // 1000


def _number(table: TomlTable, key: str, low: int, high: int) -> int | None:
    return table.integer(key, low, high) if key in table else None


def _choice(table: TomlTable, key: str, words: tuple[str, ...]) -> str:
    return table.choice(key, words) if key in table else ""


def _time_ps(table: TomlTable, key: str, low_ps: int, high_ps: int) -> int:
    """Return a time as the agent takes it. Raises InputError."""
    time_ps = table.time_ps(key, low_ps, high_ps)
    if time_ps % 1000:
        raise table.error(key, "not a whole number of nanoseconds", "whole nanoseconds")
    return time_ps


def _priority(table: TomlTable, least: int) -> int | None:
    return table.integer("priority", least, PRIORITY_MAX) if "priority" in table else None


def _period_search(table: TomlTable) -> dict[str, int]:
    """Return the end of a search for a period, which begins with `period`. Raises InputError."""
    first_ps = _time_ps(table, "period", PERIOD_MIN_PS, PERIOD_MAX_PS)
    least, most = RESOLUTION_MIN_PPM / 1e6, RESOLUTION_MAX_PPM / 1e6
    return {
        "period_stop_ps": _time_ps(table, "period_stop", PERIOD_MIN_PS, first_ps),
        "resolution_ppm": round(table.number("resolution", least, most) * 1e6),
    }


def _periodic(table: TomlTable) -> tuple[PeriodicTask, ...]:
    """Tasks, one in each [[agent.task]]; a priority that one lacks is that of the table above."""
    found = []
    by_deadlines = table.values.get("policy") == DEADLINE
    usual = 0 if by_deadlines else table.integer("priority", 0, PRIORITY_MAX, PRIORITY_DEFAULT)
    for task in table.tables("task"):
        task.allow_only(("period", "work", "priority", "runtime"))
        if by_deadlines and "priority" in task:
            raise task.error("priority", f"no task has one by policy {DEADLINE}", "no priority")
        found.append(
            PeriodicTask(
                _time_ps(task, "period", PERIOD_MIN_PS, PERIOD_MAX_PS) // 1000,
                _work_ps(task, "work", None) // 1000,
                task.integer("priority", 0, PRIORITY_MAX, usual),
                _runtime_ps(task, by_deadlines=by_deadlines) // 1000,
            )
        )
    if not 1 <= len(found) <= TASK_SET_MAX:
        valid = f"1 to {TASK_SET_MAX} times [[agent.task]] with period, work and priority"
        raise table.error("task", f"{len(found)} tasks", valid)
    return tuple(found)


def _policy(table: TomlTable, policies: tuple[str, ...]) -> str:
    """Return the scheduling policy, which must fit the priority. Raises InputError."""
    policy = _choice(table, "policy", policies)
    priority = table.values.get("priority")
    if policy and priority is not None and (policy in ("other", DEADLINE)) != (priority == 0):
        valid = '"other"' if priority == 0 else '"fifo" or "rr"'
        raise table.error("policy", f"{policy} does not go with priority {priority}", valid)
    return policy


def _runtime_ps(table: TomlTable, *, by_deadlines: bool | None = None) -> int:
    """Return the time that a task may run in each period, as its policy has it or not."""
    if by_deadlines is None:
        by_deadlines = table.values.get("policy") == DEADLINE
    if by_deadlines:
        period_ps = _time_ps(table, "period", PERIOD_MIN_PS, PERIOD_MAX_PS)
        return _time_ps(table, "runtime", RUNTIME_MIN_PS, period_ps)
    if "runtime" in table:
        problem = "the time that a task may run in each period is kept by one policy alone"
        raise table.error("runtime", problem, f'with policy = "{DEADLINE}" only')
    return 0


def _work_ps(table: TomlTable, key: str, inside: SelfMeasurement | None) -> int:
    if key not in table and (inside is None or key not in inside.needs):
        return 0
    return _time_ps(table, key, 0, WORK_MAX_PS)


def _busy_ps(table: TomlTable) -> int:
    if "batch" in table:
        problem = "would be part of the mean of a batch"
        raise table.error("busy", problem, "either busy or batch")
    return _time_ps(table, "busy", 0, BUSY_MAX_PS)


def _low_priority(table: TomlTable) -> int:
    """Return the priority of the task that is preempted. Raises InputError."""
    low = table.integer("low_priority", 0, PRIORITY_MAX - 1)
    high = table.integer("priority", 0, PRIORITY_MAX) if "priority" in table else PRIORITY_DEFAULT
    if low >= high:
        raise table.error("low_priority", f"not below the priority of {high}", "a lower one")
    return low


def _pause(table: TomlTable) -> dict[str, int]:
    """Return the time between two iterations; a timer that wakes a task needs one."""
    if "pause" not in table and table.values.get("variant") != "timer":
        return {}
    return {"pause_ps": _time_ps(table, "pause", 1000, PAUSE_MAX_PS)}


def _spin(table: TomlTable) -> dict[str, int]:
    """Return the times of a spinning task."""
    pause_ps = _time_ps(table, "pause", 0, SPIN_PAUSE_MAX_PS)
    threshold_ps = _time_ps(table, "threshold", 1000, THRESHOLD_MAX_PS)
    if threshold_ps <= pause_ps:
        raise table.error("threshold", "no longer than the pause", "a time above pause")
    ends = {"gaps": table.integer("gaps", 1, COUNT_MAX)} if "gaps" in table else {}
    if "duration" in table:
        ends["duration_ps"] = _time_ps(table, "duration", 10**9, DURATION_MAX_PS)
    return {"pause_ps": pause_ps, "threshold_ps": threshold_ps, **ends}


def _period_of(text: str, min_ps: int) -> int:
    """A period from the command line. Raises InputError."""
    low, high = TIME.format(min_ps), TIME.format(PERIOD_MAX_PS)
    valid = f'a time from {low} to {high} in whole nanoseconds, such as "500 us"'
    try:
        period_ps = TIME.parse(text)
    except ValueError as error:
        raise input_error("--period", None, "", str(error), valid) from None
    if not min_ps <= period_ps <= PERIOD_MAX_PS or period_ps % 1000:
        raise input_error("--period", None, "", f"{text!a} is not possible", valid)
    return period_ps


def refuse_override(option: str, plan: str) -> InputError:
    """The error for an option that means nothing to a plan."""
    return input_error(
        option, None, "", f"plan {plan} has nothing that it could replace", f"without {option}"
    )
