# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window reads of a run file when a folder is shown and a run opened, without Qt."""

from __future__ import annotations

import sys
from pathlib import Path

from gui.models.runs.entry import RunEntry, _entry, stamp_of
from gui.models.runs.opened import OpenedRun
from rig.errors import RigError
from rig.record.reader import RunFile
from rig.record.vetting import vet

ROWS = 1000


def read_as_the_window(path: Path) -> int:
    """0, or 2 with one line for a file that cannot be shown."""
    try:
        vet(path)
        with RunFile(path) as file:
            entry = _entry(file, stamp_of(path))
        assert isinstance(entry, RunEntry)
        with OpenedRun(path, vetted=True) as run:
            run.events(0, min(ROWS, run.event_count))
    except RigError as error:
        sys.stderr.write(f"rig: {error}\n")
        return 2
    return 0
