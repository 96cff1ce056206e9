# SPDX-License-Identifier: GPL-3.0-or-later
"""All values of a run one by one, for measurements that the target makes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from rig.analysis.log.responses import CHUNK
from rig.analysis.log.values import LoggedValues, logged_values, tell_tasks
from rig.analysis.model.self_measurement import SelfMeasurement, whole_word
from rig.arrays import FloatArray
from rig.instruments import Int64Array, LogArray

if TYPE_CHECKING:
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings

_CLOCK_NS: Final = 1.0
"""The unit of values by a clock of the system."""


@dataclass(frozen=True)
class ValueTable:
    """Values of a run in columns, whose names carry their units."""

    columns: tuple[str, ...]
    pieces: Iterator[tuple[Int64Array | FloatArray, ...]]
    """The columns a piece at a time, shapes (n,); NaN where there is no value."""


def part_columns(inside: SelfMeasurement) -> tuple[str, ...]:
    """Return the name of the column of each part of an iteration."""
    return tuple(f"{part.title.replace(' ', '_')}_ns" for part in inside.parts)


def logged_table(inside: SelfMeasurement, raw: RawRun, settings: Settings) -> ValueTable:
    """Return a row for each iteration in the log, with a column for each of its parts."""
    more = ("to_task",) if tell_tasks(raw.log(0, CHUNK)) else ()
    columns = ("iteration", "begin_s", *part_columns(inside), *more)
    return ValueTable(columns, _rows(inside, raw, settings, has_tasks=bool(more)))


def _rows(
    inside: SelfMeasurement, raw: RawRun, settings: Settings, *, has_tasks: bool
) -> Iterator[tuple[Int64Array | FloatArray, ...]]:
    held, origin = _sliced(_values(inside, raw.log(0, 0), settings), slice(0)), None
    tick_ns = 1e9 / (settings.tick_hz or 10**9)
    batch = max(1, whole_word(settings.agent, "batch", 1))
    for first in range(0, raw.log_count, CHUNK):
        found = _joined(held, _values(inside, raw.log(first, CHUNK), settings))
        if not len(found.part):
            continue
        begins = _begins(found)
        is_last = first + CHUNK >= raw.log_count
        # The next piece may have more of the last iteration.
        end = len(found.part) if is_last else int(np.flatnonzero(begins)[-1])
        held, found = _sliced(found, slice(end, None)), _sliced(found, slice(end))
        if not end:
            continue
        origin = int(found.before[0]) if origin is None else origin
        unit_ns = np.where(found.clocked, _CLOCK_NS, tick_ns)
        begins = begins[:end]
        row, known = np.cumsum(begins) - 1, found.part < len(inside.parts)
        values = np.full((len(inside.parts), int(row[-1]) + 1), np.nan)
        values[found.part[known], row[known]] = (found.values * unit_ns)[known] / batch
        begin_s = ((found.before - origin) * unit_ns)[begins] / 1e9
        tasks = (found.task[begins],) if has_tasks else ()
        yield (found.iteration[begins], begin_s, *values, *tasks)


def _values(inside: SelfMeasurement, records: LogArray, settings: Settings) -> LoggedValues:
    return logged_values(inside, records, settings.agent, settings.tick_hz)


def _begins(found: LoggedValues) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which values are the first of an iteration, shape (n,)."""
    begins = np.ones(len(found.part), np.bool_)
    begins[1:] = np.diff(found.iteration) != 0
    begins[1:] |= np.diff(found.part) <= 0  # a damaged log may have a part twice
    return begins


def _joined(first: LoggedValues, second: LoggedValues) -> LoggedValues:
    names = [each.name for each in fields(LoggedValues)]
    return LoggedValues(
        *(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names)
    )


def _sliced(found: LoggedValues, part: slice) -> LoggedValues:
    return LoggedValues(*(getattr(found, each.name)[part] for each in fields(LoggedValues)))
