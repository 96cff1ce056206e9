# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of the target's own system that measure beside the pins, and their output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from rig.untrusted.decode import Length, NumberRange, OneOf, decoded
from rig.untrusted.json_reader import json_value

OUTPUT_MAX = 1 << 18
"""The most bytes that a tool may print."""
RUNS_MAX = 16


@dataclass(frozen=True)
class Tool:
    """A tool of the target's own system."""

    name: str
    """The name in plans and the agent's protocol."""
    title: str
    package: str
    """Its package of Debian; "" if it is a part of the kernel."""
    tracer: str = ""
    """The tracer of the kernel that it needs."""
    kernel_options: str = ""
    """The options that a kernel with that tracer is built with."""
    subject: str = "wakeup"
    """What it measures, as tables name it."""
    how: str = "user task"
    """What it measures with, which may be another kind of task than the pins'."""
    is_periodic: bool = False
    """It wakes a task each period."""
    keeps_histogram: bool = False


def _tracer(name: str, kernel_options: str, subject: str) -> Tool:
    title = f"kernel's tracer {name}"
    return Tool(name, title, "", name, kernel_options, subject, how="kernel")


CYCLICTEST = Tool("cyclictest", "cyclictest", "rt-tests", is_periodic=True, keeps_histogram=True)
TIMERLAT = Tool(
    "timerlat", "rtla timerlat", "rtla", "timerlat", "CONFIG_TIMERLAT_TRACER", how="kernel thread",
    is_periodic=True, keeps_histogram=True,
)  # fmt: skip
HWLAT = Tool(
    "hwlat", "kernel's tracer hwlat", "", "hwlat", "CONFIG_HWLAT_TRACER", "smi",
    how="kernel thread, interrupts off",
)  # fmt: skip
TOOLS = {
    tool.name: tool
    for tool in (
        CYCLICTEST,
        TIMERLAT,
        HWLAT,
        Tool("signaltest", "signaltest", "rt-tests", subject="signal round trip"),
        Tool("ptsematest", "ptsematest", "rt-tests", subject="mutex handover", is_periodic=True),
        Tool("pi_stress", "pi_stress", "rt-tests", subject="priority inversion"),
        _tracer("irqsoff", "CONFIG_IRQSOFF_TRACER", "interrupts off"),
        _tracer("preemptoff", "CONFIG_PREEMPT_TRACER", "preemption off"),
        _tracer(
            "preemptirqsoff",
            "CONFIG_IRQSOFF_TRACER and CONFIG_PREEMPT_TRACER",
            "interrupts or preemption off",
        ),
        _tracer("wakeup_rt", "CONFIG_SCHED_TRACER", "wakeup in the kernel"),
    )
}

READY = "ready"
"""The agent's word for a tool that can be started."""


def lacking(tool: Tool, word: str) -> str:
    """Return why a tool cannot run, and what to do, by the agent's word for it; "" if it can."""
    if word == READY:
        return ""
    return {
        "not-installed": f"not on the target; install there Debian's package {tool.package}",
        "no-tracefs": "the target has no tracefs; mount it there: "
        "mount -t tracefs tracefs /sys/kernel/tracing",
        "no-tracer": f"the target's kernel has no tracer {tool.tracer}; it needs one built with "
        f"{tool.kernel_options}",
        "not-root": "the agent may not use the kernel's tracers; start it as root",
    }.get(word, f"the agent cannot start it ({word[:40]!a})")


@dataclass(frozen=True)
class ToolRun:
    """The result of one tool: either a reason why it did not run, or what it printed."""

    tool: Annotated[str, OneOf(tuple(TOOLS))]
    words: str = ""
    """The words that the agent got beside the tool's name."""
    reason: str = ""
    exit_code: Annotated[int, NumberRange(-(2**31), 2**31)] | None = None
    output: Annotated[str, Length(OUTPUT_MAX)] = ""


@dataclass(frozen=True)
class _Runs:
    """All tool runs, as the run file has them."""

    runs: Annotated[tuple[ToolRun, ...], Length(RUNS_MAX)]


def to_json(runs: Sequence[ToolRun]) -> str:
    """Return the runs as the text for the run file."""
    return json.dumps({"runs": [asdict(run) for run in runs]}, sort_keys=True, indent=1)


def from_json(text: str) -> tuple[ToolRun, ...]:
    """Return the runs of such a text; "" is no run. Raises ValueError for another text."""
    return decoded(_Runs, json_value(text)).runs if text else ()
