# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files in the layout of earlier format versions, and columns that are not coded."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from rig.record.columns import ColumnsReader
from rig.record.event_code import INTERNAL, line_type
from rig.record.events import LINES, PLAIN
from rig.record.layout import (
    CAPTURES,
    CHUNK,
    COLUMNS,
    LOG,
    OPTIONAL_EVENT_COLUMNS,
    event_dataset,
)
from rig.record.opening import OpenedFile
from rig.record.read_back import edges_now


def as_version_2(path: Path) -> None:
    """The layout of files with longer chunks of the log and of captured answers."""
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 2
        with_older_event_names(file, 2)
        for name in (LOG, CAPTURES):
            plain(file, name, chunk=CHUNK)
            del file[f"tail/{name}"]
            file.create_dataset(f"tail/{name}", (CHUNK,), COLUMNS[name][0], chunks=(1024,))


def with_older_event_names(file: h5py.File, format_version: int) -> None:
    """Give the columns of events, and the fields of their lines, the names of that version."""
    for name in (*PLAIN, *OPTIONAL_EVENT_COLUMNS, INTERNAL):
        if f"events/{name}" in file:
            file.move(f"events/{name}", event_dataset(name, format_version))
    path = f"events/{LINES}"
    if path in file and file[path].dtype != line_type(format_version):
        lines, chunks = file[path][:].view(line_type(format_version)), file[path].chunks
        del file[path]
        file.create_dataset(
            path, data=lines, chunks=chunks, maxshape=(None,), shuffle=True, compression=1
        )


def plain(file: h5py.File, name: str, *, chunk: int = 0) -> h5py.Dataset:
    """The dataset of a column, made from its codes if it is coded."""
    if isinstance(file[name], h5py.Dataset) and not chunk:
        return file[name]
    held = OpenedFile(file, left_open=False)

    def samples_of(rows: np.ndarray) -> np.ndarray:
        return edges_now(held, "test").samples_of(rows)

    columns = ColumnsReader(held, "test", samples_of)
    rows = columns.read(name, 0, columns.rows(name))
    attributes = dict(file[name].attrs)
    held.datasets.clear()
    del file[name]
    made = new_column(file, name, rows, chunk)
    made.attrs.update(attributes)
    return made


def new_column(file: h5py.File, name: str, rows: np.ndarray, chunk: int = 0) -> h5py.Dataset:
    """A column that is not coded."""
    return file.create_dataset(
        name, data=rows, chunks=(chunk or COLUMNS[name][1],), maxshape=(None,), shuffle=True,
        compression=1,
    )  # fmt: skip
