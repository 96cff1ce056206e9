# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of a run file's computed part: events, statistics, histogram."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import numpy.typing as npt

from rig import __version__
from rig.instruments import Int64Array
from rig.record import event_code
from rig.record.digest import seal_figures
from rig.record.event_code import CODES, EVENT_CHUNK, Columns, RawData, line_type
from rig.record.events import LINES, LINES_CHUNK, PLAIN
from rig.record.layout import (
    CHUNK,
    EVENT_CODES_SINCE,
    EVENT_COLUMNS,
    FIGURES_DIGESTS,
    MEASURANDS,
    OPTIONAL_EVENT_COLUMNS,
    OTHER_CALIBRATION,
    WINDOWS,
    event_dataset,
)
from rig.record.reader import RunFile
from rig.record.stored import damage_told

_GROUPS = ("events", "statistics", "histogram", FIGURES_DIGESTS)


class ComputedWriter:
    """Replaces the computed groups of a run file opened for writing; raw data are not touched."""

    def __init__(self, run_file: RunFile) -> None:
        """Drop what was computed before. Raises InputError if the file is read-only or damaged."""
        self._file = run_file.writable()
        self._source = str(run_file.path)
        with self._storing():
            for name in _GROUPS:
                if name in self._file:
                    del self._file[name]
        self._version = run_file.format_version
        self._coded = self._version >= EVENT_CODES_SINCE
        self._raw: RawData = run_file
        self._sample_ps = _sample_ps(run_file)
        self._waiting: list[Columns] = []
        self._waiting_events = 0
        for name in (*PLAIN, *CODES) if self._coded else EVENT_COLUMNS:
            self._create(name)
        if self._coded:
            self._create(LINES)

    def _create(self, name: str) -> None:
        kind, units = (EVENT_COLUMNS | OPTIONAL_EVENT_COLUMNS).get(name, (np.dtype("<u8"), ""))
        chunk = EVENT_CHUNK if self._coded else CHUNK
        if name == LINES:
            kind, chunk = line_type(self._version), LINES_CHUNK
        with self._storing():
            column = self._file.create_dataset(
                event_dataset(name, self._version), (0,), kind, chunks=(chunk,), maxshape=(None,),
                shuffle=True, compression="gzip", compression_opts=1,
            )  # fmt: skip
            if units:
                column.attrs["units"] = units

    def _storing(self) -> AbstractContextManager[None]:
        """Turn what HDF5 refuses into an InputError: the file may be damaged, or the disk full."""
        return damage_told(self._source, "figures cannot be stored in it")

    def events(self, columns: dict[str, npt.NDArray[np.int64] | npt.NDArray[np.uint8]]) -> None:
        """Append events: one array for each of EVENT_COLUMNS, all of shape (n,).

        Of OPTIONAL_EVENT_COLUMNS those that there are, the same ones each time.
        """
        names = [*EVENT_COLUMNS, *(name for name in OPTIONAL_EVENT_COLUMNS if name in columns)]
        rows = {name: columns[name] for name in names}
        if not self._coded:
            self._append(rows)
            return
        self._waiting.append({name: each.astype(np.int64) for name, each in rows.items()})
        self._waiting_events += len(rows["status"])
        if self._waiting_events >= EVENT_CHUNK:
            self._encode(self._waiting_events // EVENT_CHUNK * EVENT_CHUNK)

    def _encode(self, count: int) -> None:
        """Store `count` of the events that wait."""
        rows = {
            name: np.concatenate([part[name] for part in self._waiting])
            for name in self._waiting[0]
        }
        for first in range(0, count, EVENT_CHUNK):
            chunk = {
                name: each[first : min(first + EVENT_CHUNK, count)] for name, each in rows.items()
            }
            line, codes = event_code.encode(chunk, self._raw, self._sample_ps)
            plain = {name: chunk[name] for name in PLAIN}
            self._append({LINES: line, **plain, **codes})
        self._waiting = [{name: each[count:] for name, each in rows.items()}]
        self._waiting_events -= count

    def _append(self, rows: Mapping[str, npt.NDArray[Any]]) -> None:
        with self._storing():
            for name, each in rows.items():
                path = event_dataset(name, self._version)
                if path not in self._file:
                    self._create(name)
                dataset = self._file[path]
                start = dataset.shape[0]
                dataset.resize((start + len(each),))
                dataset[start:] = each

    def summary(
        self,
        text: str,
        figures: dict[str, int | float | None],
        histogram: tuple[Int64Array, Int64Array],
        calibration: str | None = None,
        *,
        units: str = "sample",
        windows: str = "",
        values: Mapping[str, Int64Array] | None = None,
    ) -> None:
        """Store the evaluation as canonical JSON, its figures one by one, and the histogram.

        `calibration`: its text, if it is not the run's own. `units`: of the histogram's values.
        `windows`: the list of waveforms beside the file; "" leaves what is there. `values`: what
        plots need of each measurand by its name.
        The last thing to be stored. Raises InputError if not all of it is in the file.
        """
        if self._waiting_events:
            self._encode(self._waiting_events)
        with self._storing():
            self._file["statistics/json"] = text
            if calibration is not None:
                self._file[OTHER_CALIBRATION] = calibration
            if windows:
                self._file.pop(WINDOWS, None)
                self._file[WINDOWS] = windows
            for name, value in figures.items():
                if value is not None:
                    self._file[f"statistics/{name}"] = value
                    if name.endswith("_ns"):
                        self._file[f"statistics/{name}"].attrs["units"] = "ns"
            group = self._file.create_group("histogram")
            group.attrs.update({"NX_class": "NXdata", "signal": "count", "axes": "latency_samples"})
            group["latency_samples"], group["count"] = histogram
            group["latency_samples"].attrs["units"] = units
            for name, numbers in (values or {}).items():
                group[f"{MEASURANDS}/{name}"] = numbers
            self._file.attrs.update({"default": "histogram", "analyzed_by": __version__})
        seal_figures(self._file, self._source)


def _sample_ps(run_file: RunFile) -> float:
    """Return the nominal sample period; 0 if the settings lack it, which only costs room."""
    rate_hz = run_file.settings.get("sample_rate_hz")
    return 1e12 / rate_hz if isinstance(rate_hz, int) and rate_hz > 0 else 0.0
