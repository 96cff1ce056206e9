# SPDX-License-Identifier: GPL-3.0-or-later
"""The [tools] table of a plan: measurements by the target's own system beside the pins."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.plan_agent import PERIOD_MAX_PS, AgentPlan
from rig.toml.reader import TomlTable
from rig.tools.tool_runs import HWLAT, TOOLS

SECOND_PS = 10**12
DURATION_MAX_PS = 86_400 * SECOND_PS
MICROSECOND_PS = 10**6

HISTOGRAM_MAX_PS = 10 * 10**9
ALL_CPUS = "all"
_KEYS = ("run", "duration", "period", "cpus", "histogram")
_WINDOW_KEYS = ("window", "width", "threshold")


@dataclass(frozen=True)
class ToolsPlan:
    """The tools that are run, and how."""

    run: tuple[str, ...]
    duration_s: int = 0
    """The duration of each; 0: as long as the periods take."""
    period_us: int = 0
    """The period of a task that a tool wakes; 0: that of the agent's."""
    all_cpus: bool = False
    """A tool measures on each processor at once."""
    histogram_us: int = 0
    """The end of the histogram that a tool keeps; 0: its own default, or none."""
    window_us: int = 0
    width_us: int = 0
    threshold_us: int = 0

    def wire_arguments(self, tool: str, agent: AgentPlan) -> dict[str, int]:
        """Return the agent's arguments to start a tool. Raises ValueError where it cannot."""
        words = {"duration_s": self.duration_s or _periods_s(agent)}
        if tool == HWLAT.name:
            return words | {
                "window_us": self.window_us,
                "width_us": self.width_us,
                "threshold_us": self.threshold_us,
            }
        if TOOLS[tool].tracer and not TOOLS[tool].is_periodic:
            return words
        if TOOLS[tool].is_periodic:
            if not self.period_us and agent.period_ps % MICROSECOND_PS:
                raise ValueError("it knows whole microseconds only, and the period is none")
            words["period_us"] = self.period_us or agent.period_ps // MICROSECOND_PS
        if agent.priority is not None:
            words["priority"] = agent.priority
        if self.histogram_us and TOOLS[tool].keeps_histogram:
            words["histogram_us"] = self.histogram_us
        if self.all_cpus:
            return words | {"all_cpus": 1}
        return words if agent.cpu is None else words | {"cpu": agent.cpu}

    def expected_s(self, agent: AgentPlan) -> int:
        """Return the time that all tools take."""
        return len(self.run) * (self.duration_s or _periods_s(agent))

    def expected_wakes(self, agent: AgentPlan) -> float:
        """Return how often all of them wake, those that know a period."""
        period_s = agent.period_ps / SECOND_PS
        return self.expected_s(agent) / period_s if period_s else 0.0


def parse_tools(root: TomlTable, agent: AgentPlan) -> ToolsPlan | None:
    """Parse the table, if there is one. Raises InputError."""
    if "tools" not in root:
        return None
    table = root.table("tools")
    names = _names(table)
    table.allow_only((*_KEYS, *(_WINDOW_KEYS if HWLAT.name in names else ())))
    has_period = bool(agent.period_ps)
    needs_period = not has_period and any(TOOLS[name].is_periodic for name in names)
    if "cpus" in table:
        table.choice("cpus", (ALL_CPUS,))
    return ToolsPlan(
        run=names,
        duration_s=_duration_s(table, needed=not has_period),
        period_us=_whole_us(table, "period", PERIOD_MAX_PS, needed=needs_period),
        all_cpus="cpus" in table,
        histogram_us=_whole_us(table, "histogram", HISTOGRAM_MAX_PS),
        **(_window(table) if HWLAT.name in names else {}),
    )


def _names(table: TomlTable) -> tuple[str, ...]:
    names = table.values.get("run")
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) and name in TOOLS for name in names)
        or len(set(names)) != len(names)
    ):
        valid = f"a list of some of {', '.join(TOOLS)}, each once"
        raise table.error("run", f"{names!a} is not possible", valid)
    return tuple(names)


def _duration_s(table: TomlTable, *, needed: bool) -> int:
    if not needed and "duration" not in table:
        return 0
    duration_ps = table.time_ps("duration", SECOND_PS, DURATION_MAX_PS)
    if duration_ps % SECOND_PS:
        raise table.error("duration", "not whole seconds", "whole seconds")
    return duration_ps // SECOND_PS


def _periods_s(agent: AgentPlan) -> int:
    """Return the time that all periods take, in whole seconds."""
    total_ps = min(agent.period_ps * agent.count, DURATION_MAX_PS)
    return max(1, -(-total_ps // SECOND_PS))


def _whole_us(table: TomlTable, key: str, most_ps: int, *, needed: bool = False) -> int:
    """Return a time that may be absent, then 0, unless it is needed."""
    if key not in table and not needed:
        return 0
    time_ps = table.time_ps(key, MICROSECOND_PS, most_ps)
    if time_ps % MICROSECOND_PS:
        raise table.error(key, "not whole microseconds", "whole microseconds")
    return time_ps // MICROSECOND_PS


def _window(table: TomlTable) -> dict[str, int]:
    found = {}
    for key, most_ps in (
        ("window", 100 * SECOND_PS), ("width", 100 * SECOND_PS), ("threshold", 10 * SECOND_PS)
    ):  # fmt: skip
        found[f"{key}_us"] = _whole_us(table, key, most_ps, needed=True)
    if found["width_us"] >= found["window_us"]:
        raise table.error("width", "not shorter than the window", "a time below window")
    return found
