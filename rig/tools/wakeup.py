# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of cyclictest and rtla timerlat on a periodic task's wake-up, read strictly.

Both measure inside the target, with its own clock, and end where the task has read it; a pin shows
what comes behind that, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rig.tools.tool_runs import CYCLICTEST, TIMERLAT, ToolRun

TASK = "from the time that a sleep should end to the task's reading of the clock"
KERNEL_THREAD = "from the time that a timer is due to a kernel thread that it wakes"
TIMER_INTERRUPT = "from the time that a timer is due to its interrupt's handler"
_LINES_MAX = 20_000
_THREAD = re.compile(
    r"T: *0 \( *\d{1,10}\) P: *\d{1,2} I: *\d{1,10} C: *(\d{1,12}) Min: *(\d{1,12}) "
    r"Act: *\d{1,12} Avg: *(\d{1,12}) Max: *(\d{1,12})"
)
_COLUMN = re.compile(r"(IRQ|Thr)-\d{1,4}")
_SUMMARY = ("count:", "min:", "avg:", "max:")


@dataclass(frozen=True)
class ToolFigures:
    """One line of a tool's result, in ns."""

    title: str
    what: str
    """The two points between which it measures."""
    n: int
    min_ns: float | None
    average_ns: float | None
    max_ns: float | None


def wakeup_figures(run: ToolRun) -> tuple[ToolFigures, ...]:
    """Return the figures of a run of either. Raises ValueError, in words, for other output."""
    lines = run.output.splitlines()
    if len(lines) > _LINES_MAX:
        raise ValueError(f"it printed {len(lines):,} lines")
    return {CYCLICTEST.name: _cyclictest, TIMERLAT.name: _timerlat}[run.tool](lines)


def _cyclictest(lines: list[str]) -> tuple[ToolFigures, ...]:
    """Parse the output of `cyclictest -q -N -t 1`: one line for its one thread."""
    found = [match for line in lines if (match := _THREAD.fullmatch(line.strip()))]
    if len(found) != 1:
        raise ValueError("its output has no summary of one thread; " + _last(lines))
    n, least, average, most = (int(text) for text in found[0].groups())
    if not n:
        raise ValueError("it measured nothing")
    _check_order(least, average, most)
    return (ToolFigures(CYCLICTEST.title, TASK, n, least, average, most),)


def _timerlat(lines: list[str]) -> tuple[ToolFigures, ...]:
    """Parse `rtla timerlat hist -n` on one processor: two columns, with a summary below."""
    heads = [line.split()[1:] for line in lines if line.startswith("Index")]
    if len(heads) != 1 or not heads[0] or not all(_COLUMN.fullmatch(name) for name in heads[0]):
        raise ValueError("its output has no histogram; " + _last(lines))
    rows = {}
    for line in lines:
        name, *cells = line.split() or [""]
        if name in _SUMMARY:
            if name in rows or len(cells) != len(heads[0]):
                raise ValueError(f"its summary {name} has {len(cells)} values")
            rows[name] = [_number(cell) for cell in cells]
    if set(rows) != set(_SUMMARY):
        raise ValueError("its output has no summary; " + _last(lines))
    columns = zip(heads[0], *(rows[name] for name in _SUMMARY), strict=True)
    return tuple(_column(*column) for column in columns if column[1])


def _column(
    name: str, n: int | None, least: int | None, average: int | None, most: int | None
) -> ToolFigures:
    if n is None or least is None or average is None or most is None:
        raise ValueError(f"its column {name} has holes")
    _check_order(least, average, most)
    kernel = name.startswith("IRQ")
    title = f"{TIMERLAT.title}, {'interrupt' if kernel else 'thread'}"
    what = TIMER_INTERRUPT if kernel else KERNEL_THREAD
    return ToolFigures(title, what, n, least, average, most)


def _number(text: str) -> int | None:
    if text == "-":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise ValueError(f"{text[:20]!a} in its summary is no number")
    return int(text)


def _check_order(least: int, average: int, most: int) -> None:
    if not least <= average <= most:
        raise ValueError(f"its figures contradict each other: {least}, {average}, {most}")


def _last(lines: list[str]) -> str:
    """Return the end of the output, for whoever must find out why."""
    words = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"its last line is {words[:80]!a}" if words else "it printed nothing"
