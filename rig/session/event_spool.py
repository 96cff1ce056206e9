# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a run on their way into its file, so that it is evaluated once and not twice.

They may be stored only once the evaluation is known, by another process, and do not fit in memory.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from rig.analysis.measurements.evaluation import EventColumns
from rig.closing import Closing


class EventSpool(Closing):
    """A file without a name in a folder; it goes with the process."""

    def __init__(self, folder: Path) -> None:
        """A folder that cannot be written is no error here: then `holds` is False."""
        self._file: IO[bytes] | None = None
        self._names: list[tuple[str, ...]] = []
        with contextlib.suppress(OSError):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`

    @property
    def holds(self) -> bool:
        """All that was added is there."""
        return self._file is not None

    def add(self, columns: EventColumns) -> None:
        """The next events; on a full disk all are given up."""
        if self._file is None:
            return
        try:
            for column in columns.values():
                np.save(self._file, column, allow_pickle=False)
        except OSError:
            self.close()
        self._names.append(tuple(columns))

    def pieces(self) -> Iterator[EventColumns]:
        """All that was added, piece by piece."""
        if self._file is None:
            raise ValueError("nothing is held")
        self._file.seek(0)
        for names in self._names:
            yield {name: np.load(self._file, allow_pickle=False) for name in names}

    def close(self) -> None:
        """Give it up; may be called twice."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file = None
