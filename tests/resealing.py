# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files changed on purpose, with digests that fit what is in them then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from rig.record.digest import seal_figures, seal_raw


@contextmanager
def resealed(path: Path) -> Iterator[h5py.File]:
    """The file opened for changes; its digests are computed again when they are done."""
    with h5py.File(path, "r+") as file:
        yield file
        file.flush()
        seal_raw(file, str(path))
        seal_figures(file, str(path))
