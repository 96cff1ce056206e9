# SPDX-License-Identifier: GPL-3.0-or-later
"""The events or the values of a run as CSV: one line each, in pieces of bounded size."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.arrays import FloatArray
from rig.errors import InputError
from rig.files import create_new
from rig.instruments import UNKNOWN_PS, Int64Array
from rig.measurements.registry import measurement_of
from rig.measurements.value_table import ValueTable
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY
from rig.record.reader import RunFile
from rig.shell_words import quoted

COLUMNS = (
    "event", "status", "planned_ticks", "stimulus_sample", "response_sample", "response_edge",
    "latency_ns", "internal_latency_ns",
)  # fmt: skip
_CHUNK = 1 << 16
_CLASSES = {kind.value: kind.name.lower() for kind in EventClass}


def write_events(file: RunFile, settings: Settings, out: Path) -> str:
    """Write a row for each event or, of a measurement inside the target, for each value with all
    its parts; return how many of what there are.

    Raises InputError for a file without any, or if `out` exists.
    """
    table = measurement_of(settings.measurement).value_table(file, settings)
    if table is not None:
        return f"{_write_values(file, table, out):,} {table.columns[0]}s"
    if not measurement_of(settings.measurement).has_events:
        raise InputError(
            f"{file.path}: its values are no series of one quantity; "
            f"`rig show {quoted(file.path)} --json` has all its figures"
        )
    if not file.event_count:
        raise InputError(
            f"{file.path}: holds no events yet; `rig analyze {quoted(file.path)}` finds them"
        )
    with create_new(out, "events", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_rows(file, settings))
    return f"{file.event_count:,} events"


def _write_values(file: RunFile, table: ValueTable, out: Path) -> int:
    count = 0
    with create_new(out, "values", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.columns)
        for piece in table.pieces:
            columns = [_column(*each) for each in zip(table.columns, piece, strict=True)]
            writer.writerows(zip(*columns, strict=True))
            count += len(piece[0])
        if not count:
            raise InputError(f"{file.path}: holds no values")
    return count


def _column(name: str, values: Int64Array | FloatArray) -> list[int] | list[str]:
    """Return a column's numbers, or times as text, to the picosecond; empty where there is none."""
    found: list[Any] = values.tolist()
    if values.dtype.kind == "i":
        return found
    digits = 12 if name.endswith("_s") else 3
    return ["" if math.isnan(value) else f"{value:.{digits}f}" for value in found]


def _rows(file: RunFile, settings: Settings) -> Iterator[tuple[int | str, ...]]:
    sample_ps = Fraction(10**12, settings.sample_rate_hz)
    for first in range(0, file.event_count, _CHUNK):
        columns = file.events(first, first + _CHUNK, (*EVENT_COLUMNS, INTERNAL_LATENCY))
        names = (*COLUMNS[1:6], INTERNAL_LATENCY)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        for event, (status, planned, stimulus, response, edge, internal_ps) in enumerate(
            rows, first
        ):
            latency_ps = round((response - stimulus) * sample_ps)
            yield (
                event,
                _CLASSES.get(status, "unknown"),
                planned,
                stimulus,
                response,
                edge,
                "" if response < 0 else _ns(latency_ps),
                "" if internal_ps == UNKNOWN_PS else _ns(internal_ps),
            )


def _ns(time_ps: int) -> str:
    """Exact, with all digits."""
    sign = "-" if time_ps < 0 else ""
    return f"{sign}{abs(time_ps) // 1000}.{abs(time_ps) % 1000:03}"
