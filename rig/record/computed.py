# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the computed part of a run file: events, statistics, histogram."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt

from rig import __version__
from rig.instruments import Int64Array
from rig.record.digest import seal_figures
from rig.record.layout import (
    CHUNK,
    EVENT_COLUMNS,
    FIGURES_DIGESTS,
    FURTHER_EVENT_COLUMNS,
    OTHER_CALIBRATION,
)
from rig.record.reader import RunFile
from rig.record.stored import damage_told

_GROUPS = ("events", "statistics", "histogram", FIGURES_DIGESTS)


class ComputedWriter:
    """Replaces the computed groups of a run file opened for writing; raw data are not touched."""

    def __init__(self, run_file: RunFile) -> None:
        """Drops what was computed before. Raises InputError if the file is read-only or damaged."""
        self._file = run_file.writable()
        self._source = str(run_file.path)
        with self._storing():
            for name in _GROUPS:
                if name in self._file:
                    del self._file[name]
            for name in EVENT_COLUMNS:
                self._create(name)

    def _create(self, name: str) -> None:
        dtype, units = (EVENT_COLUMNS | FURTHER_EVENT_COLUMNS)[name]
        column = self._file.create_dataset(
            f"events/{name}", (0,), dtype, chunks=(CHUNK,), maxshape=(None,), shuffle=True,
            compression="gzip", compression_opts=1,
        )  # fmt: skip
        column.attrs["units"] = units

    def _storing(self) -> AbstractContextManager[None]:
        """What HDF5 refuses becomes an InputError: the file may be damaged, or the disk full."""
        return damage_told(self._source, "figures cannot be stored in it")

    def events(self, columns: dict[str, npt.NDArray[np.int64] | npt.NDArray[np.uint8]]) -> None:
        """Append events: one array for each of EVENT_COLUMNS, all of shape (n,).

        Of FURTHER_EVENT_COLUMNS those that there are, the same ones each time.
        """
        further = [name for name in FURTHER_EVENT_COLUMNS if name in columns]
        for name in (*EVENT_COLUMNS, *further):
            rows = columns[name]
            with self._storing():
                if f"events/{name}" not in self._file:
                    self._create(name)
                dataset = self._file[f"events/{name}"]
                start = dataset.shape[0]
                dataset.resize((start + len(rows),))
                dataset[start:] = rows

    def summary(
        self,
        text: str,
        figures: dict[str, int | float | None],
        histogram: tuple[Int64Array, Int64Array],
        calibration: str | None = None,
        *,
        units: str = "sample",
    ) -> None:
        """Store the evaluation as canonical JSON, its figures one by one, and the histogram.

        `calibration`: its text, if it is not the run's own. `units`: of the histogram's values.
        The last thing to be stored. Raises InputError if not all of it is in the file.
        """
        with self._storing():
            self._file["statistics/json"] = text
            if calibration is not None:
                self._file[OTHER_CALIBRATION] = calibration
            for name, value in figures.items():
                if value is not None:
                    self._file[f"statistics/{name}"] = value
                    if name.endswith("_ns"):
                        self._file[f"statistics/{name}"].attrs["units"] = "ns"
            group = self._file.create_group("histogram")
            group.attrs.update({"NX_class": "NXdata", "signal": "count", "axes": "latency_samples"})
            group["latency_samples"], group["count"] = histogram
            group["latency_samples"].attrs["units"] = units
            self._file.attrs.update({"default": "histogram", "analyzed_by": __version__})
        seal_figures(self._file, self._source)
