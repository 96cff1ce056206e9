# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of the target's own system that measure beside the pins: what ran, and what it printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from rig.untrusted.decode import Length, NumberRange, OneOf, decoded
from rig.untrusted.json_reader import json_value

OUTPUT_MAX = 1 << 18
"""Bytes that a tool may print."""
RUNS_MAX = 16


@dataclass(frozen=True)
class Tool:
    """One of them."""

    name: str
    """As the agent and plans know it."""
    title: str
    package: str
    """Of Debian; "" if it is a part of the kernel."""
    tracer: str = ""
    """Of the kernel, that it needs."""


CYCLICTEST = Tool("cyclictest", "cyclictest", "rt-tests")
TIMERLAT = Tool("timerlat", "rtla timerlat", "rtla", "timerlat")
HWLAT = Tool("hwlat", "kernel's tracer hwlat", "", "hwlat")
TOOLS = {tool.name: tool for tool in (CYCLICTEST, TIMERLAT, HWLAT)}

READY = "ready"
"""What an agent says of a tool that can be started."""


def lacking(tool: Tool, word: str) -> str:
    """Why a tool cannot run, and what to do, by the agent's word for it; "" for one that can."""
    if word == READY:
        return ""
    return {
        "not-installed": f"not on the target; install there Debian's package {tool.package}",
        "no-tracefs": "the target has no tracefs; mount it there: "
        "mount -t tracefs tracefs /sys/kernel/tracing",
        "no-tracer": f"the target's kernel has no tracer {tool.tracer}; it needs one built with "
        f"CONFIG_{tool.tracer.upper()}_TRACER",
        "not-root": "the agent may not use the kernel's tracers; start it as root",
    }.get(word, f"the agent cannot start it ({word[:40]!a})")


@dataclass(frozen=True)
class ToolRun:
    """What came of one. Either a reason why it did not run, or what it printed."""

    tool: Annotated[str, OneOf(tuple(TOOLS))]
    words: str = ""
    """What the agent was told beside its name."""
    reason: str = ""
    exit_code: Annotated[int, NumberRange(-(2**31), 2**31)] | None = None
    output: Annotated[str, Length(OUTPUT_MAX)] = ""


@dataclass(frozen=True)
class _Runs:
    """As the run file has them."""

    runs: Annotated[tuple[ToolRun, ...], Length(RUNS_MAX)]


def to_json(runs: Sequence[ToolRun]) -> str:
    """For the run file."""
    return json.dumps({"runs": [asdict(run) for run in runs]}, sort_keys=True, indent=1)


def from_json(text: str) -> tuple[ToolRun, ...]:
    """The way back; "" is no run. Raises ValueError for what was not written so."""
    return decoded(_Runs, json_value(text)).runs if text else ()
