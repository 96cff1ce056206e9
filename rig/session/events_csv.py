# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of a run as CSV: one line each, with its latency from outside and from inside."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.errors import InputError
from rig.files import create_new
from rig.instruments import UNKNOWN_PS
from rig.measurements.registry import measurement_of
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY
from rig.record.reader import RunFile
from rig.shell_words import quoted

COLUMNS = (
    "event", "status", "planned_ticks", "stimulus_sample", "response_sample", "response_edge",
    "latency_ns", "internal_latency_ns",
)  # fmt: skip
_CHUNK = 1 << 16
_CLASSES = {kind.value: kind.name.lower() for kind in EventClass}


def write_events(file: RunFile, settings: Settings, out: Path) -> int:
    """Write a row for each event, and return how many there are.

    Raises InputError for a file without events, or if `out` exists.
    """
    if not measurement_of(settings.measurement).has_events:
        raise InputError(
            f"{file.path}: the target measured by itself, so there are no events to list; "
            f"`rig show {quoted(file.path)} --json` has its figures"
        )
    if not file.event_count:
        raise InputError(
            f"{file.path}: holds no events yet; `rig analyze {quoted(file.path)}` finds them"
        )
    with create_new(out, "events", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_rows(file, settings))
    return file.event_count


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
