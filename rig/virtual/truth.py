# SPDX-License-Identifier: GPL-3.0-or-later
"""What really happened on the virtual bench, event by event, for tests to compare with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.closing import Closing
from rig.instruments import Int64Array

TRUTH = np.dtype(
    [
        ("stimulus_ps", "<i8"),  # leading edge at the pin
        ("response_ps", "<i8"),  # first answer edge at the pin, -1: none
        ("before_ticks", "<u8"),  # target clock around the pin write
        ("after_ticks", "<u8"),
        ("handled", "<u8"),  # handler count, 0: never handled
        ("kind", "u1"),  # 0 answered, 1 missed, 2 merged with a later one
        ("duplicates", "u1"),
        ("glitches", "u1"),
    ]
)
ANSWERED, MISSED, MERGED = 0, 1, 2
_KEEP = 64
"""Rows that may still change: a stimulus is known to be merged only when a later one comes."""


class TruthLog(Closing):
    """A log that appends its rows to a file; without a path it keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = path.open("wb") if path else None
        self.recent: list[list[int]] = []

    def add(self, row: list[int]) -> None:
        """Add a row, in the order of TRUTH; it may be changed while it is among the last few."""
        self.recent.append(row)
        if len(self.recent) >= 4096 + _KEEP:
            self._write(len(self.recent) - _KEEP)

    def add_many(
        self,
        stimulus_ps: Int64Array,
        response_ps: Int64Array,
        ticks: tuple[Int64Array, Int64Array],
        handled: Int64Array,
    ) -> None:
        """Add interrupts that were answered, and will stay so. `ticks`: before and after."""
        self._write(len(self.recent))
        if self._file is None:
            return
        rows = np.zeros(len(handled), TRUTH)
        rows["stimulus_ps"], rows["response_ps"], rows["handled"] = (
            stimulus_ps,
            response_ps,
            handled,
        )
        rows["before_ticks"], rows["after_ticks"] = ticks
        rows["kind"] = ANSWERED
        self._file.write(rows.tobytes())

    def _write(self, count: int) -> None:
        if self._file:
            rows = np.array([tuple(row) for row in self.recent[:count]], TRUTH)
            self._file.write(rows.tobytes())
            self._file.flush()
        del self.recent[:count]

    def finish(self, facts: Mapping[str, object]) -> None:
        """Write what is left, and facts of the bench beside it as JSON."""
        self._write(len(self.recent))
        if self._path:
            facts_path(self._path).write_text(json.dumps(facts), encoding="utf-8")

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._file:
            self._file.close()


def facts_path(truth: Path) -> Path:
    """Return the path of the facts beside a truth file."""
    return truth.with_suffix(truth.suffix + ".json")


def load_truth(path: Path) -> tuple[npt.NDArray[np.void], dict[str, Any]]:
    """Rows (dtype TRUTH) and facts of a finished virtual run."""
    facts: dict[str, Any] = json.loads(facts_path(path).read_text(encoding="utf-8"))
    return np.fromfile(path, TRUTH), facts
