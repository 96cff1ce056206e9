# SPDX-License-Identifier: GPL-3.0-or-later
"""The [tools] table of a plan: measurements by the target's own system beside the pins."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.plan_agent import AgentPlan
from rig.measurements.registry import MEASUREMENTS
from rig.toml.reader import TomlTable
from rig.tools.tool_runs import HWLAT

SECOND_PS = 10**12
DURATION_MAX_PS = 86_400 * SECOND_PS
MICROSECOND_PS = 10**6

TOOLS_OF = {name: each.tools for name, each in MEASUREMENTS.items() if each.tools}
"""The tools that a measurement may have beside it."""
_WINDOW_KEYS = ("window", "width", "threshold")


@dataclass(frozen=True)
class ToolsPlan:
    """The tools that are run, and how."""

    run: tuple[str, ...]
    duration_s: int = 0
    """The duration of each; 0: as long as the periods take."""
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
        if agent.period_ps % MICROSECOND_PS:
            raise ValueError("it knows whole microseconds only, and the period is none")
        words |= {"period_us": agent.period_ps // MICROSECOND_PS}
        if agent.priority is not None:
            words["priority"] = agent.priority
        return words if agent.cpu is None else words | {"cpu": agent.cpu}

    def expected_s(self, agent: AgentPlan) -> int:
        """Return the time that all tools take."""
        return len(self.run) * (self.duration_s or _periods_s(agent))


def parse_tools(root: TomlTable, measurement: str, agent: AgentPlan) -> ToolsPlan | None:
    """Parse the table, if there is one. Raises InputError."""
    if "tools" not in root:
        return None
    table = root.table("tools")
    known = TOOLS_OF.get(measurement, ())
    if not known:
        owners = ", ".join(TOOLS_OF)
        problem = f"measurement {measurement} has no tools beside it"
        raise root.error("tools", problem, f"no [tools] table, or measurement {owners}")
    windowed = HWLAT.name in known
    table.allow_only(("run", "duration", *(_WINDOW_KEYS if windowed else ())))
    return ToolsPlan(
        run=_names(table, known),
        duration_s=_duration_s(table, needed=not agent.period_ps),
        **(_window(table) if windowed else {}),
    )


def _names(table: TomlTable, known: tuple[str, ...]) -> tuple[str, ...]:
    names = table.values.get("run")
    good = isinstance(names, list) and names and all(name in known for name in names)
    if not isinstance(names, list) or not good or len(set(names)) != len(names):
        valid = f"a list of some of {', '.join(known)}, each once"
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


def _window(table: TomlTable) -> dict[str, int]:
    found = {}
    for key, most_ps in (
        ("window", 100 * SECOND_PS), ("width", 100 * SECOND_PS), ("threshold", 10 * SECOND_PS)
    ):  # fmt: skip
        time_ps = table.time_ps(key, MICROSECOND_PS, most_ps)
        if time_ps % MICROSECOND_PS:
            raise table.error(key, "not whole microseconds", "whole microseconds")
        found[f"{key}_us"] = time_ps // MICROSECOND_PS
    if found["width_us"] >= found["window_us"]:
        raise table.error("width", "not shorter than the window", "a time below window")
    return found
