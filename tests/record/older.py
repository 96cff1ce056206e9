# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files in the layout of earlier format versions."""

from __future__ import annotations

from pathlib import Path

import h5py

from rig.record.layout import CAPTURES, CHUNK, LOG


def as_version_2(path: Path) -> None:
    """The layout of files with longer chunks of the log and of captured answers."""
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 2
        for name in (LOG, CAPTURES):
            rows, units = file[name][:], dict(file[name].attrs)
            del file[name], file[f"tail/{name}"]
            file.create_dataset(
                name, data=rows, chunks=(CHUNK,), maxshape=(None,), shuffle=True, compression=1
            ).attrs.update(units)
            file.create_dataset(f"tail/{name}", (CHUNK,), rows.dtype, chunks=(1024,))
