# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of cyclictest and rtla timerlat on a periodic task's wake-up, read strictly.

Both measure inside the target, with its own clock, and end where the task has read it; a pin shows
what comes behind that, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rig.tools.figures import ToolFigures, ToolHistogram, last_words, whole_number

TASK = "from the time that a sleep should end to the task's reading of the clock"
KERNEL_THREAD = "from the time that a timer is due to a kernel thread that it wakes"
TIMER_INTERRUPT = "from the time that a timer is due to its interrupt's handler"
BIN_NS: Final = 1000
"""The width of a bin of both."""
_THREAD = re.compile(
    r"T: *(\d{1,4}) \( *\d{1,10}\) P: *\d{1,2} I: *\d{1,10} C: *(\d{1,12}) Min: *(\d{1,12}) "
    r"Act: *\d{1,12} Avg: *(\d{1,12}) Max: *(\d{1,12})"
)
_COLUMN = re.compile(r"(IRQ|Thr)-(\d{1,4})")
_ROW = re.compile(r"\d{1,9}( +|\t)\d{1,12}([ \t]+\d{1,12})*")
_HISTOGRAM_SUMMARY: Final = {
    "total": "# Total:",
    "min": "# Min Latencies:",
    "avg": "# Avg Latencies:",
    "max": "# Max Latencies:",
    "over": "# Histogram Overflows:",
}
_TIMERLAT_SUMMARY = ("over:", "count:", "min:", "avg:", "max:")


def cyclictest_figures(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse the output of `cyclictest -q`, with or without -h: a line for each thread.

    Threads are told apart by their processors if there are several. Raises ValueError.
    """
    if "# Histogram" in lines:
        return _cyclictest_histogram(lines, title)
    found = [match for line in lines if (match := _THREAD.fullmatch(line.strip()))]
    threads = [[int(text) for text in match.groups()] for match in found]
    if not threads or [row[0] for row in threads] != [*range(len(threads))]:
        raise ValueError("its output has no summary of its threads; " + last_words(lines))
    if not all(row[1] for row in threads):
        raise ValueError("it measured nothing")
    return tuple(
        ToolFigures(title, TASK, n, least, average, most, thread if len(threads) > 1 else None)
        for thread, n, least, average, most in threads
    )


def _cyclictest_histogram(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse a histogram whose bins are microseconds, with a column for each thread."""
    summary = {}
    for name, head in _HISTOGRAM_SUMMARY.items():
        rows = [line[len(head) :].split() for line in lines if line.startswith(head)]
        if len(rows) != 1 or not rows[0]:
            raise ValueError(f"its histogram has no line {head}; " + last_words(lines))
        summary[name] = [whole_number(cell) for cell in rows[0]]
    threads = len(summary["total"])
    bins = [[int(cell) for cell in line.split()] for line in lines if _ROW.fullmatch(line.strip())]
    if any(len(row) != threads for row in summary.values()) or not all(
        len(row) == threads + 1 and row[0] == number for number, row in enumerate(bins)
    ):
        raise ValueError("its histogram has rows of different lengths, or out of order")
    return tuple(
        _figures(
            title, TASK, number if threads > 1 else None,
            {name: row[number] * (1 if name in ("total", "over") else BIN_NS)
             for name, row in summary.items()},
            [(row[0], row[number + 1]) for row in bins],
        )
        for number in range(threads)
    )  # fmt: skip


def timerlat_figures(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse `rtla timerlat hist -n`: two columns a processor, with a summary below.

    Raises ValueError.
    """
    heads = [line.split()[1:] for line in lines if line.startswith("Index")]
    names = [_COLUMN.fullmatch(name) for name in heads[0]] if len(heads) == 1 else []
    columns = [match for match in names if match is not None]
    if not names or len(columns) != len(names):
        raise ValueError("its output has no histogram; " + last_words(lines))
    summary, bins = _timerlat_rows(lines, len(columns))
    several = len({match[2] for match in columns}) > 1
    found = []
    for number, match in enumerate(columns):
        column = {name: row[number] for name, row in summary.items()}
        if column["count:"] != 0:
            counts = [(row[0] // BIN_NS, row[number + 1]) for row in bins]
            found.append(_timerlat_column(match, title, column, counts, several=several))
    return tuple(found)


def _timerlat_rows(
    lines: Sequence[str], columns: int
) -> tuple[dict[str, list[int | None]], list[list[int]]]:
    """Return the rows of the summary by name, and those of the histogram."""
    summary: dict[str, list[int | None]] = {}
    bins = []
    for line in lines:
        name, *cells = line.split() or [""]
        if name == "ALL:":  # newer ones add a summary of all processors together
            break
        if name in _TIMERLAT_SUMMARY:
            if name in summary or len(cells) != columns:
                raise ValueError(f"its summary {name} has {len(cells)} values")
            summary[name] = [None if cell == "-" else whole_number(cell) for cell in cells]
        elif _ROW.fullmatch(line.strip()):
            bins.append([int(cell) for cell in (name, *cells)])
    if set(summary) != set(_TIMERLAT_SUMMARY):
        raise ValueError("its output has no summary; " + last_words(lines))
    if not all(len(row) == columns + 1 and row[0] % BIN_NS == 0 for row in bins):
        raise ValueError("its histogram has rows of different lengths")
    return summary, bins


def _timerlat_column(
    match: re.Match[str],
    title: str,
    column: dict[str, int | None],
    bins: list[tuple[int, int]],
    *,
    several: bool,
) -> ToolFigures:
    told = {name.rstrip(":"): value for name, value in column.items() if value is not None}
    if len(told) != len(column):
        raise ValueError(f"its column {match[0]} has holes")
    told["total"] = told.pop("count") - told["over"]
    kernel = match[1] == "IRQ"
    return _figures(
        f"{title}, {'interrupt' if kernel else 'thread'}",
        TIMER_INTERRUPT if kernel else KERNEL_THREAD,
        int(match[2]) if several else None, told, bins,
    )  # fmt: skip


def _figures(
    title: str, what: str, cpu: int | None, column: dict[str, int], bins: list[tuple[int, int]]
) -> ToolFigures:
    """Make a line of one column: its summary, whose total is of the bins, and these by number."""
    filled = [(number, count) for number, count in bins if count]
    numbers = [number for number, _ in filled]
    total = sum(count for _, count in filled)
    if numbers != sorted(set(numbers)) or total != column["total"]:
        raise ValueError(f"its histogram has {total} values, and its summary {column['total']}")
    if not total + column["over"]:
        raise ValueError("it measured nothing")
    return ToolFigures(
        title, what, total + column["over"], column["min"], column["avg"], column["max"], cpu,
        ToolHistogram(
            width_ns=BIN_NS,
            first_ns=tuple(number * BIN_NS for number in numbers),
            counts=tuple(count for _, count in filled),
            beyond=column["over"],
        ),
    )  # fmt: skip
