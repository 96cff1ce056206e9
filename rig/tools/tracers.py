# SPDX-License-Identifier: GPL-3.0-or-later
"""The longest latency that one of the kernel's latency tracers has seen, and where it was.

The head of its trace is described in the kernel's Documentation/trace/ftrace.rst.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rig.tools.figures import ToolFigures, last_words

WHAT = {
    "irqsoff": "longest time with interrupts off",
    "preemptoff": "longest time with preemption off",
    "preemptirqsoff": "longest time with interrupts or preemption off",
    "wakeup_rt": "longest time from the waking of a real-time task to its switch to the processor",
}
"""What each tracer looks for."""
_LATENCY = re.compile(r"# latency: (\d{1,12}) us, #\d{1,9}/\d{1,9}, CPU#(\d{1,4}) \|.{0,80}")
_PLACE = re.compile(r"#    \| (task: .{1,80})|#  => (?:started at|ended at): +(.{1,80})")
_TASK_ID = re.compile(r"(task: .{1,60}-\d{1,10}) \(uid:.*")


def tracer_figures(tracer: str, lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse the trace of the longest latency: one value, and where it was. Raises ValueError."""
    if not lines or lines[0].strip() != f"# tracer: {tracer}":
        raise ValueError("its output is no trace of it; " + last_words(lines))
    found = [match for line in lines if (match := _LATENCY.fullmatch(line.rstrip()))]
    if len(found) > 1:
        raise ValueError(f"its output has {len(found)} latencies")
    if not found:
        return (ToolFigures(title, f"{WHAT[tracer]}: none was seen", 0, None, None, None),)
    where = [match[1] or match[2] for line in lines if (match := _PLACE.fullmatch(line.rstrip()))]
    places = [task[1] if (task := _TASK_ID.fullmatch(each)) else each for each in where[:3]]
    what = f"{WHAT[tracer]}: {', '.join([f'processor {found[0][2]}', *places])}"
    return (ToolFigures(title, what, None, None, None, 1000.0 * int(found[0][1])),)
